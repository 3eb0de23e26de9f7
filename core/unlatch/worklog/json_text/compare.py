"""Compare JSON values, and find the counterparts of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
