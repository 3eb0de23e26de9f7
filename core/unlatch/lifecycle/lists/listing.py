"""The increments of a list: filtered, sorted and counted."""

from __future__ import annotations

import unicodedata
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.status import Status
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.increments.model.limits import Limits
    from unlatch.increments.model.matching import Condition
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.collection import Folder

Listed = Increment | BrokenIncrement
# Longer lists are kept between runs (`known_rows`): shorter ones take a few milliseconds.
WORTH_IT = 500


class Order(StrEnum):
    """The keys to sort by; without a key the order is that of the folders, the archive last."""

    ID = "id"
    CREATED = "created"
    ACTIVITY = "activity"
    STATUS = "status"
    TITLE = "title"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class Filters:
    """What all listed increments fulfil; an increment that cannot be read fulfils no filter.

    Args:
        words: each is in the title, the id, or the reason of a reopen, without case.
        since: the last activity is not before it.
        stale: without activity for longer than these limits allow.
    """

    conditions: Sequence[Condition] = ()
    words: str = ""
    since: datetime | None = None
    stale: Limits | None = None

    def __bool__(self) -> bool:
        return bool(self.conditions or self.words or self.since or self.stale)

    def hold(self, increment: Increment, now: datetime) -> bool:
        # The title is the last: it may have to be read from spec.md.
        return (
            all(condition.holds(increment) for condition in self.conditions)
            and self._is_recent(increment)
            and self._is_stale(increment, now)
            and self._has_words(increment)
        )

    def _is_recent(self, increment: Increment) -> bool:
        last = increment.last_activity or increment.created
        return self.since is None or (last is not None and last >= self.since)

    def _is_stale(self, increment: Increment, now: datetime) -> bool:
        if self.stale is None:
            return True
        from unlatch.increments.model.limits import is_stale  # noqa: PLC0415  (rarely needed)

        return is_stale(increment, self.stale, now)

    def _has_words(self, increment: Increment) -> bool:
        if not self.words:
            return True
        text = folded(
            "\n".join(
                (increment.id, increment.title, *(entry.reason for entry in increment.reopens))
            )
        )
        return all(word in text for word in folded(self.words).split())


@dataclass(slots=True)
class Listing:
    """The increments in some folders; iterate over it once, then read the counts.

    Args:
        complete: whether the project has no others.
        limit: the number of increments to yield; all by default.
        matched: the number of increments that the filters select.
        left_out: increments that cannot be read, if there are filters.
    """

    workspace: Workspace
    folders: Sequence[Folder]
    complete: bool
    filters: Filters = field(default_factory=Filters)
    order: Order | None = None
    reverse: bool = False
    limit: int | None = None
    matched: int = 0
    left_out: list[BrokenIncrement] = field(default_factory=list)

    def __iter__(self) -> Iterator[Listed]:
        matches: Iterable[Listed] = self._matching()
        if self.order or self.reverse:
            matches = _sorted([*matches], self.order or Order.ID, reverse=self.reverse)
        for increment in matches:
            self.matched += 1
            if self.limit is None or self.matched <= self.limit:
                yield increment

    def _matching(self) -> Iterator[Listed]:
        now = self.workspace.clock()
        for increment in each_listed(self.workspace, self.folders, complete=self.complete):
            if not self.filters:
                yield increment
            elif isinstance(increment, BrokenIncrement):
                self.left_out.append(increment)
            elif self.filters.hold(increment, now):
                yield increment


def each_listed(
    workspace: Workspace, folders: Sequence[Folder], *, complete: bool
) -> Iterator[Listed]:
    """The increments in some folders, to be shown; many are known from an earlier command.

    Args:
        complete: whether the project has no others.
    """
    manager = workspace.manager
    if len(folders) < WORTH_IT:
        return manager.each(folders)
    from unlatch.lifecycle.lists.known_rows import INCREMENTS, KnownRows  # noqa: PLC0415  (for long lists)

    rows = KnownRows(manager.paths.root, manager.shapes, INCREMENTS)
    # What is known does not show that an increment names items of such a plugin.
    is_sound = not workspace.registry.known_broken
    return rows.each(folders, complete=complete) if is_sound else manager.each(folders)


def folded(text: str) -> str:
    """A text as it is compared: one form of each character, without case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


_RANKS = {status: rank for rank, status in enumerate(Status)}
_KEYS: Mapping[Order, Callable[[Any], Any]] = {
    Order.ID: lambda increment: increment.id,
    Order.CREATED: lambda increment: increment.created,
    Order.ACTIVITY: lambda increment: increment.last_activity or increment.created,
    Order.STATUS: lambda increment: _RANKS[increment.status],
    Order.TITLE: lambda increment: folded(increment.title),
    Order.REOPENED: lambda increment: increment.effective_reopens,
}


def _sorted(matches: Sequence[Listed], order: Order, *, reverse: bool) -> list[Listed]:
    """Sorted by a key; those that lack it are the last, and equal ones keep their order."""
    key = _KEYS[order]
    keyed: list[tuple[Any, Listed]] = []
    others: list[Listed] = []
    for increment in matches:
        value = (
            None
            if order is not Order.ID and isinstance(increment, BrokenIncrement)
            else key(increment)
        )
        if value is None:
            others.append(increment)
        else:
            keyed.append((value, increment))
    keyed.sort(key=lambda pair: pair[0], reverse=reverse)
    return [*(increment for _, increment in keyed), *others]
