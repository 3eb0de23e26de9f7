"""The JSON documents' common parts. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, problem_entry
from unlatch.increments.records.operation import operation_entry
from unlatch.increments.records.reopens import write_reopen
from unlatch.spi.operation import Kind, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.runtime.output import Json
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.increments.model.status import Status

# The outcome of an operation that had been delivered before.
_FOUND = {
    Kind.REOPEN: "reopened",
    Kind.CLOSE: "closed",
    Kind.CREATE: "created",
    Kind.UPDATE: "updated",
    Kind.UNDO: "closed",
}
_RESUME_OUTCOMES = ("reopened", "already-open", "updated", "pending", "failed")


def delivered_code(deliveries: Iterable[Delivery], left: int = 0) -> int:
    """The exit code of a command that delivered.

    3 if anything that was recorded is left; 5 if a person has to decide about an item.
    """
    deliveries = list(deliveries)
    if left or any(one.error is not None for one in deliveries):
        return UNDELIVERED
    return UNDECIDED if any(one.undecided is not None for one in deliveries) else 0


def increment_entry(increment: Increment, previous: Status) -> Json:
    """An increment whose status may have changed."""
    return {"id": increment.id, "status": increment.status, "previousStatus": previous}


def link_entry(link: Link) -> Json:
    """An increment's link to one item."""
    return {"tracker": link.tracker, "id": link.item, "url": link.url}


def spared_entries(spared: Iterable[tuple[Link, tuple[str, ...]]]) -> list[Json]:
    """The items that stay open, with the unfinished increments that need them."""
    return [{**link_entry(link), "neededBy": list(needed)} for link, needed in spared]


def pending_of(increment: Increment) -> list[Json]:
    """An increment's pending operations."""
    return [{"increment": increment.id, **operation_entry(one)} for one in increment.pending]


def delivery_entry(delivery: Delivery) -> Json:
    """The result of one operation."""
    operation, effect = delivery.operation, delivery.effect
    ref = effect.after.ref if effect else delivery.ref
    return {
        "tracker": operation.tracker,
        "id": ref.id if ref else operation.item,
        "url": ref.url if ref else operation.item if "://" in operation.item else None,
        "kind": operation.kind,
        "outcome": _outcome(delivery),
        "requests": delivery.requests,
        "notes": list(effect.notes) if effect else [],
        "error": problem_entry(delivery.error) if delivery.error else None,
    }


def resume_entry(delivery: Delivery) -> Json:
    """The result of one operation, in the words of resume."""
    made = delivery_entry(delivery)
    del made["kind"]
    outcome = made["outcome"]
    return {**made, "outcome": outcome if outcome in _RESUME_OUTCOMES else "skipped"}


def untouched_entry(link: Link) -> Json:
    """An item that resume left alone, as it was asked to."""
    return {**link_entry(link), "outcome": "skipped", "requests": 0, "notes": [], "error": None}


def _outcome(delivery: Delivery) -> str:
    kind, effect = delivery.operation.kind, delivery.effect
    if delivery.error is not None:
        return "failed" if delivery.is_blocked else "pending"
    if effect is None:
        return "pending"
    is_open_after_undo = kind is Kind.UNDO and effect.after.category.is_open
    if delivery.found and not is_open_after_undo:
        return _FOUND[kind]
    return "skipped" if effect.result is Result.STATE_KEPT else effect.result.value


def reopen_entry(entry: ReopenEntry | None, increment: Increment) -> Json | None:
    """The entry of reopenHistory as it is now, with the items that it was synced to."""
    if entry is None:
        return None
    written = (w for w in increment.data.get("reopenHistory", []) if w.get("id") == entry.id)
    return dict(next(written, write_reopen(entry)))
