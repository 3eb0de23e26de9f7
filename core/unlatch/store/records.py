"""reopenHistory and pending as they stand in metadata.json."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.ids import is_ulid
from unlatch.domain.increment import ReopenEntry, SyncedItem
from unlatch.domain.operation import Kind, Manner, Operation
from unlatch.domain.status import Status, read_status
from unlatch.domain.times import read_stamp, stamp
from unlatch.store.links import entry_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.domain.increment import LinkShape

COMMENTS = ("full", "short", "none")


class BadRecord(ValueError):
    """A record that does not hold what it must; the message names place and problem."""


def read_reopens(
    data: Mapping[str, Any], shapes: Mapping[str, LinkShape]
) -> tuple[ReopenEntry, ...]:
    """The entries of reopenHistory.

    Raises:
        BadRecord: an entry lacks something that history cannot do without.
    """
    entries = _list(data, "reopenHistory")
    return tuple(_reopen(entry, f"/reopenHistory/{n}", shapes) for n, entry in enumerate(entries))


def _reopen(entry: Any, place: str, shapes: Mapping[str, LinkShape]) -> ReopenEntry:
    ulid = _ulid(entry, "id", place)
    at = read_stamp(entry.get("reopenedAt"))
    if at is None:
        raise BadRecord(f"{place}/reopenedAt is not a time")
    return ReopenEntry(
        id=ulid,
        reopened_at=at,
        reason=_text(entry, "reason", place),
        previous_status=read_status(str(entry.get("previousStatus", ""))) or Status.COMPLETED,
        previous_completed_at=_optional(entry, "previousCompletedAt", place),
        reopened_by=_text(entry, "reopenedBy", place),
        scope_change=_optional(entry, "scopeChange", place),
        source=_optional(entry, "source", place),
        reverted_at=read_stamp(entry.get("revertedAt")),
        revert=_optional(entry, "revert", place),
        synced_to=tuple(_synced(entry.get("syncedTo", {}), f"{place}/syncedTo", shapes)),
    )


def _synced(synced: Any, place: str, shapes: Mapping[str, LinkShape]) -> Iterable[SyncedItem]:
    blocks = _object(synced, place)
    for tracker, shape in shapes.items():
        block = _object(blocks.get(tracker, {}), f"{place}/{tracker}")
        items = _list(block, "items", place=f"{place}/{tracker}") or [block]
        for number, entry in enumerate(items):
            item = _object(entry, f"{place}/{tracker}/items/{number}")
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
        "scopeChange": entry.scope_change,
        "source": entry.source,
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
    entries = _list(data, "pending")
    return tuple(_operation(entry, f"/pending/{n}") for n, entry in enumerate(entries))


def _operation(entry: Any, place: str) -> Operation:
    op = _ulid(entry, "op", place)
    kind = _text(entry, "kind", place)
    if kind not in set(Kind):
        raise BadRecord(f"{place}/kind is {kind!r}, which this version does not know")
    at = read_stamp(entry.get("at"))
    if at is None:
        raise BadRecord(f"{place}/at is not a time")
    return Operation(
        op=op,
        kind=Kind(kind),
        tracker=_text(entry, "tracker", place),
        item=_text(entry, "item", place),
        at=at,
        by=_optional(entry, "by", place),
        reason=_optional(entry, "reason", place),
        state=entry.get("state") is not False,
        manner=Manner(
            comment=_one_of(entry, "comment", place, COMMENTS),
            even_if_not_planned=entry.get("evenIfNotPlanned") is True,
        ),
        cause=_optional(entry, "cause", place),
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


def _list(data: Mapping[str, Any], key: str, *, place: str = "") -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise BadRecord(f"{place}/{key} is not a list")
    return value


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRecord(f"{place} is not an object")
    return value


def _ulid(entry: Any, key: str, place: str) -> str:
    value = _text(entry, key, place)
    if not is_ulid(value):
        raise BadRecord(f"{place}/{key} is not a ULID")
    return value


def _text(entry: Any, key: str, place: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, str):
        raise BadRecord(f"{place}/{key} is missing or not a text")
    return value


def _one_of(entry: Mapping[str, Any], key: str, place: str, known: tuple[str, ...]) -> str | None:
    value = _optional(entry, key, place)
    if value is not None and value not in known:
        raise BadRecord(f"{place}/{key} is {value!r}, which this version does not know")
    return value


def _optional(entry: Mapping[str, Any], key: str, place: str) -> str | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise BadRecord(f"{place}/{key} is not a text")
    return value
