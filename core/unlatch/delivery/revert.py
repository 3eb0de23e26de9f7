"""The effect of reopens on one item, as the files record it, and the undo of a reopen.

The state that a reopen found is in metadata.json (`pending[].attempt.before`, then
`syncedTo...items[].before`); the events of another clone have it, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from unlatch.config.choices import CommentStyle
from unlatch.delivery.changes import build_change, remaining_labels
from unlatch.delivery.task import DeliveryTask
from unlatch.errors import UnlatchError
from unlatch.increments.files.new_item import find_record
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import ReopenEntry, SyncedItem
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import same_item
from unlatch.spi.change import Change, Goal, Result
from unlatch.spi.item import RemoteItem
from unlatch.spi.operation import Category, Kind, Operation, SeenItem
from unlatch.worklog.event_log import in_order

# No other result shows which state the reopen found.
_CONCLUSIVE = (Result.REOPENED.value, Result.ALREADY_OPEN.value)
_CHANGES_STATE = (Result.REOPENED.value, Result.CLOSED.value, Result.ALREADY_CLOSED.value)


def found_closed(reopen: SyncedItem) -> bool:
    """Whether a reopen is known to have found its item closed."""
    category = reopen.before.category if reopen.before else None
    return category is not None and not category.is_open


def combine(reopens: Sequence[SyncedItem]) -> SyncedItem:
    """Return several reopens of an item as one: as the first found it and the last left it."""
    restorable = [reopen for reopen in reopens if reopen.before]
    first = next(filter(found_closed, restorable), (restorable or reopens)[0])
    return replace(
        first,
        after=next((reopen.after for reopen in reversed(reopens) if reopen.after), None),
        labels_added=_union(reopen.labels_added for reopen in reopens),
        labels_removed=_union(reopen.labels_removed for reopen in reopens),
    )


def delivered_reopen(
    task: DeliveryTask, entry: ReopenEntry, there: SyncedItem
) -> SyncedItem | None:
    """Return a reopen that is recorded as delivered to an item."""
    synced = next((item for item in entry.synced_to if same_item(there.link, item.link)), None)
    if synced is not None and synced.before is not None:
        reopen = _with_retried(task, entry, synced)
        if found_closed(reopen):
            return reopen
        # Another clone may have opened it, whose record an older version has merged away.
        events = _from_events(task, entry, there)
        return combine([reopen, events]) if events else reopen
    return _from_events(task, entry, there) or (there if synced else None)


def partial_reopen(
    task: DeliveryTask, entry: ReopenEntry, undo: Change, there: SyncedItem
) -> SyncedItem:
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


def opened_by_another(task: DeliveryTask, reopen: SyncedItem) -> SyncedItem | None:
    """Return the reopen of another increment that opened the item, which ours found open.

    That increment is finished, and left the item open because ours needed it. None if unlatch has
    closed the item since, or ours found it in another state than that reopen left it.
    """
    names = task.run.shared.others(task.link, apart=task.increment.id)
    changes = {event.id: event for event in _state_changes(task, task.increment)}
    openings: dict[str, Delivered] = {}
    for name in names:
        with suppress(UnlatchError):  # unreadable events are no evidence
            other = task.manager.read(name)
            others_changes = {event.id: event for event in _state_changes(task, other)}
            changes |= others_changes
            ops = {entry.id for entry in other.reopens}
            openings |= {id_: event for id_, event in others_changes.items() if event.op in ops}
    last = next(reversed(in_order(changes.values())), None)
    if last is None or last.id not in openings or last.result != Result.REOPENED:
        return None
    if reopen.before and last.after and reopen.before.state != last.after.state:
        return None
    return _synced(reopen, [last])


def reopened_alone(task: DeliveryTask) -> str | None:
    """The last reopen of an increment's item alone, if it was for the same reason.

    It was delivered as an operation on the items of a tracker, or on the item by its own record.
    """
    operation, entries = task.operation, task.increment.reopens
    if task.increment.is_item or operation.kind is not Kind.REOPEN:
        return None
    reason = next((entry.reason for entry in entries if entry.id == operation.op), None)
    reason = operation.reason or reason
    with suppress(UnlatchError):  # unreadable records are no evidence
        deliveries = _deliveries(task, task.increment, task.ref.url if task.ref else operation.item)
        changes = [
            event for event in deliveries if event.result in _CHANGES_STATE or _has_opened(event)
        ]
        last = changes[-1] if changes else None
        if last and (last.kind, last.reason) == (Kind.REOPEN, reason):
            return last.op
        record = find_record(task.run.workspace.beside, task.link)
        alone = record.reopens[-1] if record and record.reopens else None
        if alone and alone.reason == reason and alone.reverted_at is None:
            return alone.id
    return None


def _has_opened(event: Delivered) -> bool:
    """Whether a reopen opened its item before a later command struck its state part."""
    if event.result != Result.STATE_KEPT or event.kind != Kind.REOPEN:
        return False
    before, after = (seen.category if seen else None for seen in (event.before, event.after))
    return bool(before and after and after.is_open and not before.is_open)


def delivered_events(task: DeliveryTask, entry: ReopenEntry, url: str) -> list[Delivered]:
    """Return the events of the deliveries of a reopen to an item."""
    events = _deliveries(task, task.increment, url)
    return [event for event in events if entry.id in (event.op, event.retries)]


def _with_retried(task: DeliveryTask, entry: ReopenEntry, reopen: SyncedItem) -> SyncedItem:
    """A reopen with the labels that its tracker refused at first, and took later."""
    with suppress(UnlatchError):  # unreadable events are no evidence
        events = delivered_events(task, entry, reopen.url)
        retried = [event for event in events if event.retries]
        return replace(
            reopen,
            labels_added=_union((reopen.labels_added, *(event.labels_added for event in retried))),
            labels_removed=_union(
                (reopen.labels_removed, *(event.labels_removed for event in retried))
            ),
        )
    return reopen


def _state_changes(task: DeliveryTask, increment: Increment) -> Iterator[Delivered]:
    url = task.ref.url if task.ref else task.operation.item
    deliveries = _deliveries(task, increment, url)
    return (event for event in deliveries if event.result in _CHANGES_STATE)


def _deliveries(task: DeliveryTask, increment: Increment, url: str) -> Iterator[Delivered]:
    keys = {url, task.operation.item}
    events = read_events(increment.folder)
    return (event for event in events if isinstance(event, Delivered) and event.item in keys)


def _from_events(task: DeliveryTask, entry: ReopenEntry, there: SyncedItem) -> SyncedItem | None:
    """Return a reopen as the events show it; None if none shows the state found."""
    events = delivered_events(task, entry, there.url)
    return _synced(there, events) if any(event.result in _CONCLUSIVE for event in events) else None


def _synced(there: SyncedItem, events: Sequence[Delivered]) -> SyncedItem:
    conclusive = [event for event in events if event.result in _CONCLUSIVE]
    reopened = [event for event in conclusive if event.result == Result.REOPENED]
    first = next((event for event in reopened if event.before), (reopened or conclusive)[0])
    return replace(
        there,
        before=first.before,
        after=events[-1].after,
        labels_added=_union(event.labels_added for event in events),
        labels_removed=_union(event.labels_removed for event in events),
    )


def _union(labels: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(labels)))


def plan_revert(task: DeliveryTask, undo: Change, item: RemoteItem) -> Change | None:
    """Plan the change that takes a reopen back, for the item as it is now.

    Several reopens that git merged are undone as one. `undo` is its comment, without state and
    labels. None leaves the item as it is. The task receives the remarks for the user, and why a
    person has to decide.
    """
    operation, there = task.operation, SyncedItem(item.ref.tracker, item.ref.id, item.ref.url)
    entries = [entry for entry in task.increment.reopens if entry.revert == operation.op]
    reopens = [delivered_reopen(task, entry, there) for entry in entries]
    delivered = [reopen for reopen in reopens if reopen is not None]
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
    partial = [partial_reopen(task, entries[-1], undo, there)] if None in reopens else []
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
    entries = [entry for entry in task.increment.reopens if entry.revert == operation.op]
    return not any(
        delivered_reopen(task, entry, there) or delivered_events(task, entry, ref.url)
        for entry in entries
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
