"""JSON of any author: read here, and changed and merged byte by byte in the modules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Levels of JSON. A document of Jira has twenty; pydantic and msrest recurse several times a level.
MAX_DEPTH = 100
_CONTAINERS = (dict, list, tuple)
_TOO_DEEP = "it is nested too deep"


class TooDeep(ValueError):
    """A text nests its values deeper than code that walks them can go."""


def load_json(
    content: str | bytes,
    *,
    levels: int | None = MAX_DEPTH,
    constant: Callable[[str], Any] | None = None,
) -> Any:
    """The value of a JSON text; ValueError if it is none, TooDeep if it is nested too deep.

    Args:
        content: with or without a byte order mark.
        levels: how deep containers may be nested, for code that walks them; None if none does.
        constant: the value of NaN or Infinity, which JSON does not have; by default Python's.
    """
    if isinstance(content, str):
        content = content.removeprefix("\ufeff")
    try:
        value = json.loads(content, parse_constant=constant)
    except RecursionError:
        raise TooDeep(_TOO_DEEP) from None
    if levels is not None and _brackets(content) > levels and is_too_deep(value, levels):
        raise TooDeep(_TOO_DEEP)
    return value


def _brackets(content: str | bytes) -> int:
    """How many levels a text can have at most; to count them is faster than to walk its value."""
    if isinstance(content, str):
        return content.count("{") + content.count("[")
    return content.count(b"{") + content.count(b"[")


def json_or_none(content: str | bytes) -> Any:
    """The value of a JSON text; None if it cannot be read."""
    try:
        return load_json(content)
    except ValueError:
        return None


def json_object(content: str | bytes) -> dict[str, Any]:
    """The object of a JSON text; empty if it is none."""
    value = json_or_none(content)
    return value if isinstance(value, dict) else {}


def is_too_deep(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether containers are nested deeper than so many levels."""
    level: list[Any] = [[value]]
    for _ in range(levels + 1):
        level = [
            inner for outer in level for inner in _members(outer) if isinstance(inner, _CONTAINERS)
        ]
        if not level:
            return False
    return True


def _members(outer: Any) -> Iterable[Any]:
    return outer.values() if isinstance(outer, dict) else outer
