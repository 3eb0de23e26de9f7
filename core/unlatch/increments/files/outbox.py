"""The outbox: operations recorded in metadata.json and not delivered yet, and notes about them.

Whatever decides the outcome of a delivery is kept here, so that any clone can finish it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.increment import Base, Increment, Link, SyncedItem
from unlatch.increments.records.events import Delivered, Parked
from unlatch.increments.records.links import BASE, add_link, block_at, same_item
from unlatch.increments.records.records import set_pending, write_synced
from unlatch.spi.operation import Attempt, Kind, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.spi.operation import Result, SeenItem
    from unlatch.worklog.event_log import Event

    Rewrite = Callable[[Operation], Operation | None]


def new_operations(before: Increment, after: Increment) -> frozenset[str]:
    """The intents that a change has just enqueued."""
    known = {operation.op for operation in before.pending}
    return frozenset(operation.op for operation in after.pending) - known


def enqueue(manager: MetadataManager, wanted: str, *operations: Operation) -> Increment:
    """Make operations durable that have no change of status behind them."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        set_pending(data, (*before.pending, *operations))
        return []

    return manager.change(wanted, edit)


def note_attempts(
    manager: MetadataManager, wanted: str, notes: Mapping[Operation, SeenItem | None]
) -> dict[Operation, Operation]:
    """Note attempts before anything is sent.

    Args:
        notes: by operation, its item as it was read; what the first attempt found stays noted.

    Returns:
        The operations as they are now. One that was withdrawn meanwhile is missing; one whose
        state part was struck meanwhile comes back so, and without a note.
    """
    found: dict[Operation, Operation] = {}

    def noted(operation: Operation) -> Operation:
        known = next((one for one in notes if one.key == operation.key), None)
        if known is None:
            return operation
        if operation.state is known.state:
            operation = _attempted(operation, manager.clock(), notes[known])
        found[known] = operation
        return operation

    _rewrite(manager, wanted, noted)
    return found


def _attempted(operation: Operation, now: datetime, before: SeenItem | None) -> Operation:
    last = operation.attempt or Attempt(0, now, ended=now)
    # One that was left open ended without an answer, which does not count.
    number = max(1, last.number if last.is_open else last.number + 1)
    first_seen = last.before or before
    return replace(operation, attempt=Attempt(number, now, first_seen), cause=None, parked_at=None)


def close_attempt(
    manager: MetadataManager,
    wanted: str,
    operation: Operation,
    *,
    cause: str,
    counts: bool,
    in_doubt: bool = False,
    retry_at: datetime | None = None,
    remedy: str | None = None,
    untouched: bool = False,
) -> Operation | None:
    """Note how an attempt ended that did not deliver.

    Args:
        cause: the id of the error.
        counts: whether it counts towards giving up.
        in_doubt: whether something that was sent may still take effect.
        retry_at: when the tracker accepts requests again.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
        untouched: whether the item is known to be as it was, so that the next attempt looks anew.

    Returns:
        The operation as it is now; None if it is pending no more.
    """
    found: list[Operation] = []

    def closed(one: Operation) -> Operation:
        if one.key != operation.key:
            return one
        now = manager.clock()
        last = one.attempt or Attempt(0, now)
        # An attempt that failed before it was noted was not counted yet.
        number = last.number if last.is_open and one.attempt else last.number + 1
        ended = Attempt(
            number if counts or in_doubt else max(0, number - 1),
            last.at,
            None if untouched and not in_doubt else last.before,
            None if in_doubt else now,
            cause,
            retry_at,
            # A failure that says nothing about the refusal before it leaves that one's remedy.
            remedy or (None if counts else last.remedy),
        )
        found.append(replace(one, attempt=ended))
        return found[-1]

    _rewrite(manager, wanted, closed)
    return found[-1] if found else None


