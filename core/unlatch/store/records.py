"""reopenHistory and pending as they stand in metadata.json."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import ReopenEntry, SyncedItem
from unlatch.domain.operation import Kind, Manner, Operation
from unlatch.domain.status import Status, read_status
from unlatch.domain.times import read_stamp, stamp
from unlatch.store.amendments import read_amendment, write_amendment
from unlatch.store.links import entry_for
from unlatch.store.record_fields import (
    BadRecord,
    list_at,
    object_in,
    one_of,
    optional_at,
    text_at,
    ulid_at,
    words_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.domain.increment import LinkShape

__all__ = [
    "BadRecord",
    "overtaken",
    "read_pending",
    "read_reopens",
    "set_pending",
    "write_operation",
    "write_reopen",
    "write_synced",
]

COMMENTS = ("full", "short", "none")


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
                yield SyncedItem(tracker, str(item[shape.item]), str(item.get(shape.url, "")))


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
        "syncedTo": {},
    }
    return {key: value for key, value in written.items() if value is not None}


def write_synced(
    entry: dict[str, Any], item: SyncedItem, shape: LinkShape, *, order: Sequence[str]
) -> None:
    """Note in an entry of reopenHistory that a reopen reached an item; once is enough.

    Args:
        order: the ids of the tracker's items as they are linked; so they are written, too,
            whichever of them answered first.
    """
    block = entry.setdefault("syncedTo", {}).setdefault(item.tracker, {})
    new = entry_for(item.item, item.url, shape)
    known = block.get("items") or ([block] if block else [])
    if any(all(seen.get(key) == new[key] for key in new) for seen in known):
        return
    if not block:
        block.update(new)
        return
    places = {item: place for place, item in enumerate(order)}
    items = sorted([*known, new], key=lambda one: places.get(str(one.get(shape.item)), len(places)))
    items = [{key: one[key] for key in one if key != "items"} for one in items]
    block.update(items[0])
    block["items"] = items


def read_pending(data: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The operations that wait for delivery, oldest first.

    Raises:
        BadRecord: an operation lacks something that it cannot be delivered without.
    """
    entries = list_at(data, "pending")
    return tuple(_operation(entry, f"/pending/{n}") for n, entry in enumerate(entries))


def _operation(entry: Any, place: str) -> Operation:
    op = ulid_at(entry, "op", place)
    kind = text_at(entry, "kind", place)
    if kind not in set(Kind):
        raise BadRecord(f"{place}/kind is {kind!r}, which this version does not know")
    at = read_stamp(entry.get("at"))
    if at is None:
        raise BadRecord(f"{place}/at is not a time")
    return Operation(
        op=op,
        kind=Kind(kind),
        tracker=text_at(entry, "tracker", place),
        item=text_at(entry, "item", place),
        at=at,
        by=optional_at(entry, "by", place),
        reason=optional_at(entry, "reason", place),
        state=entry.get("state") is not False,
        manner=Manner(
            comment=one_of(entry, "comment", place, COMMENTS),
            even_if_not_planned=entry.get("evenIfNotPlanned") is True,
            options=words_at(entry, "options", place),
        ),
        story=optional_at(entry, "story", place),
        cause=optional_at(entry, "cause", place),
        parked_at=read_stamp(entry.get("parkedAt")),
    )


def write_operation(operation: Operation) -> dict[str, Any]:
    """An operation as `pending` holds it."""
    written = {
        "op": operation.op,
        "kind": operation.kind.value,
        "tracker": operation.tracker,
        "item": operation.item,
        "at": stamp(operation.at),
        "by": operation.by,
        "reason": operation.reason,
        "state": None if operation.state else False,
        "comment": operation.manner.comment,
        "evenIfNotPlanned": operation.manner.even_if_not_planned or None,
        "options": list(operation.manner.options) or None,
        "story": operation.story,
        "cause": operation.cause,
        "parkedAt": stamp(operation.parked_at) if operation.parked_at else None,
    }
    return {key: value for key, value in written.items() if value is not None}


def overtaken(
    pending: Iterable[Operation], reopens: Iterable[ReopenEntry]
) -> tuple[Operation, ...]:
    """What is left of undelivered operations when the increment's status changes again.

    The state step is dropped: the newer change has its own. A comment that gives a reason is
    kept, because two reasons are two comments. Creating and updating are no state steps.
    """
    with_reason = {entry.id for entry in reopens}
    left = []
    for operation in pending:
        if operation.kind not in (Kind.REOPEN, Kind.CLOSE):
            left.append(operation)
        elif operation.reason or operation.op in with_reason:
            left.append(replace(operation, state=False))
    return tuple(left)


def set_pending(data: dict[str, Any], operations: tuple[Operation, ...]) -> None:
    """Write `pending`; entries that stay the same keep their text, none at all means no key."""
    known = {
        (entry["op"], entry["tracker"], entry["item"]): entry for entry in data.get("pending", [])
    }
    entries = []
    for operation in operations:
        old = known.get((operation.op, operation.tracker, operation.item))
        same = old is not None and _operation(old, "") == operation
        entries.append(old if same else {**(old or {}), **write_operation(operation)})
    if entries:
        data["pending"] = entries
    else:
        data.pop("pending", None)
