"""The JSON documents of commands that deliver. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.cli.failure import UNDELIVERED, error_entry
from unlatch.domain.operation import Result
from unlatch.store.records import write_reopen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.engine.progress import Delivery


def delivered_code(deliveries: Iterable[Delivery], left: int = 0) -> int:
    """The exit code of a command that delivered: 3 if anything that was recorded is left."""
    return UNDELIVERED if left or not all(d.is_done for d in deliveries) else 0


def increment_entry(increment: Increment, previous: str) -> dict[str, Any]:
    """An increment whose status may have changed."""
    return {
        "id": increment.id,
        "status": increment.status.value,
        "previousStatus": previous,
    }


def delivery_entry(delivery: Delivery) -> dict[str, Any]:
    """What became of one operation."""
    return {
        "tracker": delivery.operation.tracker,
        "id": delivery.ref.id if delivery.ref else delivery.operation.item,
        "url": _url(delivery),
        "kind": delivery.operation.kind.value,
        "outcome": _outcome(delivery),
        "requests": delivery.requests,
        "error": error_entry(delivery.error) if delivery.error else None,
    }


def _url(delivery: Delivery) -> str | None:
    if delivery.outcome is not None:
        return delivery.outcome.after.ref.url
    if delivery.ref is not None:
        return delivery.ref.url
    return delivery.operation.item if "://" in delivery.operation.item else None


def _outcome(delivery: Delivery) -> str:
    if delivery.error is not None:
        return "failed" if delivery.parked else "pending"
    if delivery.outcome is None:
        return "pending"
    result = delivery.outcome.result
    if result is Result.STATE_KEPT:
        # Found delivered, or reduced to its comment by a later change of status.
        return "reopened" if delivery.found else "skipped"
    return result.value


def reopen_entry(entry: ReopenEntry | None, increment: Increment) -> dict[str, Any] | None:
    """The entry of reopenHistory as it stands now, with what it was synced to."""
    if entry is None:
        return None
    for written in increment.data.get("reopenHistory", []):
        if written.get("id") == entry.id:
            return dict(written)
    return write_reopen(entry)
