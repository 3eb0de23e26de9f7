"""Explain errors of jsonschema to people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.increments.files.metadata_file import (
    ACTIVITY_KEYS,
    COMPLETED_KEYS,
    CREATED_KEYS,
    ID_KEYS,
)
from unlatch.increments.model.status import read_status
from unlatch.increments.records.contracts import TIME_PATTERN, ULID_PATTERN
from unlatch.worklog.times import read_stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jsonschema.exceptions import ValidationError

    from unlatch.increments.records.link_places import Path

# Keys that an increment requires; other odd keys are ignored.
VITAL = ("status", "reopenHistory", "pending", "amendments", "formatVersion")

_SYNONYMS = {keys[0]: keys for keys in (ID_KEYS, CREATED_KEYS, ACTIVITY_KEYS, COMPLETED_KEYS)}
_LONGEST = 60
# Names of JSON Schema's types for users.
_TYPES = {
    "array": "a list",
    "object": "an object",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def pointer(path: Iterable[str | int]) -> str:
    """The JSON pointer of a path (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def is_vital(error: ValidationError) -> bool:
    """Whether it concerns a key that an increment requires."""
    first = next(iter(error.absolute_path), None) or missing_key(error)
    return first in VITAL


def is_about_link(error: ValidationError, blocks: Iterable[tuple[Path, str]]) -> bool:
    """Whether it concerns the item of a link block, given as block and item key."""
    place = tuple(error.absolute_path)
    is_item = error.validator in ("type", "minLength")
    return any(place in {path, (*path, key)} if is_item else place == path for path, key in blocks)


def missing_key(error: ValidationError) -> str | None:
    """The missing key, if that is the error."""
    if error.validator != "required":
        return None
    # jsonschema names the key only in the message.
    keys: list[str] = list(error.schema["required"])  # type: ignore[index]  # it has just failed
    return next(key for key in keys if error.message.startswith(repr(key)))


def explain(error: ValidationError, data: Mapping[str, Any]) -> tuple[str, str, str]:
    """The finding's id, the problem, and the JSON pointer of the place."""
    path = list(error.absolute_path)
    if key := missing_key(error):
        old = next((k for k in _SYNONYMS.get(key, ()) if k in data), None) if not path else None
        if old:
            return "old-key", f"old name of {key}", pointer([old])
        return "key-missing", f"{key} is missing", pointer(path)
    if path == ["status"] and (status := read_status(str(error.instance))):
        return "old-status", f"{error.instance!r} is read as {status}", pointer(path)
    if error.validator == "enum":
        allowed = ", ".join(map(str, error.validator_value))  # type: ignore[arg-type]  # a list
        kind = "status" if path == ["status"] else "value"
        what = f"unknown {kind} {_short(repr(error.instance))} (known: {allowed})"
        return "shape-unexpected", what, pointer(path)
    if error.validator == "pattern":
        return *_unmatched(error), pointer(path)
    is_type = error.validator == "type"
    message = _wrong_type(error) if is_type else _short(error.message)
    return "shape-unexpected", message, pointer(path)


def _wrong_type(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    types = " or ".join(_TYPES.get(name, name) for name in names)
    return f"expected {types}, found {_short(json.dumps(error.instance))}"


def _unmatched(error: ValidationError) -> tuple[str, str]:
    value = _short(repr(error.instance))
    if error.validator_value == ULID_PATTERN:
        return "shape-unexpected", f"{value} is not a ULID"
    if error.validator_value == TIME_PATTERN:
        if moment := read_stamp(error.instance):
            return "old-time", f"{value} is read as {stamp(moment)}"
        return "time-unreadable", f"{value} is not a valid time"
    return "shape-unexpected", _short(error.message)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
