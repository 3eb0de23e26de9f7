"""Statistics of the reopens of all increments."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from statistics import median, quantiles

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.lifecycle.items.outcome import ReopenOutcome, outcome_of
from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp


@dataclass(frozen=True, slots=True)
class Reopen:
    """One reopen of one increment, or of an item alone.

    Args:
        completed_at: the completion before it; None if its time is not known.
        completed_again_at: the next completion; None if there was none, or the reopen was undone.
    """

    increment: Increment
    entry: ReopenEntry
    completed_at: datetime | None
    completed_again_at: datetime | None

    @property
    def seconds_to_reopen(self) -> int | None:
        """From the completion to the reopen."""
        return _seconds(self.completed_at, self.entry.reopened_at)

    @property
    def seconds_to_completion(self) -> int | None:
        """From the reopen to the next completion."""
        return _seconds(self.entry.reopened_at, self.completed_again_at)

    @property
    def is_pending(self) -> bool:
        """Whether it is a reopen of an item alone that is not delivered yet."""
        is_alone = self.increment.is_item
        return is_alone and outcome_of(self.increment, self.entry) is ReopenOutcome.RECORDED

    @property
    def items(self) -> tuple[Link, ...]:
        """The items that it reached, and those with its pending operations."""
        ours = (operation for operation in self.increment.pending if operation.op == self.entry.id)
        pending = {(operation.tracker, operation.item) for operation in ours}
        left = (link for link in self.increment.links if (link.tracker, link.key) in pending)
        return (*(item.link for item in self.entry.synced_to), *left)


@dataclass(frozen=True, slots=True)
class ReopenFilter:
    """The reopens to list: by this person, with an item on this tracker."""

    since: datetime | None = None
    until: datetime | None = None
    by: str | None = None
    tracker: str | None = None

    def admits(self, reopen: Reopen) -> bool:
        at, by = reopen.entry.reopened_at, reopen.entry.reopened_by
        return (
            (self.since is None or at >= self.since)
            and (self.until is None or at <= self.until)
            and (self.by is None or by.casefold() == self.by.casefold())
            and (self.tracker is None or any(item.tracker == self.tracker for item in reopen.items))
        )


@dataclass(frozen=True, slots=True)
class ReopenedIncrement:
    """An increment, or an item alone, with its reopens, the oldest first."""

    increment: Increment
    reopens: tuple[Reopen, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Lengths of time, in seconds: how many, minimum, median, 90th percentile, maximum."""

    count: int
    least: float
    median: float
    p90: float
    most: float


@dataclass(frozen=True, slots=True)
class ReopenStatistics:
    """The listed reopens, by time; the other figures ignore undone ones.

    Args:
        increments: the number of increments, without items.
        completed: the number of increments that were ever completed.
    """

    listed: tuple[Reopen, ...]
    increments: int
    completed: int

    @property
    def reopens(self) -> tuple[Reopen, ...]:
        return tuple(reopen for reopen in self.listed if reopen.entry.reverted_at is None)

    @property
    def rate(self) -> float | None:
        """The share of the completed increments that have a listed reopen."""
        return round(self.reopened / self.completed, 4) if self.completed else None

    @property
    def reopened(self) -> int:
        """The number of increments with a listed reopen."""
        return sum(not each.increment.is_item for each in self.most_reopened)

    @property
    def items(self) -> int:
        """The number of items with a listed reopen of the item alone."""
        return len(self.most_reopened) - self.reopened

    @property
    def by_month(self) -> dict[str, int]:
        """The number of reopens in each month that had any ("2025-11")."""
        counts = Counter(f"{reopen.entry.reopened_at:%Y-%m}" for reopen in self.reopens)
        return dict(sorted(counts.items()))

    @property
    def by_category(self) -> dict[str | None, int]:
        """The number for each kind of reason; None where none was named."""
        counts = Counter(reopen.entry.category for reopen in self.reopens)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))

    @property
    def by_tracker(self) -> dict[str | None, int]:
        """The number with an item on each tracker; None for those without any item."""
        counts: Counter[str | None] = Counter()
        for reopen in self.reopens:
            trackers: set[str | None] = {item.tracker for item in reopen.items}
            counts.update(trackers or {None})
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))

    @property
    def to_reopen(self) -> Span | None:
        """From a completion to the reopen."""
        return _span(reopen.seconds_to_reopen for reopen in self.reopens)

    @property
    def to_completion(self) -> Span | None:
        """From a reopen to the next completion."""
        return _span(reopen.seconds_to_completion for reopen in self.reopens)

    @property
    def most_reopened(self) -> tuple[ReopenedIncrement, ...]:
        """The increments and items that were reopened, the most reopened first."""
        groups: dict[str, list[Reopen]] = {}
        for reopen in self.reopens:
            groups.setdefault(reopen.increment.id, []).append(reopen)
        reopened = [
            ReopenedIncrement(group[0].increment, tuple(group)) for group in groups.values()
        ]
        return tuple(sorted(reopened, key=lambda entry: (-len(entry.reopens), entry.increment.id)))


def reopen_statistics(
    increments: Iterable[Increment], wanted: ReopenFilter | None = None
) -> ReopenStatistics:
    """List the reopens of increments, and of items by their records.

    A reopen of an item alone that was withdrawn or superseded did not happen.

    It reads each once, and keeps only those with a reopen.
    """
    wanted = wanted or ReopenFilter()
    listed: list[Reopen] = []
    count = completed = 0
    for increment in increments:
        if not increment.is_item:
            count += 1
            completed += bool(increment.reopens) or increment.status is Status.COMPLETED
        listed += filter(wanted.admits, _reopens(increment))
    # In one second in the order of the file: ids tell none.
    listed.sort(key=lambda reopen: reopen.entry.reopened_at)
    return ReopenStatistics(tuple(listed), count, completed)


def _reopens(increment: Increment) -> Iterator[Reopen]:
    entries = sorted(increment.reopens, key=lambda entry: entry.reopened_at)
    # A later reopen has the completion time in between; a reopen by another clone does not.
    times = [read_stamp(entry.previous_completed_at) for entry in entries]
    times.append(increment.completed_at if increment.status is Status.COMPLETED else None)
    for place, (entry, before) in enumerate(zip(entries, times, strict=False)):
        is_effective = not increment.is_item or outcome_of(increment, entry).counts
        if entry.reverted_at is None and not is_effective:
            continue
        at, later = entry.reopened_at, (time for time in times[place + 1 :] if time != before)
        again = min((time for time in later if time is not None and time >= at), default=None)
        yield Reopen(
            increment,
            entry,
            before if before is not None and before <= at else None,
            again if entry.reverted_at is None else None,
        )


def _seconds(start: datetime | None, end: datetime | None) -> int | None:
    return None if start is None or end is None else round((end - start).total_seconds())


def _span(seconds: Iterable[int | None]) -> Span | None:
    measured = [value for value in seconds if value is not None]
    if not measured:
        return None
    ninth = quantiles(measured, n=10, method="inclusive")[-1] if len(measured) > 1 else measured[0]
    return Span(len(measured), min(measured), median(measured), ninth, max(measured))
