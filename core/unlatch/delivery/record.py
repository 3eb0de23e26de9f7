"""Recording what an operation did, from what the tracker answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.increment import Base, Increment, Link, SyncedItem
from unlatch.domain.operation import Kind, Operation, seen_of
from unlatch.store.operation_record import write_seen
from unlatch.store.outbox import record_delivery

if TYPE_CHECKING:
    from unlatch.delivery.result import Reached
    from unlatch.domain.item import RemoteItem
    from unlatch.store.manager import MetadataManager


def record(
    manager: MetadataManager, increment: Increment, operation: Operation, reached: Reached
) -> None:
    """Take a delivered operation out of `pending`, with all that is known of its item now.

    Raises:
        StoreError: the files cannot be written; the operation stays, and is found delivered later.
    """
    after = reached.after
    base = base_of(increment, after)
    link = None
    if operation.kind is Kind.CREATE:
        link = Link(after.ref.tracker, after.ref.id, after.ref.url, base, story=operation.story)
    record_delivery(
        manager,
        increment.id,
        operation,
        reached=_synced(reached),
        base=base,
        details=_details(operation, reached),
        link=link,
    )


def base_of(increment: Increment, after: RemoteItem) -> Base | None:
    """What both sides are, if they are in sync."""
    if after.category.is_open is increment.status.is_finished:
        return None
    return Base(increment.status.value, after.category.value, after.state)


def _synced(reached: Reached) -> SyncedItem:
    ref = reached.after.ref
    return SyncedItem(
        ref.tracker,
        ref.id,
        ref.url,
        before=reached.before,
        after=seen_of(reached.after),
        labels_added=reached.labels_added,
        labels_removed=reached.labels_removed,
    )


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
