"""Execute the steps of the state machine; each ends in an event."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import NoReturn

from unlatch.delivery.changes import find_shortcoming, is_empty, remaining_change
from unlatch.delivery.duplicates import delete_duplicates
from unlatch.delivery.planning import (
    expected_change,
    permitted_change,
    plan_change,
    plan_create,
    refuse_deliberate,
)
from unlatch.delivery.read_ahead import stale_error
from unlatch.delivery.read_items import (
    Withdrawn,
    has_new_name,
    later_decision,
    own_decision,
    read_item,
    repoint_link,
)
from unlatch.delivery.record import (
    decided_base,
    keep_effect,
    note_attempts,
    record_delivery,
    record_failure,
)
from unlatch.delivery.revert import is_undo_of_unsent, reopened_alone
from unlatch.delivery.states import Block, Event, Probe, Send, Step, Wait, advance, begin_contact
from unlatch.delivery.task import DeliveryTask
from unlatch.errors import Limited, Moved, NotFound, UnlatchError, unexpected
from unlatch.increments.files.new_item import find_record
from unlatch.increments.files.outbox import block, withdraw
from unlatch.spi.change import Change, Goal, Outcome, must_move
from unlatch.spi.item import CommentRef, RemoteItem, Snapshot
from unlatch.spi.operation import Kind, Operation


def execute(task: DeliveryTask, step: Step) -> None:
    """Execute a step, and advance by the event that it ends in."""
    try:
        if isinstance(step, Probe | Send):
            task.evidence = begin_contact(task.operation, task.operation.attempt, task.evidence)
            task.run.trackers.check_open(task.operation.tracker)
        if event := _carry_out(task, step):
            task.evidence = advance(task.evidence, event)
    except Withdrawn as withdrawn:
        task.remark(str(withdrawn))
        task.evidence = advance(task.evidence, Event.GONE)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
        if isinstance(step, Probe | Send):
            record_failure(task, unexpected(error))
            return
        # Nothing was sent: the next run continues.
        task.error = task.error or unexpected(error)
        task.evidence = replace(task.evidence, last=Event.NOT_SENT)


def _carry_out(task: DeliveryTask, step: Step) -> Event | None:
    if not isinstance(step, Probe | Send):
        return _EXECUTE[type(step)](task, step)
    from unlatch.transport import finishing  # noqa: PLC0415  (requests is slow to load)

    with finishing():
        return _EXECUTE[type(step)](task, step)


def _wait(task: DeliveryTask, step: Wait) -> None:
    trackers, tracker = task.run.trackers, task.operation.tracker
    if step.until is None:
        left = task.run.settle_time(task.increment, task.operation)
        if trackers.can_pause(left):
            trackers.pause(tracker, left, "an earlier request may still take effect")
            task.evidence = replace(task.evidence, settled=True)
            # That request may have changed the item since it was read.
            task.run.ahead.forget(task.operation)
            return
        task.evidence = replace(task.evidence, can_wait=False)
        message = f"an earlier request may take effect for another {left:.0f} s"
        hint = "run unlatch sync then, or allow the wait with --max-wait"
        error = Limited("settling", message, retry_after=left, hint=hint)
        task.error = task.error or error
        return
    seconds = (step.until - task.evidence.now).total_seconds()
    if trackers.hold(tracker, seconds):
        task.evidence = replace(task.evidence, now=step.until)
        return
    task.evidence = replace(task.evidence, can_wait=False)
    task.error = task.error or Limited(
        "rate-limited",
        f"the tracker asked to wait until {step.until:%Y-%m-%d %H:%M} UTC",
        retry_after=seconds,
        hint="run unlatch sync then",
    )


def _probe(task: DeliveryTask, _step: Probe) -> Event:
    """Find out which parts are done."""
    if task.operation.kind is Kind.CREATE:
        return _probe_created(task)
    item = _read(task).item
    task.markers = ()
    if permitted_change(task).comment is not None:
        task.markers = find_own_comments(task, item)
        task.remark(*(marker.note for marker in task.markers))
    change = plan_change(task, item)
    _yield_to_decision(task, item, change.goal)
    if not is_empty(remaining_change(change, item, commented=bool(task.markers))):
        return Event.PROBED_LEFT
    _delete_duplicates(task, None)
    record_delivery(task, keep_effect(task, Outcome(item)))
    return Event.PROBED_DONE


def _yield_to_decision(task: DeliveryTask, item: RemoteItem, goal: Goal | None) -> None:
    """Withdraw an operation if a later decision of a person stands against it."""
    if goal is None or not must_move(item, goal):
        return
    if decision := later_decision(task, item):
        _withdraw(task, goal, decision)


def _withdraw(task: DeliveryTask, goal: Goal, decision: str) -> NoReturn:
    base = decided_base(task, goal)
    withdraw(task.manager, task.increment.id, task.operation, base=base, why=decision)
    raise Withdrawn(f"left as it is: {decision}")


def _probe_created(task: DeliveryTask) -> Event:
    item = task.plugin.find_created(task.operation.op, task.operation.at)
    if item is None:
        return Event.PROBED_LEFT
    task.change = permitted_change(task)
    task.locate(item.ref)
    record_delivery(task, keep_effect(task, Outcome(item)))
    return Event.PROBED_DONE


def _send(task: DeliveryTask, _step: Send) -> Event:
    """Read the item, note the attempt, write."""
    task.evidence = replace(task.evidence, sends=task.evidence.sends + 1)
    if task.operation.kind is Kind.CREATE:
        change = plan_create(task)
        return note_attempts([task])[0] or conclude(task, change, task.plugin.create(change))
    snapshot, change = _plan_ahead(task) or _plan(task)
    if is_empty(change):
        return conclude(task, change, Outcome(snapshot.item))
    return note_attempts([task])[0] or _write(task, snapshot, change)


def _write(task: DeliveryTask, snapshot: Snapshot, change: Change) -> Event:
    outcome = task.plugin.write(snapshot, change)
    goal, after = change.goal, outcome.after
    if goal is not None and must_move(after, goal) and (decision := own_decision(task, after)):
        keep_effect(task, outcome)
        _withdraw(task, goal, decision)
    return conclude(task, change, outcome)


def _plan(task: DeliveryTask) -> tuple[Snapshot, Change]:
    snapshot = task.snapshot or _read(task)
    return snapshot, plan_remaining(task, snapshot.item)


def _plan_ahead(task: DeliveryTask) -> tuple[Snapshot, Change] | None:
    """Plan the change of an item that was read with others; None if it needs its own read."""
    if task.snapshot is not None or not task.is_fresh:
        return None
    ahead = task.run.ahead.take(task.operation, task.ref, partial(expected_change, task))
    if ahead is None or has_new_name(task, ahead.item.ref):
        return None
    with suppress(UnlatchError):  # the read of this item alone reports it
        change = plan_remaining(task, ahead.item)
        if not is_empty(change):
            task.snapshot = ahead
            return ahead, change
    return None


def _read(task: DeliveryTask) -> Snapshot:
    """Read the item; one that the reopen was never sent to need not exist to be left alone."""
    try:
        return read_item(task)
    except Moved:
        raise
    except NotFound as missing:
        if not is_undo_of_unsent(task):
            raise
        withdraw(task.manager, task.increment.id, task.operation)
        raise Withdrawn("it was not found, and the reopen was not sent to it") from missing


def plan_remaining(task: DeliveryTask, item: RemoteItem) -> Change:
    """Return the change that is still to be sent; refuse to undo a deliberate close."""
    change = plan_change(task, item)
    if change.goal is not None:
        _refuse_stale(task, item)
    refuse_deliberate(item, change)
    if task.is_fresh and change.comment and change.goal and not must_move(item, change.goal):
        # Another checkout may have made the same operation, and delivered it.
        task.markers = find_own_comments(task, item)
    return remaining_change(change, item, commented=bool(task.markers))


def _refuse_stale(task: DeliveryTask, item: RemoteItem) -> None:
    """Raise `not-shown-yet`, so that what a lagging tracker shows decides nothing.

    An item of an increment may have been changed alone, by a record of its own.
    """
    records = [task.increment]
    if not task.increment.is_item:
        with suppress(UnlatchError):  # an unreadable record is no evidence
            records += filter(None, [find_record(task.run.workspace.beside, task.link)])
    for record in records:
        if stale := stale_error(task.run.last_move(record, task.link), item):
            raise stale


def find_own_comments(task: DeliveryTask, item: RemoteItem) -> tuple[CommentRef, ...]:
    """The comments of an operation, or of the same reopen of its item alone.

    What opened the item was that reopen only if the operation itself did not find it closed.
    """
    comments = task.plugin.find_comments(item.ref, task.operation.op)
    is_open_before = item.category.is_open and not _may_have_opened(task.operation)
    if not comments and is_open_before and (op := reopened_alone(task)):
        comments = task.plugin.find_comments(item.ref, op)
    return comments


def _may_have_opened(operation: Operation) -> bool:
    """Whether an attempt found the item closed; one that found comments keeps no state."""
    attempt = operation.attempt
    if attempt is None or attempt.before is None:
        return False
    category = attempt.before.category
    return category is None or not category.is_open


def _block(task: DeliveryTask, step: Block) -> None:
    block(task.manager, task.increment.id, task.operation, cause=step.cause)
    blocked_at = task.run.workspace.clock()
    task.operation = replace(task.operation, cause=step.cause, blocked_at=blocked_at)


_EXECUTE: Mapping[type, Callable[..., Event | None]] = MappingProxyType(
    {Wait: _wait, Probe: _probe, Send: _send, Block: _block}
)


def conclude(task: DeliveryTask, change: Change, outcome: Outcome) -> Event:
    """Record the outcome of a write of `change`; it is an error if parts are not shown."""
    effect = keep_effect(task, outcome)
    if error := find_shortcoming(change, outcome, sends=task.evidence.sends):
        raise error
    ref = outcome.after.ref
    if task.ref is None:
        task.locate(ref)
    elif ref != task.ref and has_new_name(task, ref):
        repoint_link(task, ref)
        task.locate(ref)
    if change.comment is not None or task.markers:
        _delete_duplicates(task, outcome.comment)
    record_delivery(task, effect)
    return Event.REACHED


def _delete_duplicates(task: DeliveryTask, posted: str | None) -> None:
    """Delete the comments of an operation that this account posted twice.

    Two clones may post at once. If the comments cannot be listed, the outcome is unknown.
    """
    # Nobody else is likely to send what this process has just made; the next sync looks.
    if task.is_fresh or task.ref is None:
        return
    notes = delete_duplicates(task.run.trackers, task.ref, task.operation.op, posted=posted)
    task.remark(*notes)