def block(manager: MetadataManager, wanted: str, operation: Operation, *, cause: str) -> None:
    """Note that an operation waits for a person."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        known = next((one for one in before.pending if one.key == operation.key), None)
        if known is None or (known.is_blocked and known.cause == cause):
            return []
        blocked = replace(known, cause=cause, parked_at=manager.clock())
        set_pending(data, tuple(blocked if one is known else one for one in before.pending))
        by = operation.by or _reopened_by(before, operation.op)
        return [
            Parked(
                id=manager.new_id(),
                at=manager.clock(),
                by=by,
                op=operation.op,
                cause=cause,
                tracker=operation.tracker,
                item=operation.item,
            )
        ]

    manager.change(wanted, edit)


def withdraw(manager: MetadataManager, wanted: str, operation: Operation) -> None:
    """Forget an operation that has nothing left to do."""
    _rewrite(manager, wanted, lambda one: None if one.key == operation.key else one)


def record_delivery(
    manager: MetadataManager,
    wanted: str,
    operation: Operation,
    *,
    reached: SyncedItem,
    base: Base | None,
    result: Result,
    commented: bool,
    refused: tuple[str, ...] = (),
    link: Link | None = None,
) -> Increment:
    """Note that an operation was delivered: it leaves `pending` in this write.

    Args:
        reached: the item that it reached, and what it did there.
        base: what both sides are now, or None if they are not in sync.
        commented: whether its comment is there.
        refused: labels that the tracker refused for good.
        link: a link to be written along, for an item that was created.
    """
    item = Link(reached.tracker, reached.item, reached.url)

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        left = tuple(one for one in before.pending if one.key != operation.key)
        if len(left) == len(before.pending) and not _is_undone(before, operation.op):
            return []  # another process was faster; its record stands
        set_pending(data, left)
        for entry in data.get("reopenHistory", []):
            if entry["id"] == operation.op:
                write_synced(entry, reached, manager.shapes.synced, before.links)
        linked = [known for known in before.links if same_item(known, item)]
        for known in linked:
            if base is not None:
                block_at(data, known.path)["base"] = BASE.write(base)
            elif operation.kind is Kind.UNDO:
                # What an undo left open is not to be closed by a comparison with what was before.
                block_at(data, known.path).pop("base", None)
        if link is not None and not linked:
            add_link(data, link, manager.shapes.links[link.tracker])
        by = operation.by or _reopened_by(before, operation.op)
        return [
            Delivered(
                id=manager.new_id(),
                at=manager.clock(),
                by=by,
                op=operation.op,
                kind=operation.kind,
                tracker=reached.tracker,
                item=reached.url,
                result=result,
                commented=commented,
                before=reached.before,
                after=reached.after,
                labels_added=reached.labels_added,
                labels_removed=reached.labels_removed,
                labels_refused=refused,
            )
        ]

    # The event goes first: once the operation has left `pending`, the event is all that tells
    # of it, so a crash in between must leave the operation and not the silence.
    return manager.change(wanted, edit, events_first=True)


def record_in_sync(
    manager: MetadataManager,
    wanted: str,
    bases: Mapping[Link, Base],
    *,
    is_current: Callable[[Increment], bool] = lambda _: True,
    op: str | None = None,
    reached: Iterable[SyncedItem] = (),
) -> Increment:
    """Note what both sides are, for links whose sides agree.

    Args:
        is_current: whether an increment still is what was compared; nothing is noted otherwise.
        op: the reopen that followed from items which were open already.
        reached: those items; they count as reached by it.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not is_current(before):
            return []
        for link, base in bases.items():
            for known in before.links:
                if same_item(known, link):
                    block_at(data, known.path)["base"] = BASE.write(base)
        for entry in data.get("reopenHistory", []):
            for item in reached if entry["id"] == op else ():
                write_synced(entry, item, manager.shapes.synced, before.links)
        return []

    return manager.change(wanted, edit)


def _rewrite(manager: MetadataManager, wanted: str, rewrite: Rewrite) -> None:
    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        set_pending(data, filter(None, map(rewrite, before.pending)))
        return []

    manager.change(wanted, edit)


def _is_undone(increment: Increment, op: str) -> bool:
    """Whether a reopen was undone, perhaps while it was on its way: undo asks what it did."""
    return any(entry.id == op and entry.reverted_at is not None for entry in increment.reopens)


def _reopened_by(increment: Increment, op: str) -> str:
    return next((entry.reopened_by for entry in increment.reopens if entry.id == op), "unknown")
