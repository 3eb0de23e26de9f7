"""reopenHistory and pending as they stand in metadata.json."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import ReopenEntry, SyncedItem
from unlatch.domain.operation import Kind
from unlatch.domain.status import Status, read_status
from unlatch.domain.times import read_stamp, stamp
from unlatch.store.amendments import read_amendment, write_amendment
from unlatch.store.links import entry_for
from unlatch.store.operation_record import (
    OPERATION,
    read_operation,
    read_seen,
    write_operation,
    write_seen,
)
from unlatch.store.record_fields import (
    BadRecord,
    list_at,
    object_in,
    optional_at,
    text_at,
    ulid_at,
    words_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.domain.increment import LinkShape
    from unlatch.domain.operation import Operation

__all__ = [
    "BadRecord",
    "is_in_doubt",
    "mark_format",
    "read_pending",
    "read_reopens",
    "set_pending",
    "struck",
    "supersede",
    "write_operation",
    "write_reopen",
    "write_synced",
]


# The format version of a file with a note about an attempt.
_WITH_ATTEMPTS = 2


def read_reopens(
    data: Mapping[str, Any], shapes: Mapping[str, LinkShape]
) -> tuple[ReopenEntry, ...]:
    """The entries of reopenHistory.

    Raises:
        BadRecord: an entry lacks something that history cannot do without.
    """
    entries = list_at(data, "reopenHistory")
    return tuple(_reopen(entry, f"/reopenHistory/{n}", shapes) for n, entry in enumerate(entries))


def _reopen(entry: Any, place: str, shapes: Mapping[str, LinkShape]) -> ReopenEntry:
    ulid = ulid_at(entry, "id", place)
    at = read_stamp(entry.get("reopenedAt"))
    if at is None:
        raise BadRecord(f"{place}/reopenedAt is not a time")
    return ReopenEntry(
        id=ulid,
        reopened_at=at,
        reason=text_at(entry, "reason", place),
        previous_status=read_status(str(entry.get("previousStatus", ""))) or Status.COMPLETED,
        previous_completed_at=optional_at(entry, "previousCompletedAt", place),
        reopened_by=text_at(entry, "reopenedBy", place),
        amendment=read_amendment(entry, place),
        category=optional_at(entry, "category", place),
        source=optional_at(entry, "source", place),
        forced=words_at(entry, "forced", place),
        struck=words_at(entry, "struck", place),
        reverted_at=read_stamp(entry.get("revertedAt")),
        revert=optional_at(entry, "revert", place),
        synced_to=tuple(_synced(entry.get("syncedTo", {}), f"{place}/syncedTo", shapes)),
    )


def _synced(synced: Any, place: str, shapes: Mapping[str, LinkShape]) -> Iterable[SyncedItem]:
    blocks = object_in(synced, place)
    for tracker, shape in shapes.items():
        block = object_in(blocks.get(tracker, {}), f"{place}/{tracker}")
        items = list_at(block, "items", place=f"{place}/{tracker}") or [block]
        for number, entry in enumerate(items):
            item = object_in(entry, f"{place}/{tracker}/items/{number}")
            if shape.item in item:
                yield SyncedItem(
                    tracker,
                    str(item[shape.item]),
                    str(item.get(shape.url, "")),
                    before=read_seen(item.get("before")),
                    after=read_seen(item.get("after")),
                    labels_added=words_at(item, "labelsAdded", place),
                    labels_removed=words_at(item, "labelsRemoved", place),
                )


def write_reopen(entry: ReopenEntry) -> dict[str, Any]:
    """A new entry, in the order in which it is read best."""
    written: dict[str, Any] = {
        "id": entry.id,
        "reopenedAt": stamp(entry.reopened_at),
        "reason": entry.reason,
        "previousStatus": entry.previous_status.value,
        "previousCompletedAt": entry.previous_completed_at,
        "reopenedBy": entry.reopened_by,
        **write_amendment(entry.amendment),
        "category": entry.category,
        "source": entry.source,
        "forced": list(entry.forced) or None,
        "struck": list(entry.struck) or None,
        "syncedTo": {},
    }
    return {key: value for key, value in written.items() if value is not None}


def write_synced(
    entry: dict[str, Any], item: SyncedItem, shape: LinkShape, *, order: Sequence[str]
) -> None:
    """Note in an entry of reopenHistory that a reopen reached an item; once is enough.

    Args:
        order: the ids of the tracker's items as they are linked; they are written in that order,
            whichever of them answered first.
    """
    block = entry.setdefault("syncedTo", {}).setdefault(item.tracker, {})
    new = entry_for(item.item, item.url, shape)
    known = block.get("items") or ([block] if block else [])
    if any(all(seen.get(key) == new[key] for key in new) for seen in known):
        return
    new |= _synced_details(item)
    places = {item: place for place, item in enumerate(order)}
    items = sorted([*known, new], key=lambda one: places.get(str(one.get(shape.item)), len(places)))
    items = [{key: one[key] for key in one if key != "items"} for one in items]
    block.update({key: items[0][key] for key in (shape.item, shape.url) if key in items[0]})
    if items != [{key: block[key] for key in block if key != "items"}]:
        block["items"] = items


def _synced_details(item: SyncedItem) -> dict[str, Any]:
    """What an undo needs to know of what a reopen did."""
    details = {
        "before": write_seen(item.before),
        "after": write_seen(item.after),
        "labelsAdded": list(item.labels_added) or None,
        "labelsRemoved": list(item.labels_removed) or None,
    }
    return {key: value for key, value in details.items() if value is not None}


def read_pending(data: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The operations that wait for delivery, oldest first.

    Raises:
        BadRecord: an operation lacks something that it cannot be delivered without.
    """
    entries = list_at(data, "pending")
    return tuple(read_operation(entry, f"/pending/{n}") for n, entry in enumerate(entries))


