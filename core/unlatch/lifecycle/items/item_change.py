"""The change of an increment's items on one tracker; the increment's status stays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.config.choices import Part
from unlatch.delivery.planning import check_permitted
from unlatch.delivery.preview import Preview
from unlatch.delivery.read_ahead import find_stale_read
from unlatch.delivery.read_items import read_items
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.task import DeliveryTask, make_task
from unlatch.increments.files.changes.plans import Intent, Plan, plan_enqueue
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity, link_of, same_item
from unlatch.lifecycle.change import Outcome, Place
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.items.answered import find_answered, known_operations, own_id
from unlatch.lifecycle.items.beside import PendingBeside
from unlatch.spi import Snapshot
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import DeliveryOptions, Kind, Operation, OperationKey
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace


_OF_STATE = (Kind.REOPEN, Kind.CLOSE)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """Operations on an increment's items on one tracker; the increment's status stays.

    Args:
        ended: the operations of the increment that had ended before its items were read.
        key: takes the place of the reason in the ids of the operations.
    """

    tracker: str
    kind: Kind
    subject: Increment
    operations: tuple[Operation, ...]
    delivery: DeliveryOptions
    ended: frozenset[str] = frozenset()
    key: str | None = None

    @property
    def items(self) -> Collection[object]:
        """The identities of the items; of each that is created, its operation."""
        if self.kind is Kind.CREATE:
            return [operation.op for operation in self.operations]
        return {identity(link_of(self.subject, operation)) for operation in self.operations}

    def preview(self, _place: Place) -> Preview:
        """The operations that would be recorded; of a creation no others are shown."""
        before = self.subject
        if self.kind is Kind.CREATE:
            before = replace(before, pending=())
        return Preview(plan_enqueue(before, *self.unrecorded), ())

    def apply(self, place: Place) -> Outcome:
        """Record the operations, each by what it answers.

        Raises:
            ConfigError: the tracker's settings have mistakes; nothing was recorded.
            UsageError: `write-not-permitted`; nothing was recorded.
            StoreError: the increment's files cannot be written.
            Transient: `not-shown-yet`; nothing was recorded.
        """
        trackers = place.open_trackers
        trackers.settings(self.tracker)
        if self.kind is Kind.UPDATE:
            check_permitted(place.workspace, self.tracker, Part.BODY)
        plan, after, seen = _record(place.workspace, trackers, self)
        return Outcome(self.subject, after, plan.new, seen=seen)

    def entry(self, _outcome: Outcome) -> dict[str, Any]:
        """The tracker, and the kind of the operations."""
        return {"tracker": self.tracker, "kind": self.kind}

    @property
    def unrecorded(self) -> tuple[Operation, ...]:
        """The operations to record: a repeated command finishes those that are pending."""
        if self.kind not in (Kind.REOPEN, Kind.CLOSE):
            return self.operations
        reasons = {entry.id: entry.reason for entry in self.subject.reopens}
        # The last one for an item decides its state.
        last = {
            (operation.tracker, operation.item): operation
            for operation in self.subject.pending
            if operation.state
        }

        def is_pending(new: Operation) -> bool:
            operation = last.get((new.tracker, new.item))
            if operation is None or operation.kind is not self.kind:
                return False
            return new.reason == (operation.reason or reasons.get(operation.op))

        return tuple(operation for operation in self.operations if not is_pending(operation))

    def with_reason(self, reason: str) -> ItemChange:
        return replace(self, operations=tuple(replace(o, reason=reason) for o in self.operations))


def leave_done(
    trackers: Trackers, change: ItemChange
) -> tuple[ItemChange, tuple[ItemSnapshot, ...]]:
    """Leave items out that the same change for the same reason left as they are now.

    Raises:
        UnlatchError: such an item cannot be read; its reason could be posted twice.
    """
    if change.kind not in _OF_STATE:
        return change, ()
    increment = change.subject
    pending = {
        identity(link_of(increment, operation))
        for operation in increment.pending
        if operation.kind is not Kind.UPDATE
    }
    last = _last_changes(increment, but=pending)
    repeated = [
        link
        for operation in change.operations
        if last.get(identity(link := link_of(increment, operation)))
        == (change.kind, operation.reason)
    ]
    done = []
    for seen in fetch_items(trackers, repeated) if repeated else ():
        if seen.error is not None:
            raise seen.error
        if seen.item and seen.item.category.is_open is (change.kind is Kind.REOPEN):
            done.append(replace(seen, requests=trackers.take_planning(seen.link)))
    items = {identity(snapshot.link) for snapshot in done}
    left = [
        operation
        for operation in change.operations
        if identity(link_of(increment, operation)) not in items
    ]
    return replace(change, operations=tuple(left)), tuple(done)


def _last_changes(
    increment: Increment, *, but: Collection[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str | None]]:
    """The kind and reason of the last change of each item's state, `but` of some."""
    changes = {
        identity(link_of(increment, event)): (event.kind, event.reason)
        for event in read_events(increment.folder)
        if isinstance(event, Delivered) and event.kind != Kind.UPDATE and event.retries is None
    }
    return {item: change for item, change in changes.items() if item not in but}


