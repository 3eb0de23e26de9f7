"""Plan the undo of a reopen on one item, also of a reopen that was delivered in part."""

from collections.abc import Sequence
from dataclasses import replace

from unlatch.config.choices import CommentStyle
from unlatch.delivery.changes import remaining_labels
from unlatch.delivery.reopen_effect import (
    combine,
    delivered_events,
    delivered_reopen,
    found_closed,
    opened_by_another,
    partial_reopen,
)
from unlatch.delivery.task import DeliveryTask
from unlatch.increments.model.increment import ReopenEntry, SyncedItem
from unlatch.spi.change import Change, Goal
from unlatch.spi.item import RemoteItem
from unlatch.spi.operation import Category, Kind, SeenItem


def plan_revert(task: DeliveryTask, undo: Change, item: RemoteItem) -> Change | None:
    """Plan the change that takes a reopen back, for the item as it is now.

    Several reopens that git merged are undone as one. `undo` is its comment, without state and
    labels. None leaves the item as it is. The task receives the remarks for the user, and why a
    person has to decide.
    """
    operation, there = task.operation, SyncedItem(item.ref.tracker, item.ref.id, item.ref.url)
    entries = [one for one in task.increment.reopens if one.revert == operation.op]
    found = [delivered_reopen(task, entry, there) for entry in entries]
    delivered = [one for one in found if one is not None]
    task.undecided, task.is_kept_open = None, False

    def is_announced() -> bool:
        """Whether the undo needs its comment: it has a reason, or the reopen was commented."""
        return bool(delivered or operation.reason) or _is_commented(task, entries, item)

    if not operation.state:
        # A later change of status decides about the state; the comment stays due.
        return undo if is_announced() else None
    if not entries:
        _leave(task, "the reopen that it takes back is not in the history", item)
        return None
    partial = [partial_reopen(task, entries[-1], undo, there)] if None in found else []
    reopen = combine([*delivered, *partial])
    needed = task.needed_by()
    if not needed and not found_closed(reopen) and (first := opened_by_another(task, reopen)):
        reopen = combine([first, reopen])
    if reopen.before is None or reopen.before.category is None:
        _leave_unknown(task, entries, item, is_recorded=bool(delivered))
        return None
    if found_closed(reopen) and needed:
        task.remark(f"left as it is: {', '.join(needed)} needs it")
        return None
    if _is_changed(task, reopen, item):
        task.remark(f"left as it is: its state is {item.state} now")
        return None
    undo = undo if is_announced() else replace(undo, comment=None)
    return _take_back(task, reopen, reopen.before, undo, item)


def is_undo_of_unsent(task: DeliveryTask) -> bool:
    """Whether an operation undoes reopens that no clone is known to have sent to the item.

    An attempt without the item's state ended before anything was written.
    """
    operation, ref = task.operation, task.ref
    if operation.kind is not Kind.UNDO or ref is None:
        return False
    attempt, there = operation.attempt, SyncedItem(ref.tracker, ref.id, ref.url)
    if attempt and (attempt.is_open or attempt.before):
        return False
    entries = [one for one in task.increment.reopens if one.revert == operation.op]
    return not any(
        delivered_reopen(task, one, there) or delivered_events(task, one, ref.url)
        for one in entries
    )


def _take_back(
    task: DeliveryTask, reopen: SyncedItem, before: SeenItem, undo: Change, item: RemoteItem
) -> Change:
    labels = replace(undo, add_labels=reopen.labels_removed, remove_labels=reopen.labels_added)
    add, remove = remaining_labels(labels, item.labels)
    is_dropped = before.category is Category.DROPPED
    close = Goal.NOT_PLANNED if is_dropped else Goal.COMPLETED
    goal = close if found_closed(reopen) and item.category.is_open else None
    if before.resolved:
        _leave(task, f"the reopen moved it from {before.state}", item)
    elif goal is None and item.category.is_open:
        task.is_kept_open = True
        task.remark("it stays open, as the reopen found it")
    return replace(undo, goal=goal, add_labels=add, remove_labels=remove)


def _is_changed(task: DeliveryTask, reopen: SyncedItem, item: RemoteItem) -> bool:
    """Whether others changed the state since the reopen.

    Once the undo may have been sent, an item that is closed may be its own work.
    """
    if reopen.after is None or item.state == reopen.after.state:
        return False
    attempt = task.operation.attempt
    has_begun = attempt is not None and (attempt.number > 0 or attempt.cause is not None)
    return item.category.is_open or not (has_begun or task.markers)


def _is_commented(task: DeliveryTask, entries: Sequence[ReopenEntry], item: RemoteItem) -> bool:
    return any(task.plugin.find_comments(item.ref, entry.id) for entry in entries)


def _leave_unknown(
    task: DeliveryTask, entries: Sequence[ReopenEntry], item: RemoteItem, *, is_recorded: bool
) -> None:
    """Leave an item whose state before the reopen is not known."""
    if not item.category.is_open:
        return
    if is_recorded or _was_sent(task, entries, item):
        _leave(task, "unlatch did not record whether it was open before the reopen", item)
    else:
        task.remark("stays open: the reopen was not sent to it")


def _was_sent(task: DeliveryTask, entries: Sequence[ReopenEntry], item: RemoteItem) -> bool:
    """Whether any clone may have sent a reopen to an item."""
    if task.operation.attempt is not None:
        return True
    if any(delivered_events(task, entry, item.ref.url) for entry in entries):
        return True
    # Without a comment, nothing on the item shows whether another clone has sent it.
    is_silent = (task.options.comment or task.config.comment) == CommentStyle.NONE
    return is_silent or _is_commented(task, entries, item)


def _leave(task: DeliveryTask, why: str, item: RemoteItem) -> None:
    if item.category.is_open:
        state = "" if item.state.casefold() == "open" else f" ({item.state})"
        task.undecided = f"left open{state}: {why}"
        task.remark(task.undecided)
