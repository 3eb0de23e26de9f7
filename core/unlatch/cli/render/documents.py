"""The JSON documents' common parts. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, problem_entry
from unlatch.increments.records.operation import operation_entry
from unlatch.increments.records.records import write_reopen
from unlatch.spi.operation import Kind, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.contracts.parts import (
        DeliveryEntry,
        DeliveryOutcome,
        LinkEntry,
        MovedIncrement,
        PendingEntry,
        PendingOf,
        ResumeEntry,
        ResumeOutcome,
    )
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.increments.model.status import Status
    from unlatch.increments.records.contracts import ReopenRecord
    from unlatch.spi.operation import Operation

_OUTCOMES: dict[Result, DeliveryOutcome] = {
    Result.REOPENED: "reopened",
    Result.ALREADY_OPEN: "already-open",
    Result.CLOSED: "closed",
    Result.ALREADY_CLOSED: "already-closed",
    Result.CREATED: "created",
    Result.UPDATED: "updated",
    Result.STATE_KEPT: "skipped",
}
# What an operation came to that turned out to have been delivered before.
_FOUND: dict[Kind, DeliveryOutcome] = {
    Kind.REOPEN: "reopened",
    Kind.CLOSE: "closed",
    Kind.CREATE: "created",
    Kind.UPDATE: "updated",
    Kind.UNDO: "closed",
}
_RESUME_OUTCOMES: dict[DeliveryOutcome, ResumeOutcome] = {
    "reopened": "reopened",
    "already-open": "already-open",
    "updated": "updated",
    "pending": "pending",
    "failed": "failed",
}


def delivered_code(deliveries: Iterable[Delivery], left: int = 0) -> int:
    """The exit code of a command that delivered.

    3 if anything that was recorded is left; 5 if a person has to decide about an item.
    """
    undecided = False
    for one in deliveries:
        left += one.error is not None
        undecided = undecided or one.undecided is not None
    if left:
        return UNDELIVERED
    return UNDECIDED if undecided else 0


def increment_entry(increment: Increment, previous: Status) -> MovedIncrement:
    """An increment whose status may have changed."""
    return {"id": increment.id, "status": increment.status, "previousStatus": previous}


def link_entry(link: Link) -> LinkEntry:
    """An increment's tie to one item."""
    return {"tracker": link.tracker, "id": link.item, "url": link.url}


def pending_entry(operation: Operation) -> PendingEntry:
    """A pending operation."""
    return operation_entry(operation)


def pending_of(increment: Increment) -> list[PendingOf]:
    """An increment's pending operations."""
    return [{"increment": increment.id, **pending_entry(one)} for one in increment.pending]


def delivery_entry(delivery: Delivery) -> DeliveryEntry:
    """The result of one operation."""
    return {
        "tracker": delivery.operation.tracker,
        "id": _id(delivery),
        "url": _url(delivery),
        "kind": delivery.operation.kind,
        "outcome": _outcome(delivery),
        "requests": delivery.requests,
        "notes": list(delivery.effect.notes) if delivery.effect else [],
        "error": problem_entry(delivery.error) if delivery.error else None,
    }


def resume_entry(delivery: Delivery) -> ResumeEntry:
    """The result of one operation, told as resume tells it."""
    entry = delivery_entry(delivery)
    return {
        "tracker": entry["tracker"],
        "id": entry["id"],
        "url": entry["url"],
        "outcome": _RESUME_OUTCOMES.get(entry["outcome"], "skipped"),
        "requests": entry["requests"],
        "notes": entry["notes"],
        "error": entry["error"],
    }


def untouched_entry(link: Link) -> ResumeEntry:
    """An item that a resume left alone by wish."""
    return {**link_entry(link), "outcome": "skipped", "requests": 0, "notes": [], "error": None}


def _id(delivery: Delivery) -> str:
    if delivery.effect is not None:
        return delivery.effect.after.ref.id
    return delivery.ref.id if delivery.ref else delivery.operation.item


def _url(delivery: Delivery) -> str | None:
    if delivery.effect is not None:
        return delivery.effect.after.ref.url
    if delivery.ref is not None:
        return delivery.ref.url
    return delivery.operation.item if "://" in delivery.operation.item else None


def _outcome(delivery: Delivery) -> DeliveryOutcome:
    if delivery.error is not None:
        return "failed" if delivery.is_blocked else "pending"
    if delivery.effect is None:
        return "pending"
    if delivery.found and not _is_open_after_undo(delivery):
        return _FOUND[delivery.operation.kind]
    return _OUTCOMES[delivery.effect.result]


def _is_open_after_undo(delivery: Delivery) -> bool:
    outcome = delivery.effect
    is_undo = delivery.operation.kind is Kind.UNDO
    return is_undo and outcome is not None and outcome.after.category.is_open


def reopen_entry(entry: ReopenEntry | None, increment: Increment) -> ReopenRecord | None:
    """The entry of reopenHistory as it stands now, with what it was synced to."""
    if entry is None:
        return None
    written = (w for w in increment.data.get("reopenHistory", []) if w.get("id") == entry.id)
    return cast("ReopenRecord", dict(next(written, write_reopen(entry))))
