"""JSON texts in the form that `json.dumps` writes, as in nearly every file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INDENT = re.compile(r"\{\n([ \t]*)")


def rendered(text: str, old: Any, new: Any) -> str | None:
    """Write `new` as `old` is written; None if `json.dumps` does not write `text` for `old`.

    That it does proves all that a text may be peculiar in: no key comes twice, every number and
    escape is spelled in Python's way, and the members have the order of `old`.
    """
    if not isinstance(old, dict) or not old:
        return None
    indent = _INDENT.match(text)
    for ascii_only in (False, True):
        style: dict[str, Any] = {"indent": indent and indent[1], "ensure_ascii": ascii_only}
        body = json.dumps(old, **style)
        if text.startswith(body):
            made = json.dumps(ordered(old, new), **style, allow_nan=False)
            # A value that JSON does not have, such as a numeric key, is read back differently.
            return made + text[len(body) :] if json.loads(made) == new else None
    return None


def ordered(old: Any, new: Any) -> Any:
    """The value `new` with the members of its objects in the order that `old` has them in."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = {**old, **new}
        return {key: ordered(old.get(key), new[key]) for key in keys if key in new}
    if isinstance(old, list) and isinstance(new, list):
        return [
            value if index is None else ordered(old[index], value)
            for index, value in aligned(old, new)
        ]
    return new


def aligned(old: Sequence[Any], new: Sequence[Any]) -> Iterable[tuple[int | None, Any]]:
    """Each element of `new`, with the index of its counterpart in `old`, if any.

    What is the same at either end stays, and what is between goes in its order.
    """
    shorter = min(len(old), len(new))
    head = _common(old, new, shorter)
    tail = _common(old[::-1], new[::-1], shorter - head)
    added = [None] * (len(new) - shorter)
    return zip(
        [*range(shorter - tail), *added, *range(len(old) - tail, len(old))], new, strict=True
    )


def _common(old: Sequence[Any], new: Sequence[Any], limit: int) -> int:
    """Count the equal items at the start of both."""
    for index in range(limit):
        if not is_same(old[index], new[index]):
            return index
    return limit


def is_same(old: Any, new: Any) -> bool:
    """Compare as JSON does: True is not 1, 1 is not 1.0, and members have no order."""
    if isinstance(old, dict):
        return (
            isinstance(new, dict)
            and old.keys() == new.keys()
            and all(is_same(value, new[key]) for key, value in old.items())
        )
    if isinstance(old, list):
        return (
            isinstance(new, list | tuple) and len(old) == len(new) and all(map(is_same, old, new))
        )
    if isinstance(old, str):
        return isinstance(new, str) and old == new
    if isinstance(old, float):
        return isinstance(new, float) and repr(old) == repr(new)  # -0.0 is not 0.0
    return type(old) is type(new) and bool(old == new)
