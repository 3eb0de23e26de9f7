"""Iterations, and the one for a reopened work item."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from unlatch.spi import read_stamp
from unlatch.transport.answer import each, optional, required, table, text
from unlatch.values import dataclass
from unlatch_ado.api.models import parts

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration.

    Args:
        path: its path as in work items, from the project's name.
        start: its first day; None without dates.
        finish: its last day; None without dates.
    """

    path: str
    start: date | None = None
    finish: date | None = None

    def is_over(self, today: date) -> bool:
        """Whether its last day has passed."""
        return self.finish is not None and self.finish < today

    def is_current(self, today: date) -> bool:
        """Whether `today` is one of its days."""
        if self.start is None or self.finish is None:
            return False
        return self.start <= today <= self.finish


def read_tree(answer: Any) -> tuple[Iteration, ...]:
    """The iterations of a project, from Azure DevOps' tree."""
    root = parts(answer)
    # A node's path contains the word Iteration, which work items omit.
    return tuple(_below(root, required(root, "name", text)))


def _below(node: dict[str, Any], path: str) -> list[Iteration]:
    iterations: list[Iteration] = []
    for child in optional(node, "children", each(parts)) or ():
        here = f"{path}\\{required(child, 'name', text)}"
        dates = optional(child, "attributes", table) or {}
        iterations.append(
            Iteration(here, _day(dates.get("startDate")), _day(dates.get("finishDate")))
        )
        iterations += _below(child, here)
    return iterations


def _day(stamp: object) -> date | None:
    moment = read_stamp(stamp)
    return moment.date() if moment else None


def find(iterations: Iterable[Iteration], path: str) -> Iteration | None:
    """The iteration with this path."""
    return next(
        (iteration for iteration in iterations if iteration.path.casefold() == path.casefold()),
        None,
    )


def successors(iterations: tuple[Iteration, ...], old: str, today: date) -> tuple[Iteration, ...]:
    """The current iterations that could follow `old`; several mean a choice.

    Teams have their iterations below their own nodes, so the neighbours of `old` come first, and a
    sprint within a release comes before the release.
    """
    current = [iteration for iteration in iterations if iteration.is_current(today)]
    deepest = [
        iteration
        for iteration in current
        if not any(_is_below(other, iteration) for other in current)
    ]
    near = [iteration for iteration in deepest if _parent(iteration.path) == _parent(old)]
    return tuple(near or deepest)


def _is_below(iteration: Iteration, other: Iteration) -> bool:
    return iteration.path.casefold().startswith(f"{other.path.casefold()}\\")


def _parent(path: str) -> str:
    return path.rpartition("\\")[0].casefold()


def as_json(iterations: tuple[Iteration, ...]) -> list[list[str | None]]:
    """`iterations` in the form of the cache."""
    return [
        [iteration.path, _as_text(iteration.start), _as_text(iteration.finish)]
        for iteration in iterations
    ]


def _as_text(day: date | None) -> str | None:
    return day.isoformat() if day else None


def from_json(data: Any) -> tuple[Iteration, ...] | None:
    """The iterations from `as_json`; None for other data."""
    try:
        return tuple(
            Iteration(str(path), *(day and date.fromisoformat(day) for day in days))
            for path, *days in data
        )
    except (TypeError, ValueError):
        return None
