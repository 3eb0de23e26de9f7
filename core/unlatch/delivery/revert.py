"""Plan the undo of a reopen on one item, also of a reopen that was delivered in part.

The state that the reopen found is in metadata.json (`pending[].attempt.before`, then
`syncedTo...items[].before`); older versions recorded it in the events.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.tables import CommentStyle
from unlatch.delivery.changes import build_change, remaining_labels
from unlatch.increments.model.increment import ReopenEntry, SyncedItem
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import same_item
from unlatch.spi.item import Category, RemoteItem
from unlatch.spi.operation import Change, Goal, Kind, Operation, Result

if TYPE_CHECKING:
    from unlatch.delivery.task import DeliveryTask

# No other result shows which state the reopen found.
_CONCLUSIVE = (Result.REOPENED.value, Result.ALREADY_OPEN.value)


def plan_revert(task: DeliveryTask, undo: Change, item: RemoteItem) -> Change | None:
    """Plan the change that takes a reopen back, for the item as it is now.

    `undo` is its comment, without state and labels. None leaves the item as it is. The task
    receives the remarks for the user, and why a person has to decide.
    """
    operation, there = task.operation, SyncedItem(item.ref.tracker, item.ref.id, item.ref.url)
    entry = next((one for one in task.increment.reopens if one.revert == operation.op), None)
    delivered = _delivered(task, entry, there) if entry else None
    task.undecided = None

    def is_announced() -> bool:
        """Whether the undo needs its comment: it has a reason, or the reopen was commented."""
        if delivered is not None or operation.reason:
            return True
        return entry is not None and bool(task.plugin.find_comments(item.ref, entry.id))

    if not operation.state:
        # A later change of status decides about the state; the comment stays due.
        return undo if is_announced() else None
    if entry is None:
        _leave(task, "the reopen that it takes back is not in the history", item)
        return None
    reopen = delivered or _partial(task, entry, undo, there)
    if reopen.before is None or reopen.before.category is None:
        _leave_unknown(task, entry, delivered, item)
        return None
    found_closed = not reopen.before.category.is_open
    if found_closed and (needed := task.needed_by()):
        task.remark(f"left as it is: {', '.join(needed)} needs it")
        return None
    if reopen.after is not None and item.category.is_open and item.state != reopen.after.state:
        task.remark(f"left as it is: its state is {item.state} now")
        return None
    labels = replace(undo, add_labels=reopen.labels_removed, remove_labels=reopen.labels_added)
    add, remove = remaining_labels(labels, item.labels)
    dropped = reopen.before.category is Category.DROPPED
    close = Goal.NOT_PLANNED if dropped else Goal.COMPLETED
    goal = close if found_closed and item.category.is_open else None
    comment = undo.comment if is_announced() else None
    if reopen.before.resolved:
        _leave(task, f"the reopen moved it from {reopen.before.state}", item)
    elif not found_closed and item.category.is_open:
        task.remark("it stays open, as the reopen found it")
    return replace(undo, goal=goal, comment=comment, add_labels=add, remove_labels=remove)


def _leave_unknown(
    task: DeliveryTask, entry: ReopenEntry, delivered: SyncedItem | None, item: RemoteItem
) -> None:
    """Leave an item whose state before the reopen is not known."""
    if not item.category.is_open:
        return
    if _was_sent(task, entry, delivered, item):
        _leave(task, "unlatch did not record whether it was open before the reopen", item)
    else:
        task.remark("stays open: the reopen was not sent to it")


def _was_sent(
    task: DeliveryTask, entry: ReopenEntry, delivered: SyncedItem | None, item: RemoteItem
) -> bool:
    """Whether any clone may have sent a reopen to an item."""
    is_recorded = delivered is not None or task.operation.attempt is not None
    if is_recorded or _events(task, entry, item.ref.url):
        return True
    # Without a comment, nothing on the item shows whether another clone has sent it.
    is_silent = (task.options.comment or task.config.comment) == CommentStyle.NONE
    return is_silent or bool(task.plugin.find_comments(item.ref, entry.id))


def _leave(task: DeliveryTask, why: str, item: RemoteItem) -> None:
    if item.category.is_open:
        state = "" if item.state.casefold() == "open" else f" ({item.state})"
        task.undecided = f"left open{state}: {why}"
        task.remark(task.undecided)


def _delivered(task: DeliveryTask, entry: ReopenEntry, there: SyncedItem) -> SyncedItem | None:
    """Return a reopen that is recorded as delivered to an item."""
    synced = next((one for one in entry.synced_to if same_item(there.link, one.link)), None)
    if synced is not None and synced.before is not None:
        return synced
    return _from_events(task, entry, there) or (there if synced else None)


def _partial(task: DeliveryTask, entry: ReopenEntry, undo: Change, there: SyncedItem) -> SyncedItem:
    """Return a reopen that was not delivered as a whole, with the labels that it intended."""
    operation = task.operation
    before = operation.attempt.before if operation.attempt else None
    if before is None:
        return there
    reopen = Operation(entry.id, Kind.REOPEN, operation.tracker, operation.item, operation.at)
    intended = build_change(reopen, task.increment, task.config, undo.options)
    intended = replace(intended, labels_match_case=undo.labels_match_case)
    added, removed = remaining_labels(intended, before.labels)
    return replace(there, before=before, labels_added=added, labels_removed=removed)


def _events(task: DeliveryTask, entry: ReopenEntry, url: str) -> list[Delivered]:
    """Return the events of the deliveries of a reopen to an item."""
    keys = {url, task.operation.item}
    return [
        event
        for event in read_events(task.increment.folder)
        if isinstance(event, Delivered) and event.op == entry.id and event.item in keys
    ]


def _from_events(task: DeliveryTask, entry: ReopenEntry, there: SyncedItem) -> SyncedItem | None:
    """Return a reopen as older versions recorded it; None if no event shows the state found."""
    events = _events(task, entry, there.url)
    conclusive = [event for event in events if event.result in _CONCLUSIVE]
    if not conclusive:
        return None
    reopened = [event for event in conclusive if event.result == Result.REOPENED]
    first = next((event for event in reopened if event.before), (reopened or conclusive)[0])
    return replace(
        there,
        before=first.before,
        after=events[-1].after,
        labels_added=tuple(dict.fromkeys(one for event in events for one in event.labels_added)),
        labels_removed=tuple(
            dict.fromkeys(one for event in events for one in event.labels_removed)
        ),
    )
