"""Record a change of an increment's items on one tracker, and deliver it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.choices import Part
from unlatch.delivery.planning import check_permitted
from unlatch.delivery.reading import read_items
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.stale_reads import find_stale_read
from unlatch.delivery.task import make_task
from unlatch.increments.files.plans import plan_enqueue
from unlatch.increments.records.links import link_of, same_item
from unlatch.lifecycle.deliver import deliver_pending
from unlatch.lifecycle.items.answered import find_answered, known_operations, own_id
from unlatch.lifecycle.items.beside import PendingBeside
from unlatch.spi import Snapshot
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.delivery.task import Delivery, DeliveryTask
    from unlatch.increments.files.plans import Intent, Plan
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.tracker_items import ItemChange
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Operation, OperationKey


def apply_item_change(
    workspace: Workspace,
    trackers: Trackers,
    change: ItemChange,
    report: Callable[[str, Delivery], None],
    *,
    remark: Callable[[Increment], None] = lambda _: None,
) -> DeliveryResult:
    """Enqueue a change, and deliver the tracker's pending operations.

    Args:
        remark: called with the increment once the change is recorded, for its warnings.

    Raises:
        ConfigError: the tracker's settings have mistakes; nothing was recorded.
        UsageError: `write-not-permitted`; nothing was recorded.
        StoreError: the increment's files cannot be written.
        Transient: `not-shown-yet`; nothing was recorded.
    """
    tracker, options = change.tracker, change.options
    trackers.settings(tracker)
    if change.kind is Kind.UPDATE:
        check_permitted(workspace, tracker, Part.BODY)
    recorded, due, seen = _record(workspace, trackers, change)
    remark(due)
    return deliver_pending(
        workspace,
        trackers,
        [due],
        report,
        options=options,
        fresh=recorded.new,
        tracker=tracker,
        seen=seen,
    )[0]


def _record(
    workspace: Workspace, trackers: Trackers, change: ItemChange
) -> tuple[Plan, Increment, Mapping[OperationKey, Snapshot]]:
    """Enqueue the operations of a change, each by what it answers; also returns their items."""
    operations, unanswered = [*change.unrecorded], list[str]()
    seen: dict[OperationKey, Snapshot] = {}
    beside = PendingBeside.of(workspace)
    if change.kind in (Kind.REOPEN, Kind.CLOSE):
        tasks = _tasks(workspace, trackers, change)
        answers = read_items(tasks, planning=True)
        for place, (task, answer) in enumerate(zip(tasks, answers, strict=True)):
            if isinstance(answer, Snapshot):
                if stale := find_stale_read(
                    change.increment, task.link, answer.item, ended=change.ended
                ):
                    raise stale
                operations[place] = _answering(trackers, change, task.operation, answer)
                if not _is_shared(change.increment, beside, task.link):
                    seen[operations[place].key] = answer
            if operations[place].op == task.operation.op:
                unanswered.append(task.name)
    pending = {one.key for one in change.increment.pending}
    new = [one for one in operations if one.key not in pending]

    def enqueue(before: Increment, _intent: Intent) -> Plan:
        # Another process may have delivered some of them since the items were read.
        known = known_operations(before) - {one.op for one in before.pending}
        due = [one for one in new if one.op not in known]
        return plan_enqueue(before, *due, unanswered=unanswered)

    by = new[0].by if new else None
    recorded, after = workspace.manager.apply(change.increment.id, enqueue, by=by or "unlatch")
    return recorded, after, seen


def _is_shared(increment: Increment, beside: PendingBeside, link: Link) -> bool:
    """Whether another pending operation may change an item before this one does."""
    own = (link_of(increment, one) for one in increment.pending)
    return bool(beside.on(link)) or any(same_item(one, link) for one in own)


def _tasks(workspace: Workspace, trackers: Trackers, change: ItemChange) -> list[DeliveryTask]:
    run = DeliveryRun(workspace, trackers, change.options, dry_run=True)
    after = plan_enqueue(change.increment, *change.unrecorded).after
    return [make_task(run, after, one) for one in change.unrecorded]


def _answering(
    trackers: Trackers, change: ItemChange, operation: Operation, seen: Snapshot
) -> Operation:
    """An operation with the id that follows from what it answers, if its item shows that."""
    answered = find_answered(trackers, seen.item, change.kind)
    text = change.key or operation.reason
    is_due = must_move(seen.item, Goal.OPEN if change.kind is Kind.REOPEN else Goal.COMPLETED)
    op = own_id(change.ended, change.kind, seen.item.ref, text, answered, is_due=is_due)
    return operation if op is None else replace(operation, op=op)
