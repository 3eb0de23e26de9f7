"""Send many operations in few requests, to trackers that can take them together.

Only operations that this process has just made go this way, since all others have to be probed.
The loop handles every operation that is not delivered here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial

from unlatch.delivery.changes import is_empty
from unlatch.delivery.planning import expected_change
from unlatch.delivery.read_items import read_items
from unlatch.delivery.record import note_attempts, record_failure
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.states import Block, Event, Send, advance, begin_contact
from unlatch.delivery.steps import conclude, execute, plan_remaining
from unlatch.delivery.task import Delivery, DeliveryTask, make_task
from unlatch.errors import Conflict, Unauthorised, UnlatchError, unexpected
from unlatch.increments.files.locks import delivery_lock
from unlatch.increments.files.outbox import Failure, close_attempt
from unlatch.increments.model.increment import Increment
from unlatch.increments.records.links import identity, link_of
from unlatch.spi import Capability, Snapshot
from unlatch.spi.change import Change, Outcome
from unlatch.spi.operation import Kind

MAX_TOGETHER = 200
# Fewer operations than these are sent one by one, in parallel.
_MIN_TOGETHER = 3
_KINDS = (Kind.REOPEN, Kind.CLOSE)

Pending = tuple[DeliveryTask, Snapshot, Change]


def deliver_batches(
    run: DeliveryRun, increments: Sequence[Increment]
) -> Iterator[tuple[str, Delivery]]:
    """Deliver operations together where possible; yield those tried with their increment's id."""
    if not run.fresh:
        return
    for tracker in run.workspace.settings:
        names = [
            increment.id
            for increment in increments
            if any(operation.tracker == tracker for operation in increment.pending)
        ]
        can_batch = Capability.BATCH in run.trackers.registry.manifest(tracker).capabilities
        if can_batch and len(names) >= _MIN_TOGETHER:
            yield from _deliver(run, iter(names), tracker)


def _deliver(
    run: DeliveryRun, names: Iterator[str], tracker: str
) -> Iterator[tuple[str, Delivery]]:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    while True:
        with ExitStack() as locks:
            tasks = _claim(run, names, tracker, locks)
            if len(tasks) < _MIN_TOGETHER:
                return
            with measure() as meter:
                sent = _send(run, tracker, tasks)
            requests = meter.requests
            for task in sent:
                if _is_concluded(task):
                    # All requests are counted, once.
                    requests += run.trackers.take_planning(task.link)
                    yield task.increment.id, task.result(requests)
                    requests = 0


def _claim(
    run: DeliveryRun, names: Iterator[str], tracker: str, locks: ExitStack
) -> list[DeliveryTask]:
    """Lock the next increments, and return the operations to send, one for each item."""
    claimed: dict[tuple[str, str], DeliveryTask] = {}
    for name in names:
        # If another process delivers it, or its files are broken, the loop reports that.
        with suppress(UnlatchError), ExitStack() as lock:
            lock.enter_context(delivery_lock(run.workspace.paths, name, patience=0))
            tasks = _sendable(run, run.workspace.manager.read(name), tracker)
            if tasks:
                locks.push(lock.pop_all())
            for task in tasks:
                claimed.setdefault(identity(task.link), task)
        if len(claimed) >= MAX_TOGETHER:
            break
    return list(claimed.values())


def _sendable(run: DeliveryRun, increment: Increment, tracker: str) -> list[DeliveryTask]:
    """Return the operations that may be sent at once, on items without other operations."""
    operations = [operation for operation in increment.pending if operation.tracker == tracker]
    items = [identity(link_of(increment, operation)) for operation in operations]
    tasks = (
        make_task(run, increment, operation)
        for operation, item in zip(operations, items, strict=True)
        if operation.kind in _KINDS and run.includes(operation) and items.count(item) == 1
    )
    # Only a fresh operation may be sent in the first step. The loop reports a missing item.
    return [task for task in tasks if isinstance(task.step, Send) and task.ref is not None]


