"""The figures of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.lifecycle.lists.overview import PendingOperation
from unlatch.values import dataclass
from unlatch_audit.report.drift import Drift, present_drift, recorded_drift
from unlatch_audit.report.statistics import (
    ReopenedIncrement,
    ReopenFilter,
    ReopenStatistics,
    reopen_statistics,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Report:
    """The reopens of a period, and what is pending and differs now.

    Args:
        made: when.
        goal: an increment stays below this number of reopens.
    """

    made: datetime
    period: ReopenFilter
    reopens: ReopenStatistics
    goal: int
    pending: tuple[PendingOperation, ...]
    drift: Drift
    broken: Sequence[BrokenIncrement]

    @property
    def reopened(self) -> int:
        """The number of increments with a reopen in the period."""
        return self.reopens.reopened

    @property
    def over_goal(self) -> tuple[ReopenedIncrement, ...]:
        """The increments and items that missed the goal, the most reopened first."""
        return tuple(
            reopened
            for reopened in self.reopens.most_reopened
            if len(reopened.reopens) >= self.goal
        )

    @property
    def blocked(self) -> int:
        """The number of pending operations that need a person."""
        return sum(pending.operation.is_blocked for pending in self.pending)

    @property
    def by_month(self) -> dict[str, int]:
        """The reopens of each month from the first to the last one with any."""
        counts = self.reopens.by_month
        months = sorted(counts)
        filled: dict[str, int] = {}
        if months:
            number, last = _number(months[0]), _number(months[-1])
            filled = {
                _name(month): counts.get(_name(month), 0) for month in range(number, last + 1)
            }
        return filled


def _number(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * _MONTHS + int(number) - 1


def _name(number: int) -> str:
    return f"{number // _MONTHS:04}-{number % _MONTHS + 1:02}"


def make_report(
    workspace: Workspace,
    period: ReopenFilter,
    *,
    items: Sequence[Increment] = (),
    unread: Sequence[BrokenIncrement] = (),
    trackers: Trackers | None = None,
) -> Report:
    """The figures; with `trackers`, drift is read from them now.

    Args:
        items: the records of items alone.
        unread: those of them that cannot be read.

    Raises:
        StoreError: the increments cannot be listed.
        ConfigError: the configuration has mistakes.
    """
    sound, broken = workspace.manager.read_all()
    # The records outside of projects are those of items alone, which belong to nothing.
    linked = [record for record in sound if not record.is_item]
    drift = present_drift(workspace, trackers, linked) if trackers else recorded_drift(linked)
    return Report(
        workspace.clock(),
        period,
        reopen_statistics((*sound, *items), period),
        workspace.config.frequent_reopens,
        tuple(
            PendingOperation(record, operation)
            for record in (*sound, *items)
            for operation in record.pending
        ),
        drift,
        (*broken, *unread),
    )
