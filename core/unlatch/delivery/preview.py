"""What delivering a plan would send: the decisions of the delivery, followed by reads alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from unlatch.delivery.changes import left_of
from unlatch.delivery.course import Course, begin
from unlatch.delivery.reading import read_all
from unlatch.delivery.wanted import change_for, refuse_deliberate, said_by
from unlatch.errors import Rejected, UnlatchError
from unlatch.increments.records.links import link_of
from unlatch.spi import Capability, Snapshot
from unlatch.spi.operation import Change, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.delivery.run import Run
    from unlatch.increments.files.plans import Plan
    from unlatch.increments.model.increment import Link
    from unlatch.spi import PlannedRequest
    from unlatch.spi.item import RemoteItem
    from unlatch.spi.operation import Operation


@dataclass(frozen=True, slots=True)
class Previewed:
    """One operation, and what delivering it would send.

    Args:
        operation: the operation; one that would be new has an id of its own all the same.
        link: its item's link.
        name: how people call the item.
        change: what would be asked of the plugin.
        item: the item as it is now; None if it was not or could not be read.
        requests: what would be sent, in order; nothing for an item that could not be read.
        was_pending: whether it is pending already, so that the item would be searched for its
            marker first; where that is found, less is sent.
        error: why it would not be delivered.
    """

    operation: Operation
    link: Link
    name: str
    change: Change
    item: RemoteItem | None = None
    requests: tuple[PlannedRequest, ...] = ()
    was_pending: bool = False
    error: UnlatchError | None = None

    @property
    def is_unread(self) -> bool:
        """Whether the item could not be read, so that nothing is known of it."""
        is_create = self.operation.kind is Kind.CREATE
        return self.error is not None and self.item is None and not is_create


@dataclass(frozen=True, slots=True)
class Preview:
    """What a command would do.

    Args:
        plan: what it would change about the increment.
        items: what would be sent to its items, in the order of the operations.
        spared: links whose items stay open, with the unfinished increments that need them.
        warnings: rule violations that would not refuse it.
        scope: what it would change about the increment's work, if it does.
    """

    plan: Plan
    items: tuple[Previewed, ...]
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    warnings: tuple[UnlatchError, ...] = ()
    scope: Any = None

    @property
    def requests(self) -> int:
        """How many requests would be sent."""
        return sum(len(item.requests) for item in self.items)

    @property
    def is_exact(self) -> bool:
        """Whether these requests are all of them, and none is left out on the way."""
        return not any(one.was_pending or one.operation.kind is Kind.UPDATE for one in self.items)


def preview(run: Run, plan: Plan, *, offline: bool = False) -> tuple[Previewed, ...]:
    """What delivering everything that would be pending would send.

    Args:
        offline: whether the items are left for later; they are not read then.
    """
    return preview_all(run, [plan], offline=offline)[0]


def preview_all(
    run: Run, plans: Sequence[Plan], *, offline: bool = False
) -> list[tuple[Previewed, ...]]:
    """The same for the plans of several increments, whose items are read together."""
    run = replace(run, fresh=frozenset().union(*(plan.new for plan in plans)))
    planned = [
        [begin(run, plan.after, one) for one in plan.operations if run.is_tried(one)]
        for plan in plans
    ]
    courses = [course for some in planned for course in some]
    shown = iter(_shown_offline(courses) if offline else _shown(courses))
    known = {one.key for plan in plans for one in plan.before.pending}
    return [
        tuple(replace(one, was_pending=one.operation.key in known) for one in islice(shown, count))
        for count in map(len, planned)
    ]


def _shown_offline(courses: list[Course]) -> list[Previewed]:
    return [_unread(course) for course in courses]


def _shown(courses: list[Course]) -> list[Previewed]:
    existing = [one for one in courses if one.operation.kind is not Kind.CREATE]
    found = {id(existing[place]): one for place, one in read_all(existing).items()}
    return [_previewed(course, found.get(id(course))) for course in courses]


def _previewed(course: Course, found: Snapshot | UnlatchError | None) -> Previewed:
    shown = _unread(course)
    if isinstance(found, UnlatchError):
        return replace(shown, error=shown.error or found)
    if found is not None:
        shown = replace(shown, item=found.item)
    if shown.error is not None:
        return shown
    try:
        change = shown.change if found is None else change_for(course, found.item)
        if found is not None:
            refuse_deliberate(found.item, change)
    except UnlatchError as error:
        return replace(shown, error=error, requests=_reads(course, found, shown.change))
    shown = replace(shown, change=change, error=_left_as_it_is(course, change))
    return shown if shown.error else _listed(course, shown, found)


def _reads(course: Course, found: Snapshot | None, said: Change) -> tuple[PlannedRequest, ...]:
    """The requests up to the one whose answer a change is refused for."""
    nothing = Change(said.op, options=said.options)
    return course.plugin.plan(found, nothing) if found else ()


def _unread(course: Course) -> Previewed:
    link = link_of(course.increment, course.operation)
    shown = Previewed(course.operation, link, course.name, Change(course.operation.op))
    try:
        return replace(shown, change=said_by(course))
    except UnlatchError as error:
        return replace(shown, error=error)


def _left_as_it_is(course: Course, change: Change) -> UnlatchError | None:
    """Why an undo would leave its item alone."""
    is_moved = change.goal or change.comment or change.add_labels or change.remove_labels
    if course.operation.kind is not Kind.UNDO or is_moved:
        return None
    why = "; ".join(course.notes) or "the reopen did nothing there"
    return Rejected("left-as-it-is", f"it would be left as it is: {why}")


def _listed(course: Course, shown: Previewed, found: Snapshot | None) -> Previewed:
    try:
        left = shown.change if found is None else left_of(shown.change, found.item, commented=False)
        shown = replace(shown, requests=course.plugin.plan(found, left))
        if shown.requests and course.can(Capability.APPROVE):
            course.plugin.approve(found, left)
    except UnlatchError as error:
        return replace(shown, error=error)
    return shown
