"""Sending many operations in few requests, to trackers that can take them so.

A strategy below the loop: only operations that this process has just made go this way, since any
other has to be probed. Whatever is not delivered here, the loop takes up by itself afterwards.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.delivery.changes import is_empty, left_of
from unlatch.delivery.course import Course, begin
from unlatch.delivery.failing import failed
from unlatch.delivery.reading import read_all
from unlatch.delivery.states import Block, Event, Send, advance, contacting
from unlatch.delivery.steps import conclude, execute, take_note
from unlatch.delivery.wanted import change_for, refuse_deliberate
from unlatch.errors import Conflict, Unauthorised, UnlatchError, unexpected
from unlatch.increments.files.locks import delivery_lock
from unlatch.increments.files.outbox import close_attempt, note_attempts
from unlatch.increments.records.links import identity, link_of
from unlatch.spi import Capability, Snapshot
from unlatch.spi.operation import Change, Kind, Outcome, seen_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.delivery.reading import Found
    from unlatch.delivery.result import Delivery
    from unlatch.delivery.run import Run
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.operation import Operation

MOST_AT_ONCE = 200
# For fewer than these each is sent by itself, side by side.
_FEWEST = 3
_KINDS = (Kind.REOPEN, Kind.CLOSE)


def deliver_batches(run: Run, names: Sequence[str]) -> Iterator[tuple[str, Delivery]]:
    """Deliver what can go together; yields what was tried, with its increment's id."""
    if not run.fresh or len(names) < _FEWEST:
        return
    for tracker in run.workspace.settings:
        if Capability.BATCH in run.trackers.registry.manifest(tracker).capabilities:
            waiting = iter(_candidates(run, names, tracker))
            while len(some := list(islice(waiting, MOST_AT_ONCE))) >= _FEWEST:
                yield from _deliver(run, some, tracker)


def _candidates(run: Run, names: Sequence[str], tracker: str) -> list[str]:
    found: list[str] = []
    for name in names:
        with suppress(UnlatchError):  # the loop reports why
            if _courses(run, run.workspace.manager.read(name), tracker):
                found.append(name)
    return found


def _courses(run: Run, increment: Increment, tracker: str) -> list[Course]:
    """The operations that may be sent at once, for items that wait for nothing else."""
    mine = [one for one in increment.pending if one.tracker == tracker]
    items = [identity(link_of(increment, one)) for one in mine]
    fresh = (
        begin(run, increment, one)
        for one, item in zip(mine, items, strict=True)
        if one.kind in _KINDS and run.is_meant(one) and run.is_fresh(one) and items.count(item) == 1
    )
    return [course for course in fresh if isinstance(course.step, Send)]


def _deliver(run: Run, names: list[str], tracker: str) -> Iterator[tuple[str, Delivery]]:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    with ExitStack() as held:
        courses = _claimed(run, names, tracker, held)
        with measure() as meter:
            sent = _send(run, tracker, courses)
        requests = meter.requests
        for course in sent:
            if _is_settled(course):
                # All requests are counted, once.
                yield course.increment.id, course.delivery(requests)
                requests = 0


def _is_settled(course: Course) -> bool:
    """Whether the loop is not to take it up once more in this run."""
    while isinstance(step := course.step, Block):
        execute(course, step)
    return course.evidence.last not in (None, Event.NOT_TAKEN, Event.LIMITED)


def _claimed(run: Run, names: list[str], tracker: str, held: ExitStack) -> list[Course]:
    """What may be sent now, each item once; the delivery locks of its increments are held."""
    found: dict[tuple[str, str], Course] = {}
    for name in names:
        with suppress(UnlatchError):  # another process is delivering it, or its files are broken
            held.enter_context(delivery_lock(run.workspace.layout, name, patience=0))
            for course in _courses(run, run.workspace.manager.read(name), tracker):
                with suppress(UnlatchError):  # it cannot be located
                    link = link_of(course.increment, course.operation)
                    course.locate(run.trackers.locate(link))
                    found.setdefault(identity(link), course)
    return list(found.values())


def _send(run: Run, tracker: str, courses: list[Course]) -> list[Course]:
    """Read all items, note all attempts, write all changes; what was tried."""
    read = read_all(courses)
    found = [(courses[place], answer) for place, answer in read.items()]
    due = _noted(run, [one for one in _left(found) if not is_empty(one[2])])
    if due:
        wanted = [(snapshot, change) for _, snapshot, change in due]
        outcomes = _written(run, tracker, wanted)
        for (course, _, change), outcome in zip(due, outcomes, strict=True):
            _settle(course, change, outcome)
    return [*(course for course, _, _ in due), *_unauthorised(found)]


def _unauthorised(found: Sequence[tuple[Course, Found]]) -> Iterator[Course]:
    """What the credential does not suffice for; each by itself would be refused once more."""
    for course, error in found:
        if isinstance(error, Unauthorised):
            course.evidence = contacting(course.operation, None, course.evidence)
            failed(course, error)
            yield course


def _left(found: Sequence[tuple[Course, Found]]) -> Iterator[tuple[Course, Snapshot, Change]]:
    """What is left to do to each item; the loop reports what cannot be read."""
    for course, snapshot in found:
        if isinstance(snapshot, Snapshot):
            with suppress(UnlatchError):
                change = change_for(course, snapshot.item)
                refuse_deliberate(snapshot.item, change)
                yield course, snapshot, left_of(change, snapshot.item, commented=False)


def _noted(
    run: Run, due: list[tuple[Course, Snapshot, Change]]
) -> list[tuple[Course, Snapshot, Change]]:
    """Note all attempts, one write for each increment."""
    of: dict[str, list[tuple[Course, Snapshot, Change]]] = {}
    for one in due:
        of.setdefault(one[0].increment.id, []).append(one)
    ready: list[tuple[Course, Snapshot, Change]] = []
    for name, group in of.items():
        notes = {course.operation: seen_of(snapshot.item) for course, snapshot, _ in group}
        with suppress(UnlatchError):  # nothing was sent; the loop reports why
            found = note_attempts(run.workspace.manager, name, notes)
            ready += [one for one in group if _is_noted(one[0], found)]
    return ready


def _is_noted(course: Course, found: Mapping[Operation, Operation]) -> bool:
    course.evidence = replace(
        contacting(course.operation, course.operation.attempt, course.evidence), sends=1
    )
    return take_note(course, found.get(course.operation)) is None


def _written(
    run: Run, tracker: str, wanted: list[tuple[Snapshot, Change]]
) -> Sequence[Outcome | UnlatchError | None]:
    try:
        return run.trackers.open(tracker).write_many(wanted)
    except UnlatchError as error:
        return [error] * len(wanted)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
        return [unexpected(error)] * len(wanted)


def _settle(course: Course, change: Change, outcome: Outcome | UnlatchError | None) -> None:
    try:
        if isinstance(outcome, Outcome):
            course.evidence = advance(course.evidence, conclude(course, change, outcome))
        elif outcome is None or isinstance(outcome, Conflict):
            # Nothing was taken, so the loop need not wait before it sends it by itself.
            manager, name = course.run.workspace.manager, course.increment.id
            close_attempt(manager, name, course.operation, cause="conflict", counts=False)
        else:
            failed(course, outcome)
    except UnlatchError as error:
        failed(course, error)
