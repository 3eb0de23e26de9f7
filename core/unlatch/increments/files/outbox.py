"""The outbox: pending operations in metadata.json, and notes about attempts to deliver them.

Everything that decides the outcome of a delivery is kept here, so that any clone can finish it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.link import Base, Boxes, Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Delivered, Parked, Synced, Withdrawn
from unlatch.increments.records.link_edits import add_link, remove_base, write_base
from unlatch.increments.records.links import link_of, same_item
from unlatch.increments.records.pending import set_pending, supersede
from unlatch.increments.records.reopens import write_synced
from unlatch.spi.operation import Attempt, Category, Kind, Operation, SeenItem
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import SyncedItem
    from unlatch.spi.change import Result
    from unlatch.worklog.event_log import Event

    _EditAll = Callable[[tuple[Operation, ...]], Iterable[Operation]]

# The facts of a delivery that its event and its entry in reopenHistory share.
_REACHED = ("before", "after", "labels_added", "labels_removed")


def enqueue(manager: MetadataManager, wanted: str, *operations: Operation) -> Increment:
    """Record operations without a change of status."""
    return _edit_pending(manager, wanted, lambda pending: (*pending, *operations))


def note_attempts(
    manager: MetadataManager, wanted: str, notes: Mapping[Operation, SeenItem | None]
) -> dict[Operation, Operation]:
    """Record attempts before anything is sent, with each item as the first attempt read it.

    Returns:
        The operations as they are now, without those withdrawn meanwhile. One whose state part was
        struck meanwhile has no note.
    """
    noted_now: dict[Operation, Operation] = {}
    by_key = {operation.key: operation for operation in notes}

    def note(operation: Operation) -> Operation:
        noted = by_key.get(operation.key)
        if noted is None:
            return operation
        if operation.state is noted.state:
            operation = _with_attempt(operation, manager.clock(), notes[noted])
        noted_now[noted] = operation
        return operation

    _edit_pending(manager, wanted, lambda pending: map(note, pending))
    return noted_now


def _with_attempt(operation: Operation, now: datetime, before: SeenItem | None) -> Operation:
    last = operation.attempt or Attempt(0, now, ended=now)
    # An attempt that is still open ended without an answer and does not count.
    number = max(1, last.number if last.is_open else last.number + 1)
    attempt = Attempt(number, now, last.before or before)
    if operation.kind is Kind.UNDO:
        seen = before.since if before else None
        attempt = replace(attempt, since=last.since or seen)
    return replace(operation, attempt=attempt, cause=None, blocked_at=None)


@dataclass(frozen=True, slots=True)
class Failure:
    """The end of a failed attempt.

    Args:
        cause: the id of the error.
        counts: whether it counts towards the maximum number of attempts.
        in_doubt: whether a request may still take effect.
        retry_at: when the tracker accepts requests again.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
        untouched: whether the item is certainly unchanged, so that the next attempt reads it again.
        unblock: whether it stops waiting for a person, who named it.
    """

    cause: str
    counts: bool
    in_doubt: bool = False
    retry_at: datetime | None = None
    remedy: str | None = None
    untouched: bool = False
    unblock: bool = False

    def close(self, operation: Operation, now: datetime) -> Operation:
        """The operation after this end of its attempt."""
        last = operation.attempt or Attempt(0, now)
        # An attempt that failed before it was recorded is not counted yet.
        number = last.number if last.is_open and operation.attempt else last.number + 1
        ended = Attempt(
            number if self.counts or self.in_doubt else max(0, number - 1),
            last.at,
            None if self.untouched and not self.in_doubt else last.before,
            None if self.in_doubt else now,
            self.cause,
            self.retry_at,
            # A failure other than a refusal keeps the remedy of the last refusal.
            self.remedy or (None if self.counts else last.remedy),
            last.since,
        )
        closed = replace(operation, attempt=ended)
        return replace(closed, cause=None, blocked_at=None) if self.unblock else closed


def close_attempt(
    manager: MetadataManager, wanted: str, operation: Operation, failure: Failure
) -> Operation | None:
    """Record the end of a failed attempt; None if the operation is no longer pending."""
    closed: list[Operation] = []

    def close(pending: Operation) -> Operation:
        if pending.key != operation.key:
            return pending
        closed.append(failure.close(pending, manager.clock()))
        return closed[-1]

    _edit_pending(manager, wanted, lambda pending: map(close, pending))
    return closed[-1] if closed else None


def block(manager: MetadataManager, wanted: str, operation: Operation, *, cause: str) -> None:
    """Record that an operation waits for a person."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        current = next((other for other in before.pending if other.key == operation.key), None)
        if current is None or (current.is_blocked and current.cause == cause):
            return []
        blocked = replace(current, cause=cause, blocked_at=manager.clock())
        set_pending(data, tuple(blocked if other is current else other for other in before.pending))
        facts = manager.event_facts(_author(before, operation))
        op, tracker, item = operation.key
        return [Parked(op=op, tracker=tracker, item=item, cause=cause, **facts)]

    manager.change(wanted, edit)


