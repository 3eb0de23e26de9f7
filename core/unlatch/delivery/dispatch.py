"""The loop of delivery: items side by side, the operations of each in order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.delivery.batch import deliver_batches
from unlatch.delivery.course import begin
from unlatch.delivery.result import Delivery
from unlatch.delivery.service import Item, Service
from unlatch.delivery.side_by_side import side_by_side
from unlatch.delivery.states import Done
from unlatch.delivery.steps import execute
from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from unlatch.delivery.course import Course
    from unlatch.delivery.run import Run
    from unlatch.domain.increment import Increment
    from unlatch.domain.operation import Operation

Made = list[tuple[str, Delivery]]


def deliver(run: Run, wanted: Sequence[str], report: Callable[[str, Delivery], None]) -> None:
    """Deliver what is pending for the items of increments.

    What cannot be delivered stays in `pending`; its delivery says why, also where another process
    is delivering. One item's failure never keeps another from being served. Blocked operations
    are passed over, unless the run names them.

    Args:
        wanted: the ids of increments.
        report: called with the increment's id for each delivery as it ends, one at a time.

    Raises:
        UnlatchError: an increment cannot be read; the others have been served.
    """
    names = list(dict.fromkeys(wanted))
    for name, delivery in deliver_batches(run, names):
        run.tried.add(delivery.operation.key)
        report(name, delivery)
    services, unreadable = _opened(run, names)
    made = _in_order(run, services) if len(names) == 1 else _as_they_end(run, services)
    for name, delivery in made:
        report(name, delivery)
    if unreadable:
        raise unreadable[0]


def _opened(run: Run, names: Sequence[str]) -> tuple[list[Service], list[UnlatchError]]:
    services, errors = [], []
    # In one order everywhere, so that two processes never wait for each other in a circle.
    for name in sorted(names):
        try:
            services.append(Service(run, name))
        except UnlatchError as error:
            errors.append(error)
    return services, errors


def _tasks(run: Run, services: Sequence[Service]) -> Mapping[Item, Callable[[], Made]]:
    """A task for each item: what all increments have for it, one after the other."""
    queues: dict[Item, list[Service]] = {}
    for service in services:
        for item in service.queues:
            queues.setdefault(item, []).append(service)
    return {item: partial(_serve_item, run, item, served) for item, served in queues.items()}


def _as_they_end(run: Run, services: Sequence[Service]) -> Iterator[tuple[str, Delivery]]:
    manifests = run.workspace.registry.manifests
    limits = {name: manifest.parallel for name, manifest in manifests.items()}
    tasks = _tasks(run, services)
    for _, made in side_by_side(tasks, lane_of=lambda item: item[0], limits=limits):
        yield from made


def _in_order(run: Run, services: Sequence[Service]) -> Iterator[tuple[str, Delivery]]:
    """The same for one increment: in the order of its items, each as soon as it may be."""
    tasks = _tasks(run, services)
    ended: dict[Item, Made] = {}
    waiting = list(tasks)
    for item, made in side_by_side(tasks):
        ended[item] = made
        while waiting and waiting[0] in ended:
            yield from ended[waiting.pop(0)]


def _serve_item(run: Run, item: Item, services: Sequence[Service]) -> Made:
    made: Made = []
    for service in services:
        try:
            made += _serve(run, service, service.queues[item])
        finally:
            service.done()
    return made


def _serve(run: Run, service: Service, queue: Sequence[Operation]) -> Made:
    made: Made = []
    items = {operation.item for operation in queue}
    for operation in queue:
        try:
            service.open()
            current = service.current(operation, items)
        except UnlatchError as error:
            # What is pending is recorded, so a failure means no more than that it still is.
            made.append((service.name, Delivery(operation, operation.item, error=error)))
            break
        if current is None:
            continue  # another process was faster
        course, requests = _drive(run, service.increment, current)
        items.add(course.operation.item)
        if requests or course.error is not None or not course.operation.is_blocked:
            made.append((service.name, course.delivery(requests)))
        if course.error is not None and not course.operation.is_blocked:
            break  # what comes later on this item waits for what comes first
    return made


def _drive(run: Run, increment: Increment, operation: Operation) -> tuple[Course, int]:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    course = begin(run, increment, operation)
    with measure() as meter:
        while not isinstance(step := course.step, Done):
            execute(course, step)
    return course, meter.requests