def _record(
    workspace: Workspace, trackers: Trackers, change: ItemChange
) -> tuple[Plan, Increment, Mapping[OperationKey, Snapshot]]:
    """Enqueue the operations of a change, each by what it answers; also returns their items."""
    operations, unanswered, unread = [*change.unrecorded], list[str](), list[str]()
    seen: dict[OperationKey, Snapshot] = {}
    beside = PendingBeside.of(workspace)
    if change.kind in (Kind.REOPEN, Kind.CLOSE):
        tasks = _tasks(workspace, trackers, change)
        answers = read_items(tasks, planning=True)
        for place, (task, answer) in enumerate(zip(tasks, answers, strict=True)):
            if isinstance(answer, Snapshot):
                if stale := find_stale_read(
                    change.subject, task.link, answer.item, ended=change.ended
                ):
                    raise stale
                operations[place] = _answering(trackers, change, task.operation, answer)
                if not _is_shared(change.subject, beside, task.link):
                    seen[operations[place].key] = answer
            else:
                unread.append(task.name)
            if operations[place].op == task.operation.op:
                unanswered.append(task.name)
    pending = {operation.key for operation in change.subject.pending}
    new = [operation for operation in operations if operation.key not in pending]

    def enqueue(before: Increment, _intent: Intent) -> Plan:
        # Another process may have delivered some of them since the items were read.
        ended = known_operations(before) - {operation.op for operation in before.pending}
        due = [operation for operation in new if operation.op not in ended]
        plan = plan_enqueue(before, *due, unanswered=unanswered)
        return replace(plan, unread=tuple(unread))

    by = new[0].by if new else None
    recorded, after = workspace.manager.apply(change.subject.id, enqueue, by=by or "unlatch")
    return recorded, after, seen


def _is_shared(increment: Increment, beside: PendingBeside, link: Link) -> bool:
    """Whether another pending operation may change an item before this one does."""
    own = (link_of(increment, operation) for operation in increment.pending)
    return bool(beside.on(link)) or any(same_item(other, link) for other in own)


def _tasks(workspace: Workspace, trackers: Trackers, change: ItemChange) -> list[DeliveryTask]:
    run = DeliveryRun(workspace, trackers, change.delivery, dry_run=True)
    after = plan_enqueue(change.subject, *change.unrecorded).after
    return [make_task(run, after, operation) for operation in change.unrecorded]


def _answering(
    trackers: Trackers, change: ItemChange, operation: Operation, seen: Snapshot
) -> Operation:
    """An operation with the id that follows from what it answers, if its item shows that."""
    answered = find_answered(trackers, seen.item, change.kind)
    text = change.key or operation.reason
    is_due = must_move(seen.item, Goal.OPEN if change.kind is Kind.REOPEN else Goal.COMPLETED)
    op = own_id(change.ended, change.kind, seen.item.ref, text, answered, is_due=is_due)
    return operation if op is None else replace(operation, op=op)
