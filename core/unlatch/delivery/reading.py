"""Reading the items of many operations, in few requests where the tracker can do that."""

from __future__ import annotations

from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING

from unlatch.delivery.side_by_side import side_by_side
from unlatch.delivery.steps import Withdrawn, read
from unlatch.delivery.wanted import foreseen
from unlatch.errors import UnlatchError, unexpected
from unlatch.increments.records.links import link_of
from unlatch.spi import Capability, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch.delivery.course import Course

Found = Snapshot | UnlatchError
# For fewer than these each item is read by itself, side by side.
FEWEST = 3


def read_all(courses: Sequence[Course]) -> Mapping[int, Found]:
    """The items of operations, or why they could not be read, by the place of each operation."""
    groups: dict[object, list[int]] = {}
    for place, course in enumerate(courses):
        groups.setdefault(_group(course), []).append(place)
    tasks: dict[int, Callable[[], Mapping[int, Found]]] = {}
    for places in groups.values():
        if len(places) >= FEWEST and courses[places[0]].can(Capability.STATUS_OF_MANY):
            tasks[places[0]] = partial(_read_together, courses, places)
        else:
            tasks |= {place: partial(_read_one, courses, place) for place in places}
    found: dict[int, Found] = {}
    # Requests count for whoever asked, whichever thread sends them.
    counted = {place: partial(copy_context().run, task) for place, task in tasks.items()}
    for _, some in side_by_side(counted):
        found |= some
    return found


def _group(course: Course) -> object:
    """Operations of one group can be read with the same request."""
    return course.operation.tracker, course.operation.kind, course.operation.state


def _read_one(courses: Sequence[Course], place: int) -> Mapping[int, Found]:
    try:
        return {place: read(courses[place])}
    except UnlatchError as error:
        return {place: error}
    except Withdrawn as withdrawn:
        return {place: UnlatchError("same-item", str(withdrawn))}
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return {place: unexpected(error)}


def _read_together(courses: Sequence[Course], places: Iterable[int]) -> Mapping[int, Found]:
    found: dict[int, Found] = {}
    located: list[int] = []
    for place in places:
        course = courses[place]
        try:
            course.locate(course.run.trackers.locate(link_of(course.increment, course.operation)))
            located.append(place)
        except UnlatchError as error:
            found[place] = error
    if not located:
        return found
    first = courses[located[0]]
    refs = {place: ref for place in located if (ref := courses[place].ref)}
    try:
        answers = first.plugin.read_many(list(dict.fromkeys(refs.values())), foreseen(first))
    except UnlatchError as error:
        return {**found, **dict.fromkeys(located, error)}
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return {**found, **dict.fromkeys(located, unexpected(error))}
    for place, ref in refs.items():
        found[place] = answer = answers[ref]
        if isinstance(answer, Snapshot):
            courses[place].snapshot = answer
    return found
