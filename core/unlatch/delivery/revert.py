"""Undoing a reopen on one item: what the reopen did is taken back, also if it did half of it.

What the reopen found is noted in metadata.json (`pending[].attempt.before`, then
`syncedTo...items[].before`); the events of older versions say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.delivery.changes import build_change
from unlatch.increments.files.events import read_events
from unlatch.increments.model.increment import Link, SyncedItem
from unlatch.increments.records.links import same_item
from unlatch.increments.records.operation import read_seen
from unlatch.spi.item import Category
from unlatch.spi.operation import Change, Goal, Kind, Operation, Result, SeenItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.config.config import CoreConfig
    from unlatch.increments.files.events import Event
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.spi.item import RemoteItem

# Any other result says nothing about the state that the reopen found.
_TELLING = (Result.REOPENED.value, Result.ALREADY_OPEN.value)


@dataclass(frozen=True, slots=True)
class Revert:
    """What undoing comes to for one item.

    Args:
        change: what to write; None to leave the item as it is.
        note: what a person should know.
        undecided: what cannot be decided, so that a person has to.
    """

    change: Change | None
    note: str | None = None
    undecided: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What a reopen did to an item.

    Args:
        before: the item as the reopen found it; None if that is not known.
        after: the item as the reopen left it; None if it was not delivered as a whole.
        added: labels that it added, or meant to.
        removed: labels that it removed, or meant to.
        delivered: whether it was delivered as a whole.
    """

    before: SeenItem | None
    after: SeenItem | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    delivered: bool = False


def entry_undone_by(increment: Increment, op: str) -> ReopenEntry | None:
    """The reopen that the undo `op` takes back."""
    return next((entry for entry in increment.reopens if entry.revert == op), None)


def plan_revert(
    increment: Increment,
    operation: Operation,
    item: RemoteItem,
    said: Change,
    *,
    config: CoreConfig,
    reopen_commented: Callable[[], bool],
    needed_by: Callable[[], tuple[str, ...]],
) -> Revert:
    """What takes back what a reopen did to an item, as the item is now.

    Args:
        said: the undo's comment, without state and labels.
        reopen_commented: whether the reopen's own comment is on the item.
        needed_by: other unfinished increments that need the item.
    """
    entry = entry_undone_by(increment, operation.op)
    if not operation.state:
        # A later change of status decides about the state; the comment stays due.
        delivered = entry is not None and _trace(increment, entry, item, operation.item) is not None
        is_said = delivered or operation.reason or reopen_commented()
        return Revert(said if is_said else None)
    if entry is None:
        return _undecided("the reopen that it takes back is not in the history", item)
    trace = _trace(increment, entry, item, operation.item) or _half(
        increment, entry, operation, config=config, said=said
    )
    if trace.before is None or trace.before.category is None:
        return _undecided("what the reopen found there is not recorded", item)
    opened = not trace.before.category.is_open
    if opened and (needed := needed_by()):
        return Revert(None, f"left as it is: {', '.join(needed)} needs it")
    if trace.after is not None and item.category.is_open and item.state != trace.after.state:
        return Revert(None, f"left as it is: its state is {item.state} now")
    change = replace(
        _relabelled(said, trace, item),
        goal=_goal(trace.before.category) if opened and item.category.is_open else None,
        comment=said.comment if trace.delivered or operation.reason or reopen_commented() else None,
    )
    stays = not opened and item.category.is_open
    return Revert(change, "it stays open, as the reopen found it" if stays else None)


def _relabelled(said: Change, trace: Trace, item: RemoteItem) -> Change:
    """The change with the labels that take back those of the reopen."""
    key = said.label_key
    there = {key(label) for label in item.labels}
    return replace(
        said,
        add_labels=tuple(one for one in trace.removed if key(one) not in there),
        remove_labels=tuple(one for one in trace.added if key(one) in there),
    )


def _undecided(why: str, item: RemoteItem) -> Revert:
    if not item.category.is_open:
        return Revert(None)
    return Revert(None, undecided=f"it is left {item.state}: {why}")


def _goal(category: Category) -> Goal:
    return Goal.NOT_PLANNED if category is Category.DROPPED else Goal.COMPLETED


def _trace(increment: Increment, entry: ReopenEntry, item: RemoteItem, key: str) -> Trace | None:
    """What a reopen did to an item, where it is recorded as delivered."""
    synced = _synced(entry, item)
    if synced is not None and synced.before is not None:
        added, removed = synced.labels_added, synced.labels_removed
        return Trace(synced.before, synced.after, added, removed, delivered=True)
    by_events = _by_events(increment, entry, item, key)
    if by_events is None and synced is not None:
        return Trace(None, delivered=True)
    return by_events


def _half(
    increment: Increment,
    entry: ReopenEntry,
    operation: Operation,
    *,
    config: CoreConfig,
    said: Change,
) -> Trace:
    """A reopen that was not delivered as a whole: what it meant to do, and perhaps did."""
    before = operation.attempt.before if operation.attempt else None
    if before is None:
        return Trace(None)
    reopen = Operation(entry.id, Kind.REOPEN, operation.tracker, operation.item, operation.at)
    meant = build_change(reopen, increment, config, said.options)
    had = {said.label_key(label) for label in before.labels}
    return Trace(
        before,
        added=tuple(one for one in meant.add_labels if said.label_key(one) not in had),
        removed=tuple(one for one in meant.remove_labels if said.label_key(one) in had),
    )


def _synced(entry: ReopenEntry, item: RemoteItem) -> SyncedItem | None:
    here = Link(item.ref.tracker, item.ref.id, item.ref.url)
    found = (one for one in entry.synced_to if one.tracker == here.tracker)
    return next((one for one in found if same_item(here, Link(*_key(one)))), None)


def _key(synced: SyncedItem) -> tuple[str, str, str]:
    return synced.tracker, synced.item, synced.url


def _by_events(
    increment: Increment, entry: ReopenEntry, item: RemoteItem, key: str
) -> Trace | None:
    """What the events say, which older versions relied on; None if they do not say it."""
    keys = {item.ref.url, key}
    events = [
        event
        for event in read_events(increment.folder)
        if (event["event"], event.get("op")) == ("delivered", entry.id)
        and event.get("item") in keys
    ]
    telling = [event for event in events if event.get("result") in _TELLING]
    if not telling:
        return None
    reopened = [e for e in telling if e.get("result") == Result.REOPENED.value]
    opening = next((e for e in reopened if read_seen(e.get("before"))), (reopened or telling)[0])
    return Trace(
        read_seen(opening.get("before")),
        read_seen(events[-1].get("after")),
        _labels(events, "labelsAdded"),
        _labels(events, "labelsRemoved"),
        delivered=True,
    )


def _labels(events: list[Event], key: str) -> tuple[str, ...]:
    listed: list[Any] = [label for event in events for label in event.get(key, ())]
    return tuple(dict.fromkeys(str(label) for label in listed))
