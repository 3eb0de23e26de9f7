"""Figures beside what they are held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class NotMeasured(Exception):
    """A figure could not be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table.

    Args:
        part: the part of the benchmarks that it belongs to.
        what: what was measured.
        measured: how much of `unit` that was.
        against: what it is compared with, in the same unit; None if the limit is on `measured`.
        at_most: the largest ratio of the two that is on target; None for a figure without one.
        yardstick: what `against` is, in a few words.
        pieces: what `measured` or `against` is made of, by name, for whoever wants to mend it.
    """

    part: str
    what: str
    measured: float
    unit: str
    against: float | None
    at_most: float | None
    yardstick: str
    pieces: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """How many times its yardstick the figure is."""
        return self.measured if self.against is None else self.measured / self.against

    @property
    def verdict(self) -> str:
        """Whether it is on target."""
        if self.at_most is None:
            return ""
        return "ok" if self.ratio <= self.at_most else "over"

    def document(self) -> dict[str, Any]:
        """The figure for programs."""
        return {**asdict(self), "ratio": round(self.ratio, 3), "verdict": self.verdict or None}


_HEADINGS = ("Part", "Measured", "", "Compared with", "", "Ratio", "At most", "")


def table(figures: Sequence[Figure]) -> str:
    """The figures for people, with their pieces below."""
    rows = [_HEADINGS, *map(_row, figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    pieces = [line for figure in figures for line in _pieces(figure)]
    return "\n".join([*lines, *(["", *pieces] if pieces else [])])


def _row(figure: Figure) -> tuple[str, ...]:
    against = "" if figure.against is None else _amount(figure.against, figure.unit)
    most = "" if figure.at_most is None else f"{figure.at_most:g}"
    ratio = f"{figure.ratio:.2f}" if figure.against is not None else ""
    measured = _amount(figure.measured, figure.unit)
    return (
        figure.part,
        figure.what,
        measured,
        figure.yardstick,
        against,
        ratio,
        most,
        figure.verdict,
    )


def _amount(value: float, unit: str) -> str:
    return f"{value:.0f}" if unit in {"requests", "modules"} else f"{value:.1f} {unit}"


def _pieces(figure: Figure) -> list[str]:
    if not figure.pieces:
        return []
    told = (f"{name} {_amount(value, figure.unit)}" for name, value in figure.pieces.items())
    return [f"{figure.what}: {'; '.join(told)}"]
