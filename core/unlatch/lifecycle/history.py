"""The history of an increment, and a summary of all reopens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from unlatch.increments.model.status import Status
from unlatch.increments.records.events import LOG, Created, Transitioned, Undone, read_events
from unlatch.worklog.event_log import Event, OtherEvent, in_order
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.project.workspace import Workspace

# The event and the time in metadata.json are of one moment, read from the clock twice.
_SAME = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class History:
    """The history of an increment.

    Args:
        events: those of its log, and the moments that only metadata.json records, by time.
        lost: the number of lines of the log that cannot be read.
    """

    increment: Increment
    events: Sequence[Event]
    lost: int


def read_history(workspace: Workspace, wanted: str) -> History:
    """Read the history of an increment.

    Raises:
        StoreError: `events-unreadable`, or the increment cannot be read.
    """
    increment = workspace.manager.read(wanted)
    recorded = read_events(increment.folder, increment.reopens)
    lost = LOG.lost_lines(increment.folder)
    return History(increment, life(increment, recorded), lost)


def life(increment: Increment, events: Sequence[Event]) -> list[Event]:
    """The events of an increment with the moments that only metadata.json records.

    An increment that is older than its event log, or that another program made, has at least the
    times of its creation and completion there. Such a moment has an empty `id` and `by`.
    """
    moments = [("completed", at) for at in _completions(increment, events)]
    if increment.created and not any(isinstance(event, Created) for event in events):
        moments.append(("created", increment.created))
    others = [OtherEvent(id="", at=at, by="", word=word) for word, at in moments]
    return in_order([*others, *events])


def _completions(increment: Increment, events: Sequence[Event]) -> list[datetime]:
    """The completions in metadata.json that have no event."""
    moves = (event for event in events if isinstance(event, Transitioned | Undone))
    known = [event.at for event in moves if event.to == Status.COMPLETED]
    times = [read_stamp(entry.previous_completed_at) for entry in increment.reopens]
    # An undone reopen leaves the increment completed at the earlier time.
    times.append(increment.completed_at)
    return [
        at
        for at in dict.fromkeys(times)
        if at is not None and not any(abs(at - other) < _SAME for other in known)
    ]


@dataclass(frozen=True, slots=True)
class Reopen:
    """One reopen of one increment.

    Args:
        after: days from the completion to the reopen; None if the time of completion is not known.
    """

    increment: Increment
    entry: ReopenEntry
    after: float | None


@dataclass(frozen=True, slots=True)
class ReopenedIncrement:
    """An increment with its reopens."""

    increment: Increment
    reopens: tuple[Reopen, ...]

    @property
    def last(self) -> Reopen:
        """The latest of them."""
        return max(self.reopens, key=lambda one: one.entry.reopened_at)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of the reopens of all increments; undone ones are only counted.

    Args:
        by_month: the number of reopens in each month that had any ("2025-11").
        by_category: the number for each kind of reason; None where none was named.
        often: the increments that were reopened, the most reopened first.
    """

    reopens: tuple[Reopen, ...]
    by_month: dict[str, int]
    by_category: dict[str | None, int]
    often: tuple[ReopenedIncrement, ...]
    undone: int

    @property
    def days(self) -> tuple[float, float, float] | None:
        """Days from completion to reopen: minimum, median, maximum."""
        known = [one.after for one in self.reopens if one.after is not None]
        return (min(known), round(median(known), 1), max(known)) if known else None


def summary(increments: Iterable[Increment]) -> Summary:
    """Summarise the reopens of increments."""
    found = [Reopen(one, entry, _days(entry)) for one in increments for entry in one.reopens]
    found.sort(key=lambda one: (one.entry.reopened_at, one.entry.id))
    reopens = tuple(one for one in found if one.entry.reverted_at is None)
    months = Counter(f"{one.entry.reopened_at:%Y-%m}" for one in reopens)
    categories = Counter(one.entry.category for one in reopens)
    groups: dict[str, list[Reopen]] = {}
    for one in reopens:
        groups.setdefault(one.increment.id, []).append(one)
    often = [ReopenedIncrement(group[0].increment, tuple(group)) for group in groups.values()]
    return Summary(
        reopens,
        dict(sorted(months.items())),
        dict(sorted(categories.items(), key=lambda pair: (-pair[1], pair[0] or ""))),
        tuple(sorted(often, key=lambda one: (-len(one.reopens), one.increment.id))),
        len(found) - len(reopens),
    )


def _days(entry: ReopenEntry) -> float | None:
    completed = read_stamp(entry.previous_completed_at)
    if completed is None or completed > entry.reopened_at:
        return None
    return round((entry.reopened_at - completed).total_seconds() / 86400, 1)
