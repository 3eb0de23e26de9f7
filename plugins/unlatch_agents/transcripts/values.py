"""Values of JSON that agents wrote: the type that is expected, or its empty value."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unlatch_agents.transcripts.conversation import Json

# Levels of arguments of a tool; deeper ones are left out, so that others can process them.
_MAX_DEPTH = 64
_MAX_NAME = 60
# What a column of SQLite takes.
_MAX_COUNT = (1 << 63) - 1
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


def parsed(text: str) -> Any:
    """The value of a JSON text without NaN and with characters that can be encoded.

    Raises:
        ValueError, RecursionError: it is not JSON, or it is nested too deeply.
    """
    value = _DECODER.decode(text)
    if "\\ud" in text or "\\uD" in text:  # perhaps half of a pair
        clean = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = _DECODER.decode(clean.decode())
    return value


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
        except (ValueError, RecursionError):
            return {"input": value}
    fields = mapping(value)
    return fields if _depth_is_bounded(fields) else {}


def _depth_is_bounded(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return True
    return False


def moment(milliseconds: object) -> datetime | None:
    """The time that a number of milliseconds since 1970 means."""
    try:
        return datetime.fromtimestamp(count(milliseconds) / 1000, UTC) if milliseconds else None
    except (ValueError, OverflowError, OSError):
        return None
