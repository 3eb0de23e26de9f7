"""The outbox: operations that items are owed, and what became of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import Base, Increment, Link, SyncedItem
from unlatch.domain.operation import Kind
from unlatch.store.links import add_link, base_entry, block_at, same_item
from unlatch.store.records import set_pending, write_synced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.domain.operation import Operation
    from unlatch.store.events import Event
    from unlatch.store.manager import MetadataManager


def new_operations(before: Increment, after: Increment) -> frozenset[str]:
    """The intents that a change has just added to what items are owed."""
    known = {operation.op for operation in before.pending}
    return frozenset(operation.op for operation in after.pending) - known


def owe(manager: MetadataManager, wanted: str, *operations: Operation) -> Increment:
    """Make intents durable that have no change of status behind them."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        set_pending(data, (*before.pending, *operations))
        return []

    return manager.change(wanted, edit)


def record(
    manager: MetadataManager,
    wanted: str,
    operation: Operation,
    *,
    reached: SyncedItem,
    base: Base | None,
    details: Mapping[str, object],
    link: Link | None = None,
) -> Increment:
    """Note that an operation was delivered: it leaves `pending` in this write.

    Args:
        reached: the item that it reached.
        base: what both sides are now, or None if they are not in step.
        details: what the event tells beside it (result, what the item was before).
        link: a link to be written along, for an item that was created.
    """
    item = Link(reached.tracker, reached.item, reached.url)

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        left = tuple(o for o in before.pending if not _same(o, operation))
        if len(left) == len(before.pending) and not _is_undone(before, operation.op):
            return []  # another process was faster; its record stands
        set_pending(data, left)
        for entry in data.get("reopenHistory", []):
            if entry["id"] == operation.op:
                order = [link.item for link in before.links if link.tracker == reached.tracker]
                shape = manager.shapes.synced[reached.tracker]
                write_synced(entry, reached, shape, order=order)
        tied = [known for known in before.links if same_item(known, item)]
        for known in tied:
            if base is not None:
                block_at(data, known.path)["base"] = base_entry(base)
            elif operation.kind is Kind.UNDO:
                # What an undo left open is not to be closed by a comparison with what was before.
                block_at(data, known.path).pop("base", None)
        if link is not None and not tied:
            add_link(data, link, manager.shapes.links[link.tracker])
        by = operation.by or _reopened_by(before, operation.op)
        return [manager.event("delivered", by=by, op=operation.op, **details)]

    # The event goes first: once the operation has left `pending`, the event is all that tells
    # of it, so a crash in between must leave the operation and not the silence.
    return manager.change(wanted, edit, events_first=True)


def note_in_step(
    manager: MetadataManager,
    wanted: str,
    bases: Mapping[Link, Base],
    *,
    op: str | None = None,
    reached: Iterable[SyncedItem] = (),
) -> Increment:
    """Note what both sides are, for links whose sides agree.

    Args:
        op: the reopen that followed from items which were open already.
        reached: those items; they count as reached by it.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        for link, base in bases.items():
            for known in before.links:
                if same_item(known, link):
                    block_at(data, known.path)["base"] = base_entry(base)
        for entry in data.get("reopenHistory", []):
            for item in reached if entry["id"] == op else ():
                order = [link.item for link in before.links if link.tracker == item.tracker]
                write_synced(entry, item, manager.shapes.synced[item.tracker], order=order)
        return []

    return manager.change(wanted, edit)


def park(manager: MetadataManager, wanted: str, operation: Operation, *, cause: str) -> Increment:
    """Note that an operation cannot be delivered until somebody does something about it."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        known = next((o for o in before.pending if _same(o, operation)), None)
        if known is None or known.cause == cause:
            return []
        parked = replace(known, cause=cause, parked_at=manager.clock())
        set_pending(data, tuple(parked if o is known else o for o in before.pending))
        by = operation.by or _reopened_by(before, operation.op)
        item = {"tracker": operation.tracker, "item": operation.item}
        return [manager.event("parked", by=by, op=operation.op, cause=cause, **item)]

    return manager.change(wanted, edit)


def _same(one: Operation, other: Operation) -> bool:
    return (one.op, one.tracker, one.item) == (other.op, other.tracker, other.item)


def _is_undone(increment: Increment, op: str) -> bool:
    """Whether a reopen was undone, perhaps while it was on its way: undo asks what it did."""
    return any(entry.id == op and entry.reverted_at is not None for entry in increment.reopens)


def _reopened_by(increment: Increment, op: str) -> str:
    return next((entry.reopened_by for entry in increment.reopens if entry.id == op), "unknown")
