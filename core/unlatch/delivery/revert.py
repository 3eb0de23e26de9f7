"""Plan the undo of a reopen on one item, also of a reopen that was delivered in part.

The state that the reopen found is in metadata.json (`pending[].attempt.before`, then
`syncedTo...items[].before`); older versions recorded it in the events.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.delivery.changes import build_change, remaining_labels
from unlatch.increments.model.increment import Link, ReopenEntry, SyncedItem
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import same_item
from unlatch.spi.item import Category, RemoteItem
from unlatch.spi.operation import Change, Goal, Kind, Operation, Result, SeenItem

if TYPE_CHECKING:
    from unlatch.delivery.task import DeliveryTask

# No other result shows which state the reopen found.
_CONCLUSIVE = (Result.REOPENED.value, Result.ALREADY_OPEN.value)


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """The undo of a reopen on one item.

    Args:
        change: the change to write; None to leave the item as it is.
        note: a remark for the user.
        undecided: why a person has to decide.
    """

    change: Change | None
    note: str | None = None
    undecided: str | None = None


@dataclass(frozen=True, slots=True)
class _Reopen:
    """A reopen as it is recorded for one item.

    Args:
        before: the item as the reopen found it; None if that is unknown.
        after: the item as the reopen left it; None if it was not delivered as a whole.
        added: labels that it added, or intended to add.
        removed: labels that it removed, or intended to remove.
    """

    before: SeenItem | None
    after: SeenItem | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def plan_revert(task: DeliveryTask, undo: Change, item: RemoteItem) -> RevertPlan:
    """Plan the change that takes a reopen back, for the item as it is now.

    Args:
        undo: the undo's comment, without state and labels.
    """
    operation = task.operation
    entry = next((one for one in task.increment.reopens if one.revert == operation.op), None)
    delivered = _delivered(task, entry, item) if entry else None

    def is_announced() -> bool:
        """Whether the undo needs its comment: it has a reason, or the reopen was commented."""
        if delivered is not None or operation.reason:
            return True
        return entry is not None and bool(task.plugin.find_comments(item.ref, entry.id))

    if not operation.state:
        # A later change of status decides about the state; the comment stays due.
        return RevertPlan(undo if is_announced() else None)
    if entry is None:
        return _undecided("the reopen that it takes back is not in the history", item)
    reopen = delivered or _partial(task, entry, undo)
    if reopen.before is None or reopen.before.category is None:
        return _undecided("the state that the reopen found is not recorded", item)
    found_closed = not reopen.before.category.is_open
    if found_closed and (needed := task.needed_by()):
        return RevertPlan(None, f"left as it is: {', '.join(needed)} needs it")
    if reopen.after is not None and item.category.is_open and item.state != reopen.after.state:
        return RevertPlan(None, f"left as it is: its state is {item.state} now")
    labels = replace(undo, add_labels=reopen.removed, remove_labels=reopen.added)
    add, remove = remaining_labels(labels, item.labels)
    dropped = reopen.before.category is Category.DROPPED
    close = Goal.NOT_PLANNED if dropped else Goal.COMPLETED
    change = replace(
        undo,
        goal=close if found_closed and item.category.is_open else None,
        comment=undo.comment if is_announced() else None,
        add_labels=add,
        remove_labels=remove,
    )
    stays = not found_closed and item.category.is_open
    return RevertPlan(change, "it stays open, as the reopen found it" if stays else None)


def _undecided(why: str, item: RemoteItem) -> RevertPlan:
    if not item.category.is_open:
        return RevertPlan(None)
    return RevertPlan(None, undecided=f"it is left {item.state}: {why}")


def _delivered(task: DeliveryTask, entry: ReopenEntry, item: RemoteItem) -> _Reopen | None:
    """Return a reopen that is recorded as delivered to the item."""
    synced = _synced(entry, item)
    if synced is not None and synced.before is not None:
        return _Reopen(synced.before, synced.after, synced.labels_added, synced.labels_removed)
    return _from_events(task, entry, item) or (_Reopen(None) if synced else None)


def _partial(task: DeliveryTask, entry: ReopenEntry, undo: Change) -> _Reopen:
    """Return a reopen that was not delivered as a whole, with the labels that it intended."""
    operation = task.operation
    before = operation.attempt.before if operation.attempt else None
    if before is None:
        return _Reopen(None)
    reopen = Operation(entry.id, Kind.REOPEN, operation.tracker, operation.item, operation.at)
    intended = build_change(reopen, task.increment, task.config, undo.options)
    intended = replace(intended, labels_match_case=undo.labels_match_case)
    return _Reopen(before, None, *remaining_labels(intended, before.labels))


def _synced(entry: ReopenEntry, item: RemoteItem) -> SyncedItem | None:
    here = Link(item.ref.tracker, item.ref.id, item.ref.url)
    return next((one for one in entry.synced_to if same_item(here, one.link)), None)


def _from_events(task: DeliveryTask, entry: ReopenEntry, item: RemoteItem) -> _Reopen | None:
    """Return a reopen as older versions recorded it; None if no event shows the state found."""
    keys = {item.ref.url, task.operation.item}
    events = [
        event
        for event in read_events(task.increment.folder)
        if isinstance(event, Delivered) and event.op == entry.id and event.item in keys
    ]
    conclusive = [event for event in events if event.result in _CONCLUSIVE]
    if not conclusive:
        return None
    reopened = [event for event in conclusive if event.result == Result.REOPENED]
    first = next((event for event in reopened if event.before), (reopened or conclusive)[0])
    return _Reopen(
        first.before,
        events[-1].after,
        tuple(dict.fromkeys(label for event in events for label in event.labels_added)),
        tuple(dict.fromkeys(label for event in events for label in event.labels_removed)),
    )
