"""`pending`: the operations that wait for delivery."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.records.operation import OPERATION
from unlatch.spi.operation import Kind, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.increments.model.increment import ReopenEntry

# The format version of a file with a note about an attempt.
_WITH_ATTEMPTS = 2
_WITH_STATE = (Kind.REOPEN, Kind.CLOSE, Kind.UNDO)


def read_pending(data: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The pending operations, oldest first; BadRecord where one lacks a required key."""
    return OPERATION.read_all(data.get("pending", []), "/pending")


def supersede(
    pending: Iterable[Operation], reopens: Iterable[ReopenEntry]
) -> tuple[Operation, ...]:
    """Strike the state part of pending operations when the status of the increment changes again.

    The comment stays due; a close without a reason has none. An operation whose last attempt may
    still take effect stays, so that nothing is written to its item before that is known. Creating
    and updating have no state part.
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
    return tuple(dict.fromkeys(one.item for one in pending if one.state and one.kind in closing))


def is_in_doubt(operation: Operation) -> bool:
    """Whether a request for an operation may still take effect."""
    return operation.attempt is not None and operation.attempt.is_open


def set_pending(data: dict[str, Any], operations: Iterable[Operation]) -> None:
    """Write `pending`; entries that stay the same keep their text, none at all means no key."""
    known = {
        (entry["op"], entry["tracker"], entry["item"]): entry for entry in data.get("pending", [])
    }
    entries = []
    for operation in operations:
        old = known.get(operation.key)
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
