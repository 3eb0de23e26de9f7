"""Delivering what items are owed: items side by side, the operations of each in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.domain.operation import Kind, Operation
from unlatch.engine.attempt import Job
from unlatch.engine.following import follow
from unlatch.engine.giving_up import is_final, not_before
from unlatch.engine.linking import link_of
from unlatch.engine.progress import Delivery
from unlatch.engine.recording import record_delivery
from unlatch.engine.side_by_side import side_by_side
from unlatch.engine.together import deliver_together
from unlatch.errors import (
    StoreError,
    UnlatchError,
    unexpected,
)
from unlatch.store.attempts import Tried, begun, ended, key_of, read_attempts, write_attempts
from unlatch.store.locks import delivery_lock
from unlatch.store.outbox import park

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.domain.increment import Increment
    from unlatch.engine.progress import Report
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace

__all__ = ["Job", "deliver", "deliver_many"]

# A delivery waits for another one of the same increment; that one is bounded by its timeouts.
DELIVERY_PATIENCE = 120.0

Told = Callable[[str, Delivery], None]
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


def deliver_many(
    workspace: Workspace, trackers: Trackers, wanted: Sequence[str], job: Job, *, report: Told
) -> dict[str, list[Delivery]]:
    """Deliver what the items of many increments are owed, increments side by side.

    Trackers take their requests at very different paces, so increments that wait for other trackers
    form lanes of their own: those of a slow one keep nobody else.

    Args:
        report: told of each delivery as it ends, one at a time, with its increment's id.

    Returns:
        The deliveries by increment, in the order of `wanted`.

    Raises:
        UnlatchError: an increment cannot be read; the others have been served.
    """
    one_at_a_time = threading.Lock()
    done: dict[str, list[Delivery]] = {name: [] for name in wanted}
    failed: list[UnlatchError] = []

    def tell(name: str, delivery: Delivery) -> None:
        with one_at_a_time:
            report(name, delivery)

    def serve(name: str) -> None:
        try:
            done[name] += deliver(workspace, trackers, name, job, report=partial(tell, name))
        except UnlatchError as error:
            failed.append(error)

    for name, delivery in deliver_together(workspace, trackers, list(done), job):
        tell(name, delivery)
        done[name].append(delivery)
    tried = frozenset(key_of(one.operation) for made in done.values() for one in made)
    job = replace(job, tried=tried)
    lanes: dict[frozenset[str], dict[str, Callable[[], None]]] = {}
    for name, owing in _owing(workspace, done, job).items():
        lanes.setdefault(owing, {})[name] = partial(serve, name)
    for _ in side_by_side({lane: partial(_all_of, tasks) for lane, tasks in lanes.items()}):
        pass
    if failed:
        raise failed[0]
    return done


def _owing(workspace: Workspace, names: Iterable[str], job: Job) -> dict[str, frozenset[str]]:
    """The trackers that each increment's items wait for; nothing for one that cannot be read."""
    found: dict[str, frozenset[str]] = {}
    for name in names:
        try:
            queues = _queues(workspace.manager.read(name), job)
        except UnlatchError:
            queues = {}
        found[name] = frozenset(tracker for tracker, _ in queues)
    return found


def _all_of(tasks: Mapping[str, Callable[[], None]]) -> None:
    for _ in side_by_side(tasks):
        pass


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
            tried, now, cause=delivery.error.id, not_before=not_before(delivery.error, now)
        )
    owed = {key_of(operation) for operation in workspace.manager.read(name).pending}
    left = {key: tried for key, tried in attempts.items() if key in owed}
    write_attempts(workspace.layout, name, left)


def _queues(increment: Increment, job: Job) -> dict[tuple[str, str], list[Operation]]:
    queues: dict[tuple[str, str], list[Operation]] = {}
    for operation in increment.pending:
        if job.tracker in (None, operation.tracker):
            queues.setdefault((operation.tracker, operation.item), []).append(operation)
    return {key: queue for key, queue in queues.items() if key_of(queue[0]) not in job.tried}


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
        deliveries: list[Delivery] = []
        for operation in queue:
            tried = before.get(key_of(operation))
            # Where an earlier operation found the item elsewhere, it is there for this one, too.
            due = (
                replace(operation, item=deliveries[-1].operation.item) if deliveries else operation
            )
            delivery = _deliver_one(workspace, trackers, increment, due, job, tried=tried)
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
            delivery, increment = follow(workspace, trackers, increment, delivery, job, tried=tried)
            record_delivery(workspace, increment, delivery)
        except UnlatchError as error:
            delivery = replace(delivery, outcome=None, error=error)
            if is_final(error, tried):
                # Where even that cannot be written, it simply stays owed.
                with suppress(StoreError):
                    park(workspace.manager, increment.id, operation, cause=error.id)
                    delivery = replace(delivery, parked=True)
        except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
            delivery = replace(delivery, outcome=None, error=unexpected(error))
    return replace(delivery, requests=meter.requests)


def _located(trackers: Trackers, increment: Increment, delivery: Delivery) -> Delivery:
    operation = delivery.operation
    if operation.kind is Kind.CREATE:
        return delivery
    ref = trackers.locate(link_of(increment, operation))
    return replace(delivery, ref=ref, name=trackers.settings(ref.tracker).name(ref))
