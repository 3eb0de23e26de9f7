"""Values of JSON that agents wrote: the type that is expected, or its empty value."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from unlatch.worklog.json_text import is_too_deep, load_json

if TYPE_CHECKING:
    from unlatch_agents.transcripts.conversation import Json

# Levels of arguments of a tool; deeper ones are left out, so that others can process them.
_MAX_DEPTH = 64
_MAX_NAME = 60
# What a column of SQLite takes.
_MAX_COUNT = (1 << 63) - 1


def parsed(text: str) -> Any:
    """The value of a JSON text without NaN and with characters that can be encoded.

    Raises:
        ValueError: it is not JSON, or nested too deep (TooDeep).
    """
    value = _value(text)
    if "\\ud" in text or "\\uD" in text:  # perhaps half of a pair
        clean = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = _value(clean.decode())
    return value


def _value(text: str) -> Any:
    return load_json(text, levels=None, constant=lambda _: None)


def parsed_object(text: str) -> Json:
    """The object of a JSON text; empty if it is none."""
    try:
        return mapping(parsed(text))
    except ValueError:
        return {}


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def count(value: object) -> int:
    return value if type(value) is int and 0 < value <= _MAX_COUNT else 0


def name(value: object) -> str:
    """A name of a type, short enough to be counted under."""
    return (value if isinstance(value, str) else type(value).__name__)[:_MAX_NAME]


def joined(content: object) -> str:
    """The text of a message: a text, or a list of texts and parts."""
    if isinstance(content, list):
        parts = (
            part if isinstance(part, str) else text(mapping(part).get("text")) for part in content
        )
        return "\n".join(part for part in parts if part)
    return text(content)


def arguments(value: object) -> Json:
    """The arguments of a tool: an object, or the JSON text of one; other text as `input`."""
    if isinstance(value, str):
        try:
            value = parsed(value)
        except ValueError:
            return {"input": value}
    fields = mapping(value)
    return {} if is_too_deep(fields, _MAX_DEPTH) else fields


def moment(milliseconds: object) -> datetime | None:
    """The time that a number of milliseconds since 1970 means."""
    try:
        return datetime.fromtimestamp(count(milliseconds) / 1000, UTC) if milliseconds else None
    except (ValueError, OverflowError, OSError):
        return None