def withdraw(
    manager: MetadataManager,
    wanted: str,
    operation: Operation,
    *,
    base: Base | None = None,
    why: str | None = None,
) -> None:
    """Remove an operation with nothing left to do.

    Args:
        base: both sides as the operation left them, for its link.
        why: the decision that ends it, for the history.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        left = tuple(other for other in before.pending if other.key != operation.key)
        if len(left) == len(before.pending):
            return []
        set_pending(data, left)
        link = link_of(before, operation)
        if base is not None and link in before.links:
            write_base(data, link, base, manager.shapes.links[link.tracker])
        if why is None:
            return []
        facts = manager.event_facts(_author(before, operation))
        op, tracker, item = operation.key
        kind = operation.kind
        return [Withdrawn(op=op, kind=kind, tracker=tracker, item=item, why=why, **facts)]

    manager.change(wanted, edit)


def strike_states(manager: MetadataManager, wanted: str, link: Link) -> None:
    """Strike the state parts that are pending for an item, which a command decided about alone.

    The base becomes what they would have led to, so that a comparison takes the decision for a
    change of the item.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        left: list[Operation] = []
        for operation in before.pending:
            other = link_of(before, operation)
            if not operation.state or not same_item(other, link):
                left.append(operation)
                continue
            left += supersede([operation], before.reopens)
            if other in before.links:
                base = _intended_base(before.status, operation.kind)
                write_base(data, other, base, manager.shapes.links[other.tracker])
        set_pending(data, left)
        return []

    manager.change(wanted, edit)


def _intended_base(status: Status, kind: Kind) -> Base:
    closed = Category.DROPPED if status is Status.ABANDONED else Category.DONE
    category = Category.DOING if kind is Kind.REOPEN else closed
    return Base(status.value, category.value, category.value)


