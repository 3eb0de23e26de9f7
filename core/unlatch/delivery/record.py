"""Recording what an operation did, from what the tracker answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.increment import Base, Link, SyncedItem
from unlatch.domain.operation import Kind, seen_of
from unlatch.store.operation_record import write_seen
from unlatch.store.outbox import record_delivery

if TYPE_CHECKING:
    from unlatch.delivery.course import Course
    from unlatch.delivery.result import Reached
    from unlatch.domain.increment import Increment
    from unlatch.domain.item import RemoteItem
    from unlatch.domain.operation import Operation


def record(course: Course, reached: Reached) -> None:
    """Take a delivered operation out of `pending`, with all that is known of its item now.

    Raises:
        StoreError: the files cannot be written; the operation stays, and is found delivered later.
    """
    increment, operation, after = course.increment, course.operation, reached.after
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
            before=reached.before,
            after=seen_of(after),
            labels_added=reached.labels_added,
            labels_removed=reached.labels_removed,
        ),
        base=base,
        details=_details(operation, reached),
        link=link,
    )
    course.error = None


def _base(increment: Increment, after: RemoteItem) -> Base | None:
    """What both sides are, if they are in sync."""
    if after.category.is_open is increment.status.is_finished:
        return None
    return Base(increment.status.value, after.category.value, after.state)


def _details(operation: Operation, reached: Reached) -> dict[str, object]:
    return {
        "kind": operation.kind.value,
        "tracker": operation.tracker,
        "item": reached.after.ref.url,
        "result": reached.result.value,
        "commented": reached.commented,
        "before": write_seen(reached.before),
        "after": write_seen(seen_of(reached.after)),
        "labelsAdded": list(reached.labels_added) or None,
        "labelsRemoved": list(reached.labels_removed) or None,
        "labelsRefused": list(reached.refused) or None,
    }
