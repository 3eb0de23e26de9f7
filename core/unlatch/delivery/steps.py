"""The steps of the state machine, executed; each ends in an event."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.delivery.changes import is_empty, left_of
from unlatch.delivery.converge import retract_surplus
from unlatch.delivery.failing import failed
from unlatch.delivery.follow import is_elsewhere, is_served_by_twin, point_to, twin
from unlatch.delivery.record import found_before, keep, record
from unlatch.delivery.states import (
    Block,
    Event,
    Probe,
    Send,
    Step,
    Wait,
    advance,
    contacting,
)
from unlatch.delivery.verify import shortcoming
from unlatch.delivery.wanted import change_for, foreseen, refuse_deliberate, said_by
from unlatch.errors import Limited, Moved, UnlatchError, unexpected
from unlatch.increments.files.outbox import block, note_attempts, withdraw
from unlatch.increments.records.links import link_of
from unlatch.spi import Capability
from unlatch.spi.operation import Kind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.delivery.course import Course
    from unlatch.spi.item import ItemRef, Snapshot
    from unlatch.spi.operation import Change, Operation


class Withdrawn(Exception):
    """The operation means the same item as another one."""


def execute(course: Course, step: Step) -> None:
    """Execute a step, and go on from the event that it ends in."""
    try:
        if isinstance(step, Probe | Send):
            course.evidence = contacting(
                course.operation, course.operation.attempt, course.evidence
            )
        if event := _EXECUTE[type(step)](course, step):
            course.evidence = advance(course.evidence, event)
    except Withdrawn as withdrawn:
        course.remark(str(withdrawn))
        course.evidence = advance(course.evidence, Event.GONE)
    except UnlatchError as error:
        _go_on(course, step, error)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
        _go_on(course, step, unexpected(error))


def _go_on(course: Course, step: Step, error: UnlatchError) -> None:
    if isinstance(step, Probe | Send):
        failed(course, error)
        return
    # Nothing was sent: what could not be waited for or noted is left to the next run.
    course.error = course.error or error
    course.evidence = replace(course.evidence, last=Event.NOT_SENT)


def _wait(course: Course, step: Wait) -> None:
    run, tracker = course.run, course.operation.tracker
    if step.until is None:
        left = run.unsettled(course.increment, course.operation)
        run.trackers.pause(tracker, left, "an earlier request may still take effect")
        course.evidence = replace(course.evidence, settled=True)
        return
    seconds = (step.until - course.evidence.now).total_seconds()
    if run.trackers.hold(tracker, seconds):
        course.evidence = replace(course.evidence, now=step.until)
        return
    course.evidence = replace(course.evidence, can_wait=False)
    course.error = course.error or Limited(
        "rate-limited",
        f"the tracker asked to wait until {step.until:%Y-%m-%d %H:%M} UTC",
        retry_after=seconds,
        hint="run unlatch sync then, or allow longer waits with --max-wait",
    )


def _probe(course: Course, _step: Probe) -> Event:
    """Find out which parts are done."""
    operation = course.operation
    if operation.kind is Kind.CREATE:
        return _probe_created(course)
    snapshot = read(course)
    course.markers = ()
    if said_by(course).comment is not None:
        course.markers = course.plugin.find_comments(snapshot.item.ref, operation.op)
        course.remark(*(marker.note for marker in course.markers))
    change = change_for(course, snapshot.item)
    if not is_empty(left_of(change, snapshot.item, commented=bool(course.markers))):
        return Event.PROBED_LEFT
    _converge(course, None)
    record(course, keep(course, Outcome(snapshot.item)))
    return Event.PROBED_DONE


def _probe_created(course: Course) -> Event:
    operation = course.operation
    item = course.plugin.find_created(operation.op, operation.at)
    if item is None:
        return Event.PROBED_LEFT
    course.asked = said_by(course)
    course.locate(item.ref)
    record(course, keep(course, Outcome(item)))
    return Event.PROBED_DONE


def _send(course: Course, _step: Send) -> Event:
    """Read the item, note the attempt, write."""
    course.evidence = replace(course.evidence, sends=course.evidence.sends + 1)
    if course.operation.kind is Kind.CREATE:
        course.asked = left = said_by(course)
        return note(course) or conclude(course, left, course.plugin.create(left))
    snapshot = course.snapshot or read(course)
    change = change_for(course, snapshot.item)
    refuse_deliberate(snapshot.item, change)
    left = left_of(change, snapshot.item, commented=bool(course.markers))
    if is_empty(left):
        return conclude(course, left, Outcome(snapshot.item))
    return note(course) or conclude(course, left, course.plugin.write(snapshot, left))


def _block(course: Course, step: Block) -> None:
    run = course.run
    block(run.workspace.manager, course.increment.id, course.operation, cause=step.cause)
    now = run.workspace.clock()
    course.operation = replace(course.operation, cause=step.cause, parked_at=now)


_EXECUTE: Mapping[type, Callable[..., Event | None]] = MappingProxyType(
    {Wait: _wait, Probe: _probe, Send: _send, Block: _block}
)


def read(course: Course) -> Snapshot:
    """The item, with what is needed to change it; one that has moved is followed if asked for.

    Raises:
        UnlatchError: it cannot be located or read.
        Withdrawn: it has moved to where another link of the increment points.
    """
    ref = course.ref
    if ref is None:
        link = link_of(course.increment, course.operation)
        ref = course.locate(course.run.trackers.locate(link))
    try:
        course.snapshot = course.plugin.read(ref, foreseen(course))
    except Moved as moved:
        ref = _follow(course, moved)
        course.snapshot = course.plugin.read(ref, foreseen(course))
    return course.snapshot


def _follow(course: Course, moved: Moved) -> ItemRef:
    increment, operation = course.increment, course.operation
    to = course.run.trackers.recognise(moved.to)
    other = twin(increment, operation, to)
    if other and is_served_by_twin(increment, operation, other):
        withdraw(course.run.workspace.manager, increment.id, operation)
        point_to(course.run, increment, operation, to)
        why = f"it is the same item as {other.key}, which is linked as well"
        raise Withdrawn(why) from moved
    if other is None and not course.options.follow:
        raise moved
    course.increment, course.operation = point_to(course.run, increment, operation, to)
    return course.locate(to)


def note(course: Course) -> Event | None:
    """Note the attempt before it is sent; what keeps it from being sent, if anything does.

    Raises:
        StoreError: the files cannot be written; nothing was sent.
    """
    manager = course.run.workspace.manager
    noted = {course.operation: found_before(course)}
    found = note_attempts(manager, course.increment.id, noted)
    return take_note(course, found.get(course.operation))


def take_note(course: Course, now: Operation | None) -> Event | None:
    """Go on with an operation as it was noted; what keeps it from being sent, if anything does."""
    if now is None:
        course.remark("it was undone or unlinked meanwhile")
        return Event.GONE
    is_same = now.state is course.operation.state
    course.operation = now
    course.noted = course.written = is_same
    if is_same:
        return None
    # A later change of status struck its state part: nothing was sent, and it is planned anew.
    course.increment = course.run.workspace.manager.read(course.increment.id)
    return Event.NOT_TAKEN


def conclude(course: Course, change: Change, outcome: Outcome) -> Event:
    """Judge and record what a write did.

    Args:
        change: what was asked of the plugin.

    Raises:
        TrackerError: the answers do not show all of it.
        StoreError: it cannot be recorded.
    """
    done = keep(course, outcome)
    if error := shortcoming(change, outcome, sends=course.evidence.sends):
        raise error
    found = outcome.after.ref
    if course.ref is None:
        course.locate(found)
    elif found != course.ref and is_elsewhere(course.run, course.ref, found):
        course.increment, course.operation = point_to(
            course.run, course.increment, course.operation, found
        )
        course.locate(found)
    if change.comment is not None or course.markers:
        _converge(course, outcome.comment)
    record(course, done)
    return Event.REACHED


def _converge(course: Course, posted: str | None) -> None:
    # Nobody else can know of an operation that this process has just made.
    if course.is_fresh or course.ref is None or not course.can(Capability.RETRACT):
        return
    course.remark(*retract_surplus(course.plugin, course.ref, course.operation.op, posted))