def _is_concluded(task: DeliveryTask) -> bool:
    """Record an obstacle; return whether the loop need not try it again in this run."""
    while isinstance(step := task.step, Block):
        execute(task, step)
    return task.evidence.last not in (None, Event.NOT_TAKEN, Event.LIMITED)


def _send(run: DeliveryRun, tracker: str, tasks: list[DeliveryTask]) -> list[DeliveryTask]:
    """Read all items, then write them, a request at a time; return the operations tried."""
    answers = list(_answers(run, tasks))
    readable = [(task, answer) for task, answer in answers if isinstance(answer, Snapshot)]
    planned, sent = list(_plan(readable)), list[Pending]()
    size = run.trackers.open(tracker).writes_together if planned else 1
    for start in range(0, len(planned), size):
        pending = _note(_still_allowed(run, tracker, planned[start : start + size]))
        for (task, _, change), outcome in zip(pending, _write(run, tracker, pending), strict=True):
            _conclude(task, change, outcome)
        sent += pending
    # A credential that does not suffice would be refused once more for each.
    refused = [(task, error) for task, error in answers if isinstance(error, Unauthorised)]
    for task, error in refused:
        task.evidence = begin_contact(task.operation, None, task.evidence)
        record_failure(task, error)
    return [*(task for task, _, _ in sent), *(task for task, _ in refused)]


def _still_allowed(run: DeliveryRun, tracker: str, planned: Sequence[Pending]) -> Sequence[Pending]:
    """These changes; none at the end of the command's time, or if the tracker has failed."""
    with suppress(UnlatchError):  # the loop reports why
        run.trackers.check_open(tracker)
        return planned
    return ()


def _answers(
    run: DeliveryRun, tasks: Sequence[DeliveryTask]
) -> Iterator[tuple[DeliveryTask, Snapshot | UnlatchError]]:
    """The items as just read for a plan, else as they are now."""
    unread = []
    for task in tasks:
        task.snapshot = run.ahead.take(task.operation, task.ref, partial(expected_change, task))
        if task.snapshot is None:
            unread.append(task)
        else:
            yield task, task.snapshot
    yield from zip(unread, read_items(unread), strict=True)


def _plan(readable: Sequence[tuple[DeliveryTask, Snapshot]]) -> Iterator[Pending]:
    for task, snapshot in readable:
        with suppress(UnlatchError):  # the loop reports why
            change = plan_remaining(task, snapshot.item)
            if not is_empty(change):
                yield task, snapshot, change


def _note(planned: Iterable[Pending]) -> list[Pending]:
    """Note all attempts, with one write for each increment."""
    groups: dict[str, list[Pending]] = defaultdict(list)
    for pending in planned:
        groups[pending[0].increment.id].append(pending)
    noted: list[Pending] = []
    for group in groups.values():
        for task, _, _ in group:
            evidence = begin_contact(task.operation, task.operation.attempt, task.evidence)
            task.evidence = replace(evidence, sends=1)
        with suppress(UnlatchError):  # nothing was sent; the loop reports why
            events = note_attempts([task for task, _, _ in group])
            noted += [
                pending for pending, event in zip(group, events, strict=True) if event is None
            ]
    return noted


def _write(
    run: DeliveryRun, tracker: str, pending: list[Pending]
) -> Sequence[Outcome | UnlatchError | None]:
    if not pending:
        return []
    from unlatch.transport import finishing  # noqa: PLC0415  (requests is slow to load)

    try:
        changes = [(snapshot, change) for _, snapshot, change in pending]
        with finishing():
            return run.trackers.open(tracker).write_many(changes)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
        return [unexpected(error)] * len(pending)


def _conclude(task: DeliveryTask, change: Change, outcome: Outcome | UnlatchError | None) -> None:
    try:
        if isinstance(outcome, Outcome):
            task.evidence = advance(task.evidence, conclude(task, change, outcome))
        elif outcome is None or isinstance(outcome, Conflict):
            # Nothing was taken, so the loop sends it by itself without a wait.
            name, operation = task.increment.id, task.operation
            close_attempt(task.manager, name, operation, Failure("conflict", counts=False))
        else:
            record_failure(task, outcome)
    except UnlatchError as error:
        record_failure(task, error)
