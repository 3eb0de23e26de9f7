"""Delivering what items are owed: items side by side, the operations of each in order."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.domain.increment import Increment, Link
from unlatch.domain.operation import Kind, Operation
from unlatch.engine.attempt import Attempt, Job
from unlatch.engine.progress import Delivery
from unlatch.engine.recording import record_delivery
from unlatch.engine.side_by_side import side_by_side
from unlatch.errors import (
    NotFound,
    Rejected,
    StoreError,
    TrackerError,
    Transient,
    UnlatchError,
    unexpected,
)
from unlatch.store.attempts import Tried, begun, ended, key_of, read_attempts, write_attempts
from unlatch.store.locks import delivery_lock
from unlatch.store.outbox import park

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from unlatch.engine.progress import Report
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace

__all__ = ["Job", "deliver"]

# A delivery waits for another one of the same increment; that one is bounded by its timeouts.
DELIVERY_PATIENCE = 120.0
# After so many failures on this machine an operation waits for somebody to look at it.
MOST_ATTEMPTS = 5

_Key = tuple[str, str]
_Before = dict[tuple[str, str, str], Tried]


def deliver(
    workspace: Workspace, trackers: Trackers, wanted: str, job: Job, *, report: Report
) -> list[Delivery]:
    """Deliver what the items of one increment are owed.

    What cannot be delivered stays in `pending`; its delivery says why, also where another process
    is delivering. One item's failure never keeps another from being served.

    Args:
        report: told of each delivery as it ends, in this thread.

    Raises:
        UnlatchError: the increment cannot be read.
    """
    increment = workspace.manager.read(wanted)
    queues = _queues(increment, job)
    done: list[Delivery] = []

    def note(delivery: Delivery) -> None:
        report(delivery)
        done.append(delivery)

    if queues:
        try:
            _serve(workspace, trackers, increment.id, job, note=note)
        except UnlatchError as error:
            # What is owed is recorded, so a failure means no more than that it is still owed.
            told = {key_of(delivery.operation) for delivery in done}
            for operation in (owed for queue in queues.values() for owed in queue):
                if key_of(operation) not in told:
                    note(Delivery(operation, operation.item, error=error))
    order = {key_of(operation): place for place, operation in enumerate(increment.pending)}
    return sorted(done, key=lambda one: order.get(key_of(one.operation), len(order)))


def _serve(workspace: Workspace, trackers: Trackers, name: str, job: Job, *, note: Report) -> None:
    manager = workspace.manager
    done: list[Delivery] = []
    with delivery_lock(workspace.layout, name, patience=DELIVERY_PATIENCE):
        increment = manager.read(name)
        queues = _queues(increment, job)
        before = read_attempts(workspace.layout, name)
        now = workspace.clock()
        attempts = before | {
            key_of(queue[0]): begun(before.get(key_of(queue[0])), now) for queue in queues.values()
        }
        # Noted before anything is sent: whoever comes after a crash knows that something was.
        write_attempts(workspace.layout, name, attempts)
        tasks = {
            key: _queue_task(workspace, trackers, increment, queue, job, before=before)
            for key, queue in queues.items()
        }
        for delivery in _in_order(tasks):
            note(delivery)
            done.append(delivery)
        _note_attempts(workspace, name, attempts, done)


def _in_order(tasks: Mapping[_Key, Callable[[], list[Delivery]]]) -> Iterator[Delivery]:
    """Deliver all queues side by side; tell of them in their order, each as soon as it may be."""
    ended: dict[_Key, list[Delivery]] = {}
    waiting = list(tasks)
    for key, deliveries in side_by_side(tasks):
        ended[key] = deliveries
        while waiting and waiting[0] in ended:
            yield from ended[waiting.pop(0)]


def _note_attempts(
    workspace: Workspace, name: str, attempts: _Before, done: list[Delivery]
) -> None:
    now = workspace.clock()
    for delivery in done:
        key = key_of(delivery.operation)
        if delivery.error is None:
            attempts.pop(key, None)
            continue
        tried = attempts.get(key) or begun(None, now)
        attempts[key] = ended(
            tried, now, cause=delivery.error.id, not_before=_not_before(delivery.error, now)
        )
    owed = {key_of(operation) for operation in workspace.manager.read(name).pending}
    left = {key: tried for key, tried in attempts.items() if key in owed}
    write_attempts(workspace.layout, name, left)


def _not_before(error: UnlatchError, now: datetime) -> datetime | None:
    if isinstance(error, Transient) and error.retry_after:
        return now + timedelta(seconds=error.retry_after)
    return None


def _queues(increment: Increment, job: Job) -> dict[tuple[str, str], list[Operation]]:
    queues: dict[tuple[str, str], list[Operation]] = {}
    for operation in increment.pending:
        if job.tracker in (None, operation.tracker):
            queues.setdefault((operation.tracker, operation.item), []).append(operation)
    return queues


def _queue_task(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    queue: list[Operation],
    job: Job,
    *,
    before: _Before,
) -> Callable[[], list[Delivery]]:
    def run() -> list[Delivery]:
        deliveries = []
        for operation in queue:
            tried = before.get(key_of(operation))
            delivery = _deliver_one(workspace, trackers, increment, operation, job, tried=tried)
            deliveries.append(delivery)
            if not delivery.is_done:
                break  # what comes later on this item waits for what comes first
        return deliveries

    return run


def _deliver_one(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    operation: Operation,
    job: Job,
    *,
    tried: Tried | None,
) -> Delivery:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    delivery = Delivery(operation, operation.item)
    with measure() as meter:
        try:
            delivery = _located(trackers, increment, delivery)
            attempt = Attempt(workspace, trackers, increment, delivery, job, tried=tried)
            delivery = _named(trackers, attempt.run())
            record_delivery(workspace, increment, delivery)
        except UnlatchError as error:
            delivery = replace(delivery, outcome=None, error=error)
            if _is_final(error, tried):
                # Where even that cannot be written, it simply stays owed.
                with suppress(StoreError):
                    park(workspace.manager, increment.id, operation, cause=error.id)
                    delivery = replace(delivery, parked=True)
        except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
            delivery = replace(delivery, outcome=None, error=unexpected(error))
    return replace(delivery, requests=meter.requests)


def _named(trackers: Trackers, delivery: Delivery) -> Delivery:
    """The delivery with the item that a create has only just made."""
    if delivery.ref is not None or delivery.outcome is None:
        return delivery
    ref = delivery.outcome.after.ref
    return replace(delivery, ref=ref, name=trackers.settings(ref.tracker).name(ref))


def _is_final(error: UnlatchError, tried: Tried | None) -> bool:
    """Whether trying again would change nothing until somebody does something about it."""
    if isinstance(error, Rejected | NotFound):
        return True
    failures = tried.count + 1 if tried else 1
    return isinstance(error, TrackerError) and failures >= MOST_ATTEMPTS


def _located(trackers: Trackers, increment: Increment, delivery: Delivery) -> Delivery:
    operation = delivery.operation
    if operation.kind is Kind.CREATE:
        return delivery
    link = next(
        (
            link
            for link in increment.links
            if (link.tracker, link.key) == (operation.tracker, operation.item)
        ),
        None,
    )
    is_url = "://" in operation.item
    link = link or Link(operation.tracker, operation.item, operation.item if is_url else None)
    ref = trackers.locate(link)
    return replace(delivery, ref=ref, name=trackers.settings(ref.tracker).name(ref))
