"""Measured figures and their baselines."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class NotMeasured(Exception):
    """A figure could not be measured; the message says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A row of the table.

    Args:
        part: the part of the benchmarks, as named on the command line.
        what: the subject of the measurement.
        measured: the value, in `unit`.
        against: the value of the baseline, in `unit`; None if the limit applies to `measured`.
        at_most: the maximum ratio of the two; None for a figure without a target.
        baseline: the name of the baseline.
        details: the components of `measured` or `against`, by name.
    """

    part: str
    what: str
    measured: float
    unit: str
    against: float | None
    at_most: float | None
    baseline: str
    details: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """The figure divided by its baseline."""
        return self.measured if self.against is None else self.measured / self.against

    @property
    def verdict(self) -> str:
        """`ok` or `over`; empty for a figure without a target."""
        if self.at_most is None:
            return ""
        return "ok" if self.ratio <= self.at_most else "over"

    def document(self) -> dict[str, Any]:
        """The figure as a JSON document."""
        return {**asdict(self), "ratio": round(self.ratio, 3), "verdict": self.verdict or None}


_COUNTED = frozenset({"passes", "questions"})
_HEADINGS = ("Part", "Measured", "", "Compared with", "", "Ratio", "At most", "")


def table(figures: Sequence[Figure]) -> str:
    """The figures as text, with the details below."""
    rows = [_HEADINGS, *map(_row, figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    details = [line for figure in figures for line in _details(figure)]
    return "\n".join([*lines, *(["", *details] if details else [])])


def _row(figure: Figure) -> tuple[str, ...]:
    against = "" if figure.against is None else _amount(figure.against, figure.unit)
    most = "" if figure.at_most is None else f"{figure.at_most:g}"
    ratio = f"{figure.ratio:.2f}" if figure.against is not None else ""
    measured = _amount(figure.measured, figure.unit)
    return (
        figure.part,
        figure.what,
        measured,
        figure.baseline,
        against,
        ratio,
        most,
        figure.verdict,
    )


def _amount(value: float, unit: str) -> str:
    if unit in {"requests", "modules"}:
        return f"{value:.0f}"
    return f"{value:.0f} {unit}" if unit in _COUNTED else f"{value:.1f} {unit}"


def _details(figure: Figure) -> list[str]:
    if not figure.details:
        return []
    named = (f"{name} {_amount(value, figure.unit)}" for name, value in figure.details.items())
    return [f"{figure.what}: {'; '.join(named)}"]