def record_delivery(
    manager: MetadataManager,
    wanted: str,
    operation: Operation,
    *,
    reached: SyncedItem,
    base: Base | None,
    result: Result,
    commented: bool,
    refused: tuple[str, ...] = (),
    account: str | None = None,
    link: Link | None = None,
    boxes: Boxes | None = None,
) -> Increment:
    """Record that an operation was delivered: it leaves `pending` in this write.

    Args:
        base: both sides as they are now, or None if they are not in sync.
        refused: labels that the tracker refused for good.
        account: the author of the comment, by the tracker; None if unknown.
        link: a link to write as well, for an item that was created.
        boxes: the check boxes that its body shows; None if the body was not written.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        left = tuple(other for other in before.pending if other.key != operation.key)
        # An undo needs the result of the reopen, also of one undone before its delivery.
        is_undone = any(entry.id == operation.op and entry.reverted_at for entry in before.reopens)
        if len(left) == len(before.pending) and not is_undone:
            return []  # another process recorded it first
        set_pending(data, left)
        both = base, boxes
        _write_item(manager, before, data, operation, reached=reached, both=both, link=link)
        facts = {"result": result, "commented": commented, "labels_refused": refused}
        return [_delivered(manager, before, operation, reached, account=account, **facts)]

    # The event goes first: once the operation has left `pending`, the event is its only record,
    # so a crash in between must keep the operation.
    return manager.change(wanted, edit, events_first=True)


def _delivered(
    manager: MetadataManager,
    before: Increment,
    operation: Operation,
    reached: SyncedItem,
    **facts: Any,
) -> Delivered:
    return Delivered(
        op=operation.op,
        kind=operation.kind,
        tracker=reached.tracker,
        item=reached.url,
        reason=_reason(before, operation),
        retries=operation.retries,
        **facts,
        **{name: getattr(reached, name) for name in _REACHED},
        **manager.event_facts(_author(before, operation)),
    )


def _write_item(
    manager: MetadataManager,
    before: Increment,
    data: dict[str, Any],
    operation: Operation,
    *,
    reached: SyncedItem,
    both: tuple[Base | None, Boxes | None],
    link: Link | None,
) -> None:
    base, boxes = both
    _write_reached(manager, before, data, operation.op, [reached], has_event=True)
    links = [own for own in before.links if same_item(own, reached.link)]
    for own in links:
        if base is not None:
            shape = manager.shapes.links[own.tracker]
            write_base(data, replace(own, url=reached.url), base, shape)
        elif boxes is not None and own.base is not None:
            shape = manager.shapes.links[own.tracker]
            write_base(data, own, replace(own.base, boxes=boxes), shape)
        elif operation.kind is Kind.UNDO:
            # Otherwise a comparison with the old base would close the item again.
            remove_base(data, own)
    if link is not None and not links:
        add_link(data, link, manager.shapes.links[link.tracker])


def record_in_sync(
    manager: MetadataManager,
    wanted: str,
    bases: Mapping[Link, Base],
    *,
    by: str,
    is_current: Callable[[Increment], bool] = lambda _: True,
    op: str | None = None,
    reached: Iterable[SyncedItem] = (),
    asked: str | None = None,
) -> Increment:
    """Record the base of links whose sides agree.

    Args:
        by: who compared them.
        is_current: whether an increment is unchanged since the comparison; else nothing is
            recorded.
        op: the reopen that followed from items which were open already.
        reached: those items; the reopen counts as delivered to them.
        asked: the comment for which the items alone were changed, so that the sides differ.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not is_current(before):
            return []
        events: list[Event] = []
        for link, base in bases.items():
            for own in before.links:
                if same_item(own, link):
                    write_base(data, own, base, manager.shapes.links[own.tracker])
                    facts = {**manager.event_facts(by), "asked": asked}
                    events.append(Synced(tracker=own.tracker, item=own.key, **facts))
        _write_reached(manager, before, data, op, reached, has_event=False)
        return events

    return manager.change(wanted, edit)


def _write_reached(
    manager: MetadataManager,
    before: Increment,
    data: dict[str, Any],
    op: str | None,
    reached: Iterable[SyncedItem],
    *,
    has_event: bool,
) -> None:
    for entry in data.get("reopenHistory", []):
        for item in reached if entry.get("id") == op else ():
            shapes = manager.shapes.synced
            write_synced(entry, item, shapes, before.links, has_event=has_event)


def _edit_pending(manager: MetadataManager, wanted: str, edit_all: _EditAll) -> Increment:
    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        set_pending(data, edit_all(before.pending))
        return []

    return manager.change(wanted, edit)


def _author(increment: Increment, operation: Operation) -> str:
    reopened = (entry.reopened_by for entry in increment.reopens if entry.id == operation.op)
    return operation.by or next(reopened, "unknown")


def _reason(increment: Increment, operation: Operation) -> str | None:
    reopened = (entry.reason for entry in increment.reopens if entry.id == operation.op)
    return operation.reason or operation.why or next(reopened, None)
