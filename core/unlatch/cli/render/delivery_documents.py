"""The parts of JSON documents about operations. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, problem_entry
from unlatch.cli.terminal import output
from unlatch.errors import (
    ConfigError,
    Conflict,
    TrackerError,
    Transient,
    UnknownOutcome,
    UsageError,
)
from unlatch.increments.records.pending import operation_entry
from unlatch.project.workspace import utc_now
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.cli.terminal.output import Json
    from unlatch.delivery.task import Delivery
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot

# The outcome of an operation that was delivered before.
_FOUND = {
    Kind.REOPEN: "reopened",
    Kind.CLOSE: "closed",
    Kind.CREATE: "created",
    Kind.UPDATE: "updated",
    Kind.UNDO: "closed",
}
# An item that the same change left as it is now.
DONE_BEFORE = {
    Kind.REOPEN: "was reopened for this reason before; nothing to do",
    Kind.CLOSE: "was closed so before; nothing to do",
}
# Whether, and when, to run a command again for what was left.
NO_RETRY: Json = {"retry": "none", "retryAt": None}
PERSON: Json = {"retry": "person", "retryAt": None}
# Seconds, where a tracker is down, or names no time.
_UNNAMED_RETRY = 60.0
_ALREADY = {Kind.REOPEN: Result.ALREADY_OPEN, Kind.CLOSE: Result.ALREADY_CLOSED}


def delivered_code(deliveries: Iterable[Delivery], left: int = 0) -> int:
    """The exit code of a command that delivered.

    3 if a recorded operation is left; 5 if a person must decide about an item.
    """
    deliveries = list(deliveries)
    if left or any(delivery.error is not None for delivery in deliveries):
        return UNDELIVERED
    return UNDECIDED if any(delivery.undecided is not None for delivery in deliveries) else 0


def pending_of(increment: Increment) -> list[Json]:
    return [
        {"increment": increment.id, **operation_entry(operation)} for operation in increment.pending
    ]


def delivery_entry(delivery: Delivery) -> Json:
    operation, effect = delivery.operation, delivery.effect
    ref = effect.after.ref if effect else delivery.ref
    return {
        "tracker": operation.tracker,
        "id": ref.id if ref else operation.item,
        "url": ref.url if ref else operation.item if "://" in operation.item else None,
        "kind": operation.kind,
        "outcome": _outcome(delivery),
        "requests": delivery.requests,
        "notes": list(delivery.notes),
        "error": problem_entry(delivery.error) if delivery.error else None,
        **_retry_entry(delivery),
    }


def retry_at(seconds: float | None = None) -> Json:
    """Come back after so many seconds; None where the tracker names no time."""
    wait = timedelta(seconds=_UNNAMED_RETRY if seconds is None else seconds)
    return {"retry": "at", "retryAt": stamp(utc_now() + wait)}


def retry_of_error(error: UnlatchError) -> Json:
    """Whether to come back after an error that left something undone, and when."""
    if isinstance(error, Transient | UnknownOutcome | Conflict):
        return retry_at(error.retry_after)
    # Another process, or a full disk, is in the way of the others that are no tracker's.
    is_mistake = isinstance(error, TrackerError | UsageError | ConfigError)
    return PERSON if is_mistake else retry_at()


def _retry_entry(delivery: Delivery) -> Json:
    if delivery.is_blocked or delivery.undecided is not None:
        return PERSON
    if delivery.error is not None:
        return retry_of_error(delivery.error)
    is_left = delivery.effect is None and not delivery.state.is_final  # on purpose
    return retry_at(0.0) if is_left else NO_RETRY


def retry_of_all(parts: Any) -> Json:
    """The same for a whole document: the earliest time, else a person, else nothing."""
    entries = [*_retries(parts)]
    times = [entry["retryAt"] for entry in entries if entry["retry"] == "at"]
    if times:
        return {"retry": "at", "retryAt": min(times)}
    return PERSON if any(entry["retry"] == "person" for entry in entries) else NO_RETRY


def _retries(part: Any) -> Iterator[Json]:
    if isinstance(part, list):
        for entry in part:
            yield from _retries(entry)
    elif isinstance(part, dict):
        if "retry" in part:
            yield part
        for name in ("increments", "trackers", "items", "deliveries"):
            yield from _retries(part.get(name))


def print_document(name: str, code: int, /, **parts: Any) -> None:
    """Print the document of a command that delivers, with `retry` and `retryAt` of the whole."""
    output.document(name, code, **parts, **retry_of_all(parts))


def done_entries(done: Iterable[ItemSnapshot], kind: Kind) -> list[Json]:
    """Items that the same change left as they are now, as deliveries; they were only read."""
    items = [(snapshot.item.ref, snapshot.requests) for snapshot in done if snapshot.item]
    return [
        {
            "tracker": ref.tracker,
            "id": ref.id,
            "url": ref.url,
            "kind": kind,
            "outcome": _ALREADY[kind],
            "requests": requests,
            "notes": [DONE_BEFORE[kind]],
            "error": None,
            **NO_RETRY,
        }
        for ref, requests in items
    ]


def _outcome(delivery: Delivery) -> str:
    kind, effect = delivery.operation.kind, delivery.effect
    if delivery.error is not None:
        return "failed" if delivery.is_blocked else "pending"
    if effect is None:
        return "pending"
    if delivery.operation.labels and (effect.labels_added or effect.labels_removed):
        return "updated"
    is_open_after_undo = kind is Kind.UNDO and effect.after.category.is_open
    if delivery.found and not is_open_after_undo:
        return _FOUND[kind]
    return "skipped" if effect.result is Result.STATE_KEPT else effect.result.value
