"""An operation as `pending` holds it: one table for reader, writer, schema and `--json`.

The schema's types are made from the same table, by whoever loads pydantic (`contracts.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from unlatch.domain.item import Category
from unlatch.domain.operation import Attempt, Kind, Operation, SeenItem
from unlatch.domain.options import DeliveryOptions
from unlatch.domain.times import read_stamp, stamp
from unlatch.store.record_fields import (
    BadRecord,
    number_at,
    object_in,
    one_of,
    optional_at,
    text_at,
    ulid_at,
    words_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COMMENTS = ("full", "short", "none")


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a record.

    Args:
        key: as the file has it.
        type: the name of its type, for reading (`_value`) and in the schema (`contracts.TYPES`).
        of: what to write; None leaves the key out.
        required: whether a record always has it.
    """

    key: str
    type: str
    of: Callable[[Any], object]
    required: bool = False


ATTEMPT = (
    Field("n", "Number", attrgetter("number"), required=True),
    Field("at", "Time", attrgetter("at"), required=True),
    Field("before", "SeenItem", attrgetter("before")),
    Field("ended", "Time", attrgetter("ended")),
    Field("cause", "Text", attrgetter("cause")),
    Field("retryAt", "Time", attrgetter("retry_at")),
    Field("remedy", "Text", attrgetter("remedy")),
)
OPERATION = (
    Field("op", "Ulid", attrgetter("op"), required=True),
    Field("kind", "Kind", attrgetter("kind"), required=True),
    Field("tracker", "Word", attrgetter("tracker"), required=True),
    Field("item", "Word", attrgetter("item"), required=True),
    Field("at", "Time", attrgetter("at"), required=True),
    Field("by", "Text", attrgetter("by")),
    Field("reason", "Text", attrgetter("reason")),
    Field("state", "False", lambda one: None if one.state else False),
    Field("comment", "Comment", attrgetter("options.comment")),
    Field("evenIfNotPlanned", "True", lambda one: one.options.even_if_not_planned or None),
    Field("options", "Words", lambda one: sorted(one.options.plugin) or None),
    Field("story", "Text", attrgetter("story")),
    Field("cause", "Text", attrgetter("cause")),
    Field("parkedAt", "Time", attrgetter("parked_at")),
    Field("attempt", "Attempt", attrgetter("attempt")),
)


def _value(  # noqa: C901, PLR0911, PLR0912  # a case for each type
    entry: Mapping[str, Any], field: Field, place: str
) -> Any:
    """A field's value, by the name of its type.

    Raises:
        BadRecord: the record cannot be used.
    """
    key = field.key
    match field.type:
        case "Ulid":
            return ulid_at(entry, key, place)
        case "Word":
            return text_at(entry, key, place)
        case "Text":
            return optional_at(entry, key, place)
        case "Time":
            return _time(entry, field, place)
        case "Kind":
            kind = text_at(entry, key, place)
            if kind not in set(Kind):
                raise BadRecord(f"{place}/{key} is {kind!r}, which this version does not know")
            return Kind(kind)
        case "True":
            return entry.get(key) is True
        case "False":
            return entry.get(key) is not False
        case "Comment":
            return one_of(entry, key, place, COMMENTS)
        case "Words":
            return frozenset(words_at(entry, key, place))
        case "Number":
            return number_at(entry, key, place)
        case "SeenItem":
            return read_seen(entry.get(key))
        case _:
            return _attempt(entry.get(key), f"{place}/{key}")


def _time(entry: Mapping[str, Any], field: Field, place: str) -> datetime | None:
    at = read_stamp(entry.get(field.key))
    if at is None and field.required:
        raise BadRecord(f"{place}/{field.key} is not a time")
    return at


def _attempt(raw: Any, place: str) -> Attempt | None:
    if raw is None:
        return None
    entry = object_in(raw, place)
    return Attempt(*(_value(entry, field, place) for field in ATTEMPT))


def read_seen(raw: Any) -> SeenItem | None:
    """An item as it was, from a record; None if that is not what it holds."""
    if not isinstance(raw, dict) or not isinstance(raw.get("state"), str):
        return None
    category, labels, revision = raw.get("category"), raw.get("labels"), raw.get("revision")
    return SeenItem(
        raw["state"],
        Category(category) if isinstance(category, str) and category in set(Category) else None,
        tuple(map(str, labels)) if isinstance(labels, list) else (),
        revision if isinstance(revision, str) else None,
    )


def write_seen(seen: SeenItem | None) -> dict[str, Any] | None:
    """An item as records hold it."""
    if seen is None:
        return None
    written = {
        "state": seen.state,
        "category": seen.category.value if seen.category else None,
        "labels": list(seen.labels),
        "revision": seen.revision,
    }
    return {key: value for key, value in written.items() if value is not None}


def read_operation(entry: Any, place: str) -> Operation:
    """An operation from `pending`.

    Raises:
        BadRecord: it lacks something that it cannot be delivered without.
    """
    entry = object_in(entry, place)
    found = {field.key: _value(entry, field, place) for field in OPERATION}
    options = DeliveryOptions(
        found.pop("comment"), found.pop("evenIfNotPlanned"), plugin=found.pop("options")
    )
    return Operation(parked_at=found.pop("parkedAt"), options=options, **found)


def write_operation(operation: Operation) -> dict[str, Any]:
    """An operation as `pending` holds it: keys without a value are left out."""
    entry = {field.key: _written(field.of(operation)) for field in OPERATION}
    return {key: value for key, value in entry.items() if value is not None}


def operation_entry(operation: Operation) -> dict[str, Any]:
    """An operation for `--json`: the same keys, all of them; those without a value are null."""
    entry = {field.key: _written(field.of(operation)) for field in OPERATION}
    return {**entry, "state": operation.state}


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, SeenItem):
        return write_seen(value)
    if isinstance(value, Attempt):
        entry = {field.key: _written(field.of(value)) for field in ATTEMPT}
        return {key: one for key, one in entry.items() if one is not None}
    return value
