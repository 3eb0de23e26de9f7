"""The effect of reopens on one item, as the files of the increments record it.

The state that a reopen found is in metadata.json (`pending[].attempt.before`, then
`syncedTo...items[].before`); the events of another clone have it, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from unlatch.delivery.changes import build_change, remaining_labels
from unlatch.delivery.task import DeliveryTask
from unlatch.errors import UnlatchError
from unlatch.increments.files.new_item import find_record
from unlatch.increments.model.increment import Increment, ReopenEntry, SyncedItem
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import same_item
from unlatch.spi.change import Change, Result
from unlatch.spi.operation import Kind, Operation
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
    known = [one for one in reopens if one.before]
    first = next(filter(found_closed, known), (known or reopens)[0])
    return replace(
        first,
        after=next((one.after for one in reversed(reopens) if one.after), None),
        labels_added=_union(one.labels_added for one in reopens),
        labels_removed=_union(one.labels_removed for one in reopens),
    )


def delivered_reopen(
    task: DeliveryTask, entry: ReopenEntry, there: SyncedItem
) -> SyncedItem | None:
    """Return a reopen that is recorded as delivered to an item."""
    synced = next((one for one in entry.synced_to if same_item(there.link, one.link)), None)
    if synced is not None and synced.before is not None:
        return _with_retried(task, entry, synced)
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
    changes = {one.id: one for one in _state_changes(task, task.increment)}
    openings: dict[str, Delivered] = {}
    for name in names:
        with suppress(UnlatchError):  # unreadable events are no evidence
            other = task.manager.read(name)
            made = {one.id: one for one in _state_changes(task, other)}
            changes |= made
            ops = {entry.id for entry in other.reopens}
            openings |= {id_: one for id_, one in made.items() if one.op in ops}
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
        changes = [one for one in deliveries if one.result in _CHANGES_STATE or _has_opened(one)]
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
    return [one for one in events if entry.id in (one.op, one.retries)]


def _with_retried(task: DeliveryTask, entry: ReopenEntry, reopen: SyncedItem) -> SyncedItem:
    """A reopen with the labels that its tracker refused at first, and took later."""
    with suppress(UnlatchError):  # unreadable events are no evidence
        events = delivered_events(task, entry, reopen.url)
        retried = [event for event in events if event.retries]
        return replace(
            reopen,
            labels_added=_union((reopen.labels_added, *(one.labels_added for one in retried))),
            labels_removed=_union(
                (reopen.labels_removed, *(one.labels_removed for one in retried))
            ),
        )
    return reopen


def _state_changes(task: DeliveryTask, increment: Increment) -> Iterator[Delivered]:
    url = task.ref.url if task.ref else task.operation.item
    deliveries = _deliveries(task, increment, url)
    return (one for one in deliveries if one.result in _CHANGES_STATE)


def _deliveries(task: DeliveryTask, increment: Increment, url: str) -> Iterator[Delivered]:
    keys = {url, task.operation.item}
    events = read_events(increment.folder)
    return (one for one in events if isinstance(one, Delivered) and one.item in keys)


def _from_events(task: DeliveryTask, entry: ReopenEntry, there: SyncedItem) -> SyncedItem | None:
    """Return a reopen as the events show it; None if none shows the state found."""
    events = delivered_events(task, entry, there.url)
    return _synced(there, events) if any(one.result in _CONCLUSIVE for one in events) else None


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
