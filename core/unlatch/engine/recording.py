"""Writing down what became of an operation, from what the tracker answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.increment import Base, Increment, Link, SyncedItem
from unlatch.domain.operation import Kind
from unlatch.store.outbox import record

if TYPE_CHECKING:
    from unlatch.domain.item import RemoteItem
    from unlatch.domain.operation import Outcome
    from unlatch.engine.progress import Delivery
    from unlatch.engine.workspace import Workspace


def record_delivery(workspace: Workspace, increment: Increment, delivery: Delivery) -> None:
    """Take a delivered operation out of `pending`, with all that is known of its item now.

    Raises:
        StoreError: the files cannot be written; the operation stays, and is found delivered later.
    """
    outcome, operation = delivery.outcome, delivery.operation
    if outcome is None:
        return
    after = outcome.after
    base = _base(increment, after)
    link = None
    if operation.kind is Kind.CREATE:
        link = Link(after.ref.tracker, after.ref.id, after.ref.url, base, story=operation.story)
    record(
        workspace.manager,
        increment.id,
        operation,
        reached=SyncedItem(after.ref.tracker, after.ref.id, after.ref.url),
        base=base,
        details=_details(delivery, outcome),
        link=link,
    )


def _base(increment: Increment, after: RemoteItem) -> Base | None:
    """What both sides are, if they are in step."""
    if after.category.is_open is increment.status.is_finished:
        return None
    return Base(increment.status.value, after.category.value, after.state)


def _details(delivery: Delivery, outcome: Outcome) -> dict[str, object]:
    return {
        "kind": delivery.operation.kind.value,
        "tracker": delivery.operation.tracker,
        "item": outcome.after.ref.url,
        "result": outcome.result.value,
        "commented": outcome.commented or delivery.found,
        "before": _seen(outcome.before),
        "after": _seen(outcome.after),
        # Not what differs between the two: people may have relabelled the item in between.
        "labelsAdded": list(outcome.labels_added) or None,
        "labelsRemoved": list(outcome.labels_removed) or None,
    }


def _seen(item: RemoteItem | None) -> dict[str, object] | None:
    if item is None:
        return None
    seen: dict[str, object] = {
        "state": item.state,
        "category": item.category.value,
        "labels": list(item.labels),
    }
    return {**seen, "revision": item.revision} if item.revision else seen
