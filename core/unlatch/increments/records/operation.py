"""An operation as `pending` holds it, with the note about its last attempt."""

from __future__ import annotations

from typing import Any

from unlatch.spi.item import Category
from unlatch.spi.operation import Attempt, DeliveryOptions, Kind, Operation, SeenItem
from unlatch.worklog.record import (
    NUMBER,
    SET,
    TEXT,
    TIME,
    ULID,
    WORD,
    BadRecord,
    Field,
    Record,
    Type,
    text,
    text_or_none,
)

COMMENTS = ("full", "short", "none")


def _kind(raw: Any) -> Kind:
    if text(raw) not in set(Kind):
        raise _unknown(raw)
    return Kind(raw)


def _comment(raw: Any) -> str | None:
    if text_or_none(raw) not in (None, *COMMENTS):
        raise _unknown(raw)
    return text_or_none(raw)


def _unknown(word: str) -> BadRecord:
    return BadRecord(f" is {word!r}, which this version does not know")


def _is_true(raw: Any) -> bool:
    return raw is True


def _is_not_false(raw: Any) -> bool:
    return raw is not False


def _category(raw: Any) -> Category | None:
    return Category(raw) if isinstance(raw, str) and raw in set(Category) else None


def _labels(raw: Any) -> tuple[str, ...]:
    return tuple(map(str, raw)) if isinstance(raw, list) else ()


def _revision(raw: Any) -> str | None:
    return raw if isinstance(raw, str) else None


SEEN = Record(
    "SeenItem",
    "An item as its tracker described it, for undo.",
    SeenItem,
    Field("state", TEXT, "state", required=True),
    Field("category", Type("Category", _category), "category"),
    Field("labels", Type("Texts", _labels, list), "labels", always=True),
    # An opaque token that changes with the item, where the tracker has one.
    Field("revision", Type("Text", _revision), "revision"),
)


def read_seen(raw: Any) -> SeenItem | None:
    """The item of a record; None where the record has no state."""
    if not isinstance(raw, dict) or not isinstance(raw.get("state"), str):
        return None
    return SeenItem(**SEEN.values(raw, ""))


def write_seen(seen: SeenItem | None) -> dict[str, Any] | None:
    """An item as records hold it."""
    return SEEN.write(seen) if seen else None


SEEN_ITEM = Type("SeenItem", read_seen, write_seen)
ATTEMPT = Record(
    "AttemptRecord",
    "The last attempt to deliver.",
    Attempt,
    Field("n", NUMBER, "number", required=True),
    Field("at", TIME, "at", required=True),
    Field("before", SEEN_ITEM, "before"),
    Field("ended", TIME, "ended"),
    Field("cause", TEXT, "cause"),
    Field("retryAt", TIME, "retry_at"),
    Field("remedy", TEXT, "remedy"),
)


def _attempt(raw: Any) -> Attempt | None:
    return None if raw is None else ATTEMPT.read(raw)


_OPTIONS = Record(
    "OptionsRecord",
    "How it is to be delivered.",
    DeliveryOptions,
    Field("comment", Type("Comment", _comment), "comment"),
    Field("evenIfNotPlanned", Type("True", _is_true, bool), "even_if_not_planned"),
    Field("options", SET, "plugin"),
)
OPERATION = Record(
    "PendingRecord",
    "An operation that is not delivered yet.",
    Operation,
    Field("op", ULID, "op", required=True),
    Field("kind", Type("Kind", _kind), "kind", required=True),
    Field("tracker", WORD, "tracker", required=True),
    Field("item", WORD, "item", required=True),
    Field("at", TIME, "at", required=True),
    Field("by", TEXT, "by"),
    Field("reason", TEXT, "reason"),
    Field("state", Type("False", _is_not_false, bool), "state"),
    ("options", _OPTIONS),
    Field("story", TEXT, "story"),
    Field("cause", TEXT, "cause"),
    Field("parkedAt", TIME, "blocked_at"),
    Field("attempt", Type("Attempt", _attempt, ATTEMPT.write), "attempt"),
)


def operation_entry(operation: Operation) -> dict[str, Any]:
    """An operation for `--json`: the same keys, all of them; those without a value are null."""
    keys = dict.fromkeys(field.key for field in OPERATION.fields)
    return {**keys, **OPERATION.write(operation), "state": operation.state}
