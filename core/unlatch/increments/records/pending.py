"""`pending`: the operations that wait for delivery, each with the note about its last attempt."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from unlatch.increments.model.reopens import ReopenCause, ReopenEntry
from unlatch.spi.operation import Attempt, Category, DeliveryOptions, Kind, Operation, SeenItem
from unlatch.worklog.record import (
    NUMBER,
    SET,
    TEXT,
    TEXTS,
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
from unlatch.worklog.times import exact_stamp, read_stamp

# The format version of a file with a note about an attempt.
_WITH_ATTEMPTS = 2
_WITH_STATE = (Kind.REOPEN, Kind.CLOSE, Kind.UNDO)
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


def _category(raw: Any) -> Category | None:
    return Category(raw) if isinstance(raw, str) and raw in set(Category) else None


def _labels(raw: Any) -> tuple[str, ...]:
    return tuple(map(str, raw)) if isinstance(raw, list) else ()


CAUSE = Record(
    "CauseRecord",
    "What showed that the work is broken; a reopen for it is made once.",
    ReopenCause,
    Field("kind", WORD, "kind", required=True),
    Field("fingerprint", WORD, "fingerprint", required=True),
    Field("evidence", TEXT, "evidence", required=True),
    Field("seenAt", TIME, "seen_at", required=True),
)
SEEN = Record(
    "SeenItem",
    "An item as its tracker described it, for undo.",
    SeenItem,
    Field("state", TEXT, "state", required=True),
    Field("category", Type("Category", _category), "category"),
    Field("labels", Type("Texts", _labels, list), "labels", always=True),
    # An opaque token that changes with the item, where the tracker has one.
    Field("revision", Type("Text", lambda raw: raw if isinstance(raw, str) else None), "revision"),
    # In a state that counts as open but that a reopen leaves.
    Field("resolved", Type("Flag", lambda raw: raw is True, bool), "resolved"),
    # When the state last changed, else a time after that, by the tracker's clock.
    Field("since", Type("Time", read_stamp, exact_stamp), "since"),
)


def read_seen(raw: Any) -> SeenItem | None:
    """The item of a record; None where the record has no state."""
    if not isinstance(raw, dict) or not isinstance(raw.get("state"), str):
        return None
    return SeenItem(**SEEN.values(raw, ""))


SEEN_ITEM = Type("SeenItem", read_seen, lambda seen: SEEN.write(seen) if seen else None)
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
    Field("since", Type("Time", read_stamp, exact_stamp), "since"),
)


_ATTEMPT = Type("Attempt", lambda raw: None if raw is None else ATTEMPT.read(raw), ATTEMPT.write)
_OPTIONS = Record(
    "OptionsRecord",
    "How it is to be delivered.",
    DeliveryOptions,
    Field("comment", Type("Comment", _comment), "comment"),
    Field("evenIfNotPlanned", Type("True", lambda raw: raw is True, bool), "even_if_not_planned"),
    Field("options", SET, "plugin"),
    Field("commentAnyway", Type("True", lambda raw: raw is True, bool), "comment_anyway"),
    Field("addLabels", TEXTS, "add_labels"),
    Field("removeLabels", TEXTS, "remove_labels"),
    Field("noLabels", Type("True", lambda raw: raw is True, bool), "no_labels"),
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
    Field("why", TEXT, "why"),
    Field("state", Type("False", lambda raw: raw is not False, bool), "state"),
    Field("labels", TEXTS, "labels"),
    Field("retries", ULID, "retries"),
    ("options", _OPTIONS),
    Field("story", TEXT, "story"),
    Field("cause", TEXT, "cause"),
    Field("parkedAt", TIME, "blocked_at"),
    Field("attempt", _ATTEMPT, "attempt"),
)


def operation_entry(operation: Operation) -> dict[str, Any]:
    """An operation for `--json`: the same keys, all of them; those without a value are null."""
    keys = dict.fromkeys(field.key for field in OPERATION.fields)
    return {**keys, **OPERATION.write(operation), "state": operation.state}


def read_pending(data: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The pending operations, oldest first; BadRecord if one lacks a required key."""
    return OPERATION.read_all(data.get("pending", []), "/pending")


def supersede(
    pending: Iterable[Operation], reopens: Iterable[ReopenEntry]
) -> tuple[Operation, ...]:
    """Strike the state part of pending operations when the status of the increment changes again.

    The comment stays due, also of a reopen that was refused: its reason may be on other items. A
    close without a reason has none. An operation whose last attempt may still take effect stays, so
    that nothing is written to its item before the outcome is known. Creating and updating have no
    state part.
    """
    with_comment = {entry.id for entry in reopens}
    left = []
    for operation in pending:
        if operation.kind not in _WITH_STATE:
            left.append(operation)
        elif (
            operation.kind is Kind.UNDO
            or operation.reason
            or operation.op in with_comment
            or is_in_doubt(operation)
        ):
            left.append(replace(operation, state=False))
    return tuple(left)


def struck(pending: Iterable[Operation]) -> tuple[str, ...]:
    """The items that a later reopen keeps open, before an earlier close was delivered."""
    closing = (Kind.CLOSE, Kind.UNDO)
    return tuple(
        dict.fromkeys(
            operation.item for operation in pending if operation.state and operation.kind in closing
        )
    )


def is_in_doubt(operation: Operation) -> bool:
    """Whether a request for an operation may still take effect."""
    return operation.attempt is not None and operation.attempt.is_open


def has_begun(operation: Operation) -> bool:
    """Whether an attempt of an operation may have written to its item."""
    attempt = operation.attempt
    return attempt is not None and (attempt.is_open or attempt.before is not None)


def set_pending(data: dict[str, Any], operations: Iterable[Operation]) -> None:
    """Write `pending`; unchanged entries keep their text, and an empty list removes the key."""
    by_key = {
        (entry["op"], entry["tracker"], entry["item"]): entry for entry in data.get("pending", [])
    }
    entries = []
    for operation in operations:
        old = by_key.get(operation.key)
        same = old is not None and OPERATION.read(old) == operation
        entries.append(old if same else OPERATION.write(operation, over=old))
    if entries:
        data["pending"] = entries
    else:
        data.pop("pending", None)
    mark_format(data)


def mark_format(data: dict[str, Any]) -> None:
    """Set the format version: older versions ignore notes of attempts, and would deliver twice."""
    pending = data.get("pending")
    entries = pending if isinstance(pending, list) else []
    if any(isinstance(entry, dict) and "attempt" in entry for entry in entries):
        data["formatVersion"] = _WITH_ATTEMPTS
    elif data.get("formatVersion") == _WITH_ATTEMPTS:
        del data["formatVersion"]
