"""Recording what an operation did, from what the tracker answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.delivery.verify import reached
from unlatch.increments.files.outbox import record_delivery
from unlatch.increments.model.increment import Base, Link, SyncedItem
from unlatch.increments.records.operation import write_seen
from unlatch.spi.operation import Change, Kind, seen_of

if TYPE_CHECKING:
    from unlatch.delivery.course import Course
    from unlatch.delivery.result import Reached
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.item import RemoteItem
    from unlatch.spi.operation import Operation, Outcome, SeenItem


def keep(course: Course, outcome: Outcome) -> Reached:
    """Keep what was done so far, from what the item was before the first attempt."""
    attempt = course.operation.attempt
    before = attempt.before if attempt and course.operation.kind is not Kind.UNDO else None
    before = before or found_before(course)
    course.outcome = reached(
        course.operation.kind,
        course.asked or Change(course.operation.op),
        before,
        outcome,
        commented=bool(course.markers) or outcome.commented,
    )
    return course.outcome


def found_before(course: Course) -> SeenItem | None:
    """What the item is, as long as nobody has done anything of the operation; else None.

    A marker without an attempt of ours says that another clone, or an older version, was there.
    """
    if course.snapshot is None or course.markers:
        return None
    return seen_of(course.snapshot.item)


def record(course: Course, done: Reached) -> None:
    """Take a delivered operation out of `pending`, with all that is known of its item now.

    Raises:
        StoreError: the files cannot be written; the operation stays, and is found delivered later.
    """
    increment, operation, after = course.increment, course.operation, done.after
    ref, base = after.ref, _base(increment, after)
    link = None
    if operation.kind is Kind.CREATE:
        link = Link(ref.tracker, ref.id, ref.url, base, story=operation.story)
    record_delivery(
        course.run.workspace.manager,
        increment.id,
        operation,
        reached=SyncedItem(
            ref.tracker,
            ref.id,
            ref.url,
            before=done.before,
            after=seen_of(after),
            labels_added=done.labels_added,
            labels_removed=done.labels_removed,
        ),
        base=base,
        details=_details(operation, done),
        link=link,
    )
    course.error = None


def _base(increment: Increment, after: RemoteItem) -> Base | None:
    """What both sides are, if they are in sync."""
    if after.category.is_open is increment.status.is_finished:
        return None
    return Base(increment.status.value, after.category.value, after.state)


def _details(operation: Operation, done: Reached) -> dict[str, object]:
    return {
        "kind": operation.kind.value,
        "tracker": operation.tracker,
        "item": done.after.ref.url,
        "result": done.result.value,
        "commented": done.commented,
        "before": write_seen(done.before),
        "after": write_seen(seen_of(done.after)),
        "labelsAdded": list(done.labels_added) or None,
        "labelsRemoved": list(done.labels_removed) or None,
        "labelsRefused": list(done.refused) or None,
    }
