"""Taking a reopen back: the increment's side of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner, Operation
from unlatch.domain.status import Status
from unlatch.domain.times import stamp
from unlatch.errors import StoreError
from unlatch.store import events
from unlatch.store.reading import ACTIVITY_KEYS, COMPLETED_KEYS
from unlatch.store.records import set_pending

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.store.events import Event
    from unlatch.store.manager import MetadataManager


def undoable(increment: Increment) -> ReopenEntry:
    """The reopen that undo would take back: the last one, if nothing happened since.

    Raises:
        StoreError: `nothing-to-undo`.
    """
    standing = [entry for entry in increment.reopens if entry.reverted_at is None]
    if not standing:
        why = "it was never reopened" if not increment.reopens else "its reopens are undone already"
    elif increment.status is not Status.ACTIVE:
        why = f"it is {increment.status} by now, no longer active"
    else:
        return standing[-1]
    raise StoreError(
        "nothing-to-undo",
        f"{increment.id} has no reopen to undo: {why}",
        hint=f"unlatch history {increment.id}",
    )


def undo(
    manager: MetadataManager,
    wanted: str,
    *,
    by: str,
    reason: str | None,
    manner: Manner = AS_CONFIGURED,
) -> tuple[Increment, ReopenEntry]:
    """Set an increment back to what it was before its last reopen, and owe its items the same.

    The entry stays in the history, marked as undone; what it still owed is forgotten, since the
    operation that undoes it looks at the item first.

    Raises:
        StoreError: `nothing-to-undo`, or the files cannot be written.
    """
    undone: list[ReopenEntry] = []

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        entry = undoable(before)
        undone.append(entry)
        op, at = manager.new_id(), manager.clock()
        _mark(data, entry, op=op, at=stamp(at))
        _set_back(data, entry, at=stamp(at))
        kept = tuple(operation for operation in before.pending if operation.op != entry.id)
        owed = tuple(
            Operation(op, Kind.UNDO, link.tracker, link.key, at, by, reason, manner=manner)
            for link in before.links
        )
        set_pending(data, (*kept, *owed))
        moved = {"from": before.status.value, "to": entry.previous_status.value}
        return [events.event(op, "undone", at=at, by=by, reason=reason, reopen=entry.id, **moved)]

    return manager.change(wanted, edit), undone[-1]


def _mark(data: dict[str, Any], entry: ReopenEntry, *, op: str, at: str) -> None:
    for written in data["reopenHistory"]:
        if written["id"] == entry.id:
            written |= {"revertedAt": at, "revert": op}
            # What did not get into the documents any more is not to get there now.
            written.pop("unwritten", None)


def _set_back(data: dict[str, Any], entry: ReopenEntry, *, at: str) -> None:
    data["status"] = entry.previous_status.value
    data[next((key for key in ACTIVITY_KEYS if key in data), ACTIVITY_KEYS[0])] = at
    if entry.previous_completed_at is not None:
        data[COMPLETED_KEYS[0]] = entry.previous_completed_at