def supersede(
    pending: Iterable[Operation], reopens: Iterable[ReopenEntry]
) -> tuple[Operation, ...]:
    """What is left of undelivered operations when the increment's status changes again.

    The state part is struck: the newer change has its own. A comment that gives a reason is kept,
    because two reasons are two comments. An operation whose last attempt may still take effect
    stays, so that nothing is written to its item before that is known. Creating and updating have
    no state part.
    """
    with_reason = {entry.id for entry in reopens}
    left = []
    for operation in pending:
        if operation.kind not in _WITH_STATE:
            left.append(operation)
        elif operation.reason or operation.op in with_reason or is_in_doubt(operation):
            left.append(replace(operation, state=False))
    return tuple(left)


def struck(pending: Iterable[Operation]) -> tuple[str, ...]:
    """The items that a later reopen keeps open, though an earlier change was to close them."""
    closing = (one for one in pending if one.kind in (Kind.CLOSE, Kind.UNDO) and one.state)
    return tuple(dict.fromkeys(one.item for one in closing))


_WITH_STATE = (Kind.REOPEN, Kind.CLOSE, Kind.UNDO)


def is_in_doubt(operation: Operation) -> bool:
    """Whether something that was sent for an operation may still take effect."""
    return operation.attempt is not None and operation.attempt.is_open


def set_pending(data: dict[str, Any], operations: tuple[Operation, ...]) -> None:
    """Write `pending`; entries that stay the same keep their text, none at all means no key."""
    known = {
        (entry["op"], entry["tracker"], entry["item"]): entry for entry in data.get("pending", [])
    }
    entries = []
    for operation in operations:
        old = known.get((operation.op, operation.tracker, operation.item))
        same = old is not None and read_operation(old, "") == operation
        entries.append(old if same else _rewritten(old, operation))
    if entries:
        data["pending"] = entries
    else:
        data.pop("pending", None)
    mark_format(data)


def mark_format(data: dict[str, Any]) -> None:
    """Let versions that know nothing of attempts refuse a file that holds a note about one.

    They would deliver without it, perhaps for a second time.
    """
    pending = data.get("pending")
    entries = pending if isinstance(pending, list) else []
    if any(isinstance(entry, dict) and "attempt" in entry for entry in entries):
        data["formatVersion"] = _WITH_ATTEMPTS
    elif data.get("formatVersion") == _WITH_ATTEMPTS:
        del data["formatVersion"]


def _rewritten(old: dict[str, Any] | None, operation: Operation) -> dict[str, Any]:
    """An entry of `pending` with new values; keys that nobody here knows stay."""
    known = {field.key for field in OPERATION}
    unknown = {key: value for key, value in (old or {}).items() if key not in known}
    return {**write_operation(operation), **unknown}
