"""The loop of delivery: items in parallel, the operations of each in order."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from operator import itemgetter

from unlatch.delivery.batch import deliver_batches
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.states import Done
from unlatch.delivery.steps import execute
from unlatch.delivery.task import Delivery, DeliveryTask, make_task
from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.locks import delivery_lock
from unlatch.increments.model.increment import Increment
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.pending import is_in_doubt
from unlatch.spi.operation import Operation
from unlatch.worklog.parallel import run_parallel

# Seconds to wait for another delivery of the same increment, whose requests have deadlines.
LOCK_TIMEOUT = 120.0

Item = tuple[str, str]
Deliveries = list[tuple[str, Delivery]]


def deliver(
    run: DeliveryRun, increments: Iterable[Increment], report: Callable[[str, Delivery], None]
) -> None:
    """Deliver the pending operations of increments, each as it is on disk by then.

    An operation that cannot be delivered stays in `pending`; its delivery says why, also where
    another process is delivering. One item's failure does not stop the others. Blocked operations
    are skipped, unless the run names them.

    Args:
        report: called with the increment's id for each delivery as it ends, one at a time.

    Raises:
        UnlatchError: an increment cannot be read; the others have been served.
    """
    by_id = {increment.id: increment for increment in increments}
    for name, delivery in deliver_batches(run, [*by_id.values()]):
        run.attempted.add(delivery.operation.key)
        report(name, delivery)
    queues: list[_IncrementQueues] = []
    unreadable: list[UnlatchError] = []
    # The order is the same everywhere, so that two processes never wait for each other.
    for name in sorted(by_id):
        try:
            queues.append(_IncrementQueues(run, name))
        except UnlatchError as error:
            unreadable.append(error)
    served = _serve_all(run, queues)
    for _, deliveries in _in_order(queues[0], served) if len(queues) == 1 else served:
        for name, delivery in deliveries:
            report(name, delivery)
    if unreadable:
        raise unreadable[0]


class _IncrementQueues:
    """The operations of one increment by item; its lock is held from the first to the last."""

    def __init__(self, run: DeliveryRun, name: str) -> None:
        self._run = run
        self.name = name
        self._lock = threading.Lock()
        self._held = ExitStack()
        self._is_held = self._was_awaited = False
        self._locked = 0.0
        self.items: dict[Item, list[Operation]] = {}
        self.increment = increment = run.workspace.manager.read(name)
        for operation in increment.pending:
            if run.includes(operation) and run.may_send(increment, operation):
                item = identity(link_of(increment, operation))
                self.items.setdefault(item, []).append(operation)
        self._left = len(self.items)

    def begin(self, operation: Operation, keys: set[str]) -> DeliveryTask | None:
        """Begin to deliver an operation as it is on disk; None if it is no longer pending.

        Also if it says something else by now, which nobody agreed to. Its item may have any of the
        keys. `locked`: another process is delivering.
        """
        with self._lock:
            if not self._is_held:
                self._was_awaited = self._enter_lock()
                self._locked, self._is_held = self._run.clock(), True
        increment = self._run.workspace.manager.read(self.name)
        for pending in increment.pending:
            is_same = (pending.op, pending.tracker) == (operation.op, operation.tracker)
            if is_same and pending.item in keys and self._run.may_send(increment, pending):
                if is_in_doubt(pending) and (
                    self._was_awaited or pending.attempt != operation.attempt
                ):
                    # Another process has sent it since this run began.
                    self._run.mark_unknown(link_of(increment, pending), since=self._locked)
                return make_task(self._run, increment, pending)
        return None

    def _enter_lock(self) -> bool:
        """Take the increment's lock; whether another process had it."""
        paths = self._run.workspace.paths
        try:
            self._held.enter_context(delivery_lock(paths, self.name, patience=0))
        except StoreError as error:
            if error.id != "locked":
                raise
            self._held.enter_context(delivery_lock(paths, self.name, patience=LOCK_TIMEOUT))
            return True
        return False

    def end_item(self) -> None:
        """Count an item as served; after the last one release the lock."""
        with self._lock:
            self._left -= 1
            if self._left <= 0:
                self._held.close()


def _serve_all(
    run: DeliveryRun, queues: Sequence[_IncrementQueues]
) -> Iterator[tuple[Item, Deliveries]]:
    """Serve all items in parallel; yield each with its deliveries as it ends."""
    waiting: dict[Item, list[_IncrementQueues]] = {}
    for queue in queues:
        for item in queue.items:
            waiting.setdefault(item, []).append(queue)
    _expect_reads(run, waiting)
    run.trackers.load_in_order(tracker for tracker, _ in waiting)
    jobs = {item: partial(_serve_item, run, item, needing) for item, needing in waiting.items()}
    limits = {
        manifest.name: manifest.parallel for manifest in run.workspace.registry.manifests.values()
    }
    return run_parallel(jobs, lane_of=itemgetter(0), limits=limits)


def _expect_reads(run: DeliveryRun, waiting: Mapping[Item, Sequence[_IncrementQueues]]) -> None:
    """Let the run read many items together, where one write to each follows.

    Another operation on the same item would find it changed by the one before.
    """
    for item, queues in waiting.items():
        operations = [operation for queue in queues for operation in queue.items[item]]
        if len(operations) == 1 and run.is_fresh(operations[0]):
            run.ahead.expect(operations[0], link_of(queues[0].increment, operations[0]))


def _in_order(
    queues: _IncrementQueues, served: Iterable[tuple[Item, Deliveries]]
) -> Iterator[tuple[Item, Deliveries]]:
    """Yield one increment's items in their order, each as soon as possible."""
    ended: dict[Item, Deliveries] = {}
    waiting = list(queues.items)
    for item, deliveries in served:
        ended[item] = deliveries
        while waiting and waiting[0] in ended:
            yield waiting[0], ended[waiting.pop(0)]


def _serve_item(run: DeliveryRun, item: Item, queues: Sequence[_IncrementQueues]) -> Deliveries:
    """Deliver the operations of all increments on an item, one after the other."""
    deliveries: Deliveries = []
    try:
        for queue in queues:
            try:
                deliveries += _serve(queue, queue.items[item])
            finally:
                queue.end_item()
    finally:
        run.trackers.end_turn(item[0])
    return deliveries


def _serve(
    queues: _IncrementQueues, operations: Sequence[Operation]
) -> Iterator[tuple[str, Delivery]]:
    """Deliver an increment's operations on an item; after a failure the later ones wait."""
    keys = {operation.item for operation in operations}
    for operation in operations:
        try:
            task = queues.begin(operation, keys)
        except UnlatchError as error:
            yield queues.name, Delivery(operation, operation.item, error=error)
            return
        if task is None:
            continue  # another process was faster
        planning = task.run.trackers.take_planning(task.link)
        requests = _run(task)
        keys.add(task.operation.item)
        is_skipped = task.operation.is_blocked and task.error is None and not requests
        if not is_skipped:
            yield queues.name, task.result(planning + requests)
        if task.error is not None and not task.operation.is_blocked:
            return


def _run(task: DeliveryTask) -> int:
    """Execute steps until this run has nothing more to do; return the number of requests."""
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    with measure() as meter:
        while not isinstance(step := task.step, Done):
            execute(task, step)
    return meter.requests
