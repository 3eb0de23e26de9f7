"""The loop of delivery: items side by side, the operations of each in order."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from unlatch.delivery.batch import deliver_batches
from unlatch.delivery.result import Delivery
from unlatch.delivery.service import Item, Service
from unlatch.delivery.side_by_side import side_by_side
from unlatch.delivery.states import Done
from unlatch.delivery.steps import execute
from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unlatch.delivery.course import Course
    from unlatch.delivery.run import Run
    from unlatch.spi.operation import Operation

# An item, and what was delivered to it for which increments.
Made = tuple[Item, list[tuple[str, Delivery]]]


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
    services: list[Service] = []
    unreadable: list[UnlatchError] = []
    # In one order everywhere, so that two processes never wait for each other in a circle.
    for name in sorted(names):
        try:
            services.append(Service(run, name))
        except UnlatchError as error:
            unreadable.append(error)
    served = _served(run, services)
    if len(services) == 1:
        served = _in_order(services[0], served)
    for _, made in served:
        for name, delivery in made:
            report(name, delivery)
    if unreadable:
        raise unreadable[0]


def _served(run: Run, services: Sequence[Service]) -> Iterator[Made]:
    """Serve all items side by side; yields each as it ends, with what was made of it."""
    queues: dict[Item, list[Service]] = {}
    for service in services:
        for item in service.queues:
            queues.setdefault(item, []).append(service)
    tasks = {item: partial(_serve_item, item, waiting) for item, waiting in queues.items()}
    manifests = run.workspace.registry.manifests
    limits = {name: manifest.parallel for name, manifest in manifests.items()}
    return side_by_side(tasks, lane_of=itemgetter(0), limits=limits)


def _in_order(service: Service, served: Iterable[Made]) -> Iterator[Made]:
    """The same for one increment: in the order of its items, each as soon as it may be."""
    ended: dict[Item, Made] = {}
    waiting = list(service.queues)
    for made in served:
        ended[made[0]] = made
        while waiting and waiting[0] in ended:
            yield ended[waiting.pop(0)]


def _serve_item(item: Item, services: Sequence[Service]) -> list[tuple[str, Delivery]]:
    """Deliver what all increments have for an item, one after the other."""
    made: list[tuple[str, Delivery]] = []
    for service in services:
        try:
            made += _serve(service, service.queues[item])
        finally:
            service.done()
    return made


def _serve(service: Service, queue: Sequence[Operation]) -> Iterator[tuple[str, Delivery]]:
    """Deliver what an increment has for an item; what comes later waits for what comes first."""
    items = {operation.item for operation in queue}
    for operation in queue:
        try:
            course = service.begin(operation, items)
        except UnlatchError as error:
            # What is pending is recorded, so a failure means no more than that it still is.
            yield service.name, Delivery(operation, operation.item, error=error)
            return
        if course is None:
            continue  # another process was faster
        requests = _drive(course)
        items.add(course.operation.item)
        if course.has_news(requests):
            yield service.name, course.delivery(requests)
        if course.holds_up_others:
            return


def _drive(course: Course) -> int:
    """Execute its steps until nothing more is to be done in this run; the requests it took."""
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    with measure() as meter:
        while not isinstance(step := course.step, Done):
            execute(course, step)
    return meter.requests
