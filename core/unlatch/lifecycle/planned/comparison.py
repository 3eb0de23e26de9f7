"""Compare documents of dry runs, and read what they foresee."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# The ids and times that each dry run makes anew.
_NEW = pattern(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?")
# The keys whose change explains that of the others; a digest only follows from them.
_FIRST = ("status", "state", "lastEvent")
_DERIVED = "digest"
_LONGEST = 200


def differences(planned: Any, now: Any, *, fixed: str | None = "") -> list[str]:
    """The differences of two documents of dry runs: the place, and from what to what.

    The ids and times that each makes anew are none, nor are the words of warnings and errors.

    Args:
        fixed: a text whose ids and times count all the same; None if all count.
    """
    return [*_Comparison(fixed).of(planned, now, "")]


@dataclass(frozen=True, slots=True)
class _Comparison:
    fixed: str | None  # None if all ids and times count

    def of(self, before: Any, after: Any, place: str) -> Iterator[str]:
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self._members(before, after, place)
        elif isinstance(before, list) and isinstance(after, list):
            yield from self._entries(before, after, place)
        elif type(before) is not type(after) or self._fixed(before) != self._fixed(after):
            yield f"{place}: {_shown(before)} -> {_shown(after)}"

    def _members(self, before: dict[str, Any], after: dict[str, Any], place: str) -> Iterator[str]:
        place = _name(before) or place
        keys = [key for key in _FIRST if before.get(key) != after.get(key)] or _keys(before, after)
        for key in keys:
            inner = f"{place}: {key}" if place else key
            yield from self.of(before.get(key), after.get(key), inner)

    def _entries(self, before: list[Any], after: list[Any], place: str) -> Iterator[str]:
        by_name = {_name(entry): entry for entry in after}
        if None in map(_name, (*before, *after)) or len(by_name) < len(after):
            for number, (old, new) in enumerate(zip_longest(before, after), 1):
                yield from self.of(old, new, f"{place} {number}")
            return
        for entry in before:
            if (name := _name(entry)) in by_name:
                yield from self.of(entry, by_name.pop(name), place)
            else:
                yield f"{name}: not there any more"
        yield from (f"{name}: not in the plan" for name in by_name)

    def _fixed(self, value: Any) -> Any:
        fixed = self.fixed
        if fixed is None or not isinstance(value, str):
            return value
        return _NEW.sub(lambda match: match[0] if match[0] in fixed else "", value)


def _keys(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The keys to compare: of an error only its id, as its words can have a number of days."""
    if before.keys() == after.keys() and {"id", "message"} <= before.keys():
        return ["id"]
    return [key for key in {**before, **after} if key != _DERIVED]


def foresees_change(document: Mapping[str, Any], *, but: Any = None) -> bool:
    """Whether a dry run foresees the change of an item, or of files."""
    is_moved = any(move["status"] != move["wouldBe"] for move in moves_of(document))
    items = [item for item in items_of(document) if not (item["error"] or (but and but(item)))]
    links = (
        entry.get("linked") or entry.get("unlinked") for entry in document.get("increments", ())
    )
    others = (document.get(key) for key in ("related", "moves", "adoptions", "adrift"))
    return bool(is_moved or items or any(links) or any(others))


def has_pending(item: Mapping[str, Any]) -> bool:
    """Whether the change of an item in a document is recorded, and not delivered."""
    return item["pendingSince"] is not None


def items_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items of a document of a dry run."""
    of_each = (entry["items"] for entry in document.get("increments", ()) if "items" in entry)
    return [*document.get("items", ()), *(item for items in of_each for item in items)]


def is_unread(item: Mapping[str, Any]) -> bool:
    """Whether an item of a document could not be read."""
    # A new item has no address yet.
    return item["state"] is None and item["error"] is not None and bool(item["url"])


def moves_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The increments of a document of a dry run, each with its status and the one it would get."""
    many = document.get("increments")
    each = [
        increment
        for increment in (many if isinstance(many, list) else ())
        if isinstance(increment, dict)
    ]
    moved = (entry.get("increment") for entry in (document, *each))
    return [move for move in moved if isinstance(move, dict)]


def _name(value: Any) -> str | None:
    """What an entry of a document is about: an increment, or an item."""
    if not isinstance(value, dict) or "method" in value:
        return None
    inner = value.get("increment")
    name = inner.get("id") if isinstance(inner, dict) else value.get("url") or value.get("id")
    return name if isinstance(name, str) else None


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return " ".join(map(_shown, value.values()))
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    text = re.sub(r"\s+", " ", str(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
