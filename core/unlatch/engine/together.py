"""Delivering many operations in few requests, to trackers that can take them so.

Only what this very process has made a moment ago goes this way: anything else may have been
delivered before, and is asked for its marker item by item. What a tracker did not take is sent by
itself afterwards, and what nobody knows the outcome of stays owed like anything else.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.domain.operation import Change, Kind, Operation
from unlatch.engine.attempt import Job, wanted_change
from unlatch.engine.following import where_found
from unlatch.engine.giving_up import is_final, not_before
from unlatch.engine.linking import link_of
from unlatch.engine.permission import left_out, refusal, writable
from unlatch.engine.progress import Delivery
from unlatch.engine.recording import record_delivery
from unlatch.errors import Conflict, StoreError, UnlatchError, unexpected
from unlatch.spi import Capability, Outcome
from unlatch.store.attempts import begun, ended, key_of, read_attempts, write_attempts
from unlatch.store.locks import delivery_lock
from unlatch.store.outbox import park

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.domain.increment import Increment
    from unlatch.domain.item import ItemRef
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace

MOST_AT_ONCE = 200
# For fewer than these each is sent by itself, side by side.
_FEWEST = 3
_KINDS = (Kind.REOPEN, Kind.CLOSE)


@dataclass(slots=True)
class _Due:
    """One operation that goes out with others; its increment's delivery lock is held."""

    increment: Increment
    delivery: Delivery
    ref: ItemRef
    change: Change

    @property
    def operation(self) -> Operation:
        return self.delivery.operation


def deliver_together(
    workspace: Workspace, trackers: Trackers, names: Sequence[str], job: Job
) -> Iterator[tuple[str, Delivery]]:
    """Deliver what can go together; yields what was tried, with its increment's id.

    What is not yielded is still to be delivered, one by one.
    """
    if not job.fresh or len(names) < _FEWEST:
        return
    for tracker in workspace.settings:
        if Capability.BATCH in trackers.manifest(tracker).capabilities:
            waiting = iter(_candidates(workspace, names, tracker, job))
            while len(some := list(islice(waiting, MOST_AT_ONCE))) >= _FEWEST:
                yield from _deliver(workspace, trackers, some, tracker, job)


def _candidates(workspace: Workspace, names: Sequence[str], tracker: str, job: Job) -> list[str]:
    found: list[str] = []
    for name in names:
        with suppress(UnlatchError):  # whoever delivers it by itself tells why
            if _fresh(workspace.manager.read(name), tracker, job):
                found.append(name)
    return found


def _fresh(increment: Increment, tracker: str, job: Job) -> list[Operation]:
    """The operations that were made a moment ago, for items that wait for nothing else."""
    waiting = [one.item for one in increment.pending if one.tracker == tracker]
    return [
        one
        for one in increment.pending
        if one.tracker == tracker
        and job.tracker in (None, tracker)
        and one.op in job.fresh
        and one.kind in _KINDS
        and waiting.count(one.item) == 1
    ]


def _deliver(
    workspace: Workspace, trackers: Trackers, names: list[str], tracker: str, job: Job
) -> Iterator[tuple[str, Delivery]]:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    with ExitStack() as held:
        due = _claimed(workspace, trackers, names, tracker, job=job, held=held)
        if not due:
            return
        with measure() as meter:
            outcomes = _sent(trackers, tracker, due)
        requests = meter.requests
        for one, outcome in zip(due, outcomes, strict=True):
            delivery = _settled(workspace, trackers, one, outcome)
            if delivery is not None:
                # All requests are counted, once.
                yield one.increment.id, replace(delivery, requests=requests)
                requests = 0


def _claimed(
    workspace: Workspace,
    trackers: Trackers,
    names: list[str],
    tracker: str,
    *,
    job: Job,
    held: ExitStack,
) -> list[_Due]:
    """What may be sent now, noted as being tried before anything is."""
    found: dict[ItemRef, _Due] = {}
    for name in names:
        with suppress(StoreError):  # another process is delivering it, or its files are broken
            held.enter_context(delivery_lock(workspace.layout, name, patience=0))
            increment = workspace.manager.read(name)
            before = read_attempts(workspace.layout, name)
            mine = {
                one.ref: one
                for operation in _fresh(increment, tracker, job)
                if key_of(operation) not in before
                and (one := _due(workspace, trackers, increment, operation, job))
                and one.ref not in found
            }
            begin = {key_of(one.operation): begun(None, workspace.clock()) for one in mine.values()}
            if mine:
                write_attempts(workspace.layout, name, before | begin)
            found |= mine
    return list(islice(found.values(), MOST_AT_ONCE))


def _due(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    operation: Operation,
    job: Job,
) -> _Due | None:
    parts = writable(workspace.config, increment, operation)
    if refusal(operation, parts):
        return None
    try:
        ref = trackers.locate(link_of(increment, operation))
    except UnlatchError:
        return None
    name = trackers.settings(ref.tracker).name(ref)
    change = wanted_change(operation, increment, workspace.config, job)
    return _Due(increment, Delivery(operation, name, ref), ref, change)


def _sent(
    trackers: Trackers, tracker: str, due: list[_Due]
) -> Sequence[Outcome | UnlatchError | None]:
    try:
        return trackers.open(tracker).change_many([(one.ref, one.change) for one in due])
    except UnlatchError as error:
        return [error] * len(due)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
        return [unexpected(error)] * len(due)


def _settled(
    workspace: Workspace, trackers: Trackers, one: _Due, outcome: Outcome | UnlatchError | None
) -> Delivery | None:
    """What became of an operation, written down; None if it is to be sent by itself."""
    if isinstance(outcome, Outcome):
        return _recorded(workspace, trackers, one, outcome)
    if outcome is None:
        _note(workspace, one, None)
        return None
    _note(workspace, one, outcome)
    if isinstance(outcome, Conflict):
        return None  # by itself it is asked for its marker first: it counts as tried now
    return _failed(workspace, one, outcome)


def _recorded(workspace: Workspace, trackers: Trackers, one: _Due, outcome: Outcome) -> Delivery:
    parts = writable(workspace.config, one.increment, one.operation)
    notes = (*outcome.notes, *left_out(one.operation, parts))
    done = replace(one.delivery, outcome=replace(outcome, notes=notes))
    try:
        done, increment = where_found(workspace, trackers, one.increment, done)
        record_delivery(workspace, increment, done)
    except UnlatchError as error:
        _note(workspace, one, error)
        return replace(one.delivery, error=error)
    _note(workspace, one, None)
    return done


def _failed(workspace: Workspace, one: _Due, error: UnlatchError) -> Delivery:
    delivery = replace(one.delivery, error=error)
    if is_final(error, None):
        # Where even that cannot be written, it simply stays owed.
        with suppress(StoreError):
            park(workspace.manager, one.increment.id, one.operation, cause=error.id)
            return replace(delivery, parked=True)
    return delivery


def _note(workspace: Workspace, one: _Due, error: UnlatchError | None) -> None:
    """Note how an attempt ended; without an error it is as if there had been none."""
    name, now, key = one.increment.id, workspace.clock(), key_of(one.operation)
    attempts = read_attempts(workspace.layout, name)
    if error is None:
        attempts.pop(key, None)
    else:
        tried = attempts.get(key) or begun(None, now)
        attempts[key] = ended(tried, now, cause=error.id, not_before=not_before(error, now))
    with suppress(StoreError):
        write_attempts(workspace.layout, name, attempts)
