"""The parts of JSON documents about operations. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED, problem_entry
from unlatch.increments.records.pending import operation_entry
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.terminal.output import Json
    from unlatch.delivery.task import Delivery
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
_ALREADY = {Kind.REOPEN: Result.ALREADY_OPEN, Kind.CLOSE: Result.ALREADY_CLOSED}


def delivered_code(deliveries: Iterable[Delivery], left: int = 0) -> int:
    """The exit code of a command that delivered.

    3 if a recorded operation is left; 5 if a person must decide about an item.
    """
    deliveries = list(deliveries)
    if left or any(one.error is not None for one in deliveries):
        return UNDELIVERED
    return UNDECIDED if any(one.undecided is not None for one in deliveries) else 0


def pending_of(increment: Increment) -> list[Json]:
    return [{"increment": increment.id, **operation_entry(one)} for one in increment.pending]


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
    }


def done_entries(done: Iterable[ItemSnapshot], kind: Kind) -> list[Json]:
    """Items that the same change left as they are now, as deliveries; nothing was sent."""
    refs = [one.item.ref for one in done if one.item]
    return [
        {
            "tracker": ref.tracker,
            "id": ref.id,
            "url": ref.url,
            "kind": kind,
            "outcome": _ALREADY[kind],
            "requests": 0,
            "notes": [DONE_BEFORE[kind]],
            "error": None,
        }
        for ref in refs
    ]


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
