"""Compare a plan with the one that the same command makes now."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.lifecycle.planned.saved import IncrementBasis, SavedPlan

# The ids and times that each dry run makes anew.
_NEW = pattern(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?")
# The keys whose change explains that of the others; a digest only follows from them.
_FIRST = ("status", "state", "lastEvent")
_DERIVED = "digest"
# Those of an increment in a document.
_MOVE = {"id", "status", "wouldBe"}
_LONGEST = 200


def compare_plans(planned: SavedPlan, now: SavedPlan) -> list[str]:
    """What changed since a plan was made, each as `differences` says it."""
    parts = {"project", "accounts", "command", "increments"}
    before, after = (one.model_dump(by_alias=True, include=parts) for one in (planned, now))
    # What is not written to, or read, any more is a change of the preview.
    before["accounts"] = {name: planned.accounts.get(name) for name in now.accounts}
    found = _exact_differences(before, after)
    known = {one.url: one for one in planned.items}
    for item in now.items:
        if other := known.get(item.url):
            # An edit alone does not change the plan.
            same = item.model_copy(update={"revision": other.revision})
            found += _exact_differences(other.model_dump(), same.model_dump())
        else:
            found.append(f"{item.url}: not in the plan")
    fixed = planned.command.model_dump_json()
    found += differences(planned.preview, now.preview, fixed=fixed)
    return [*dict.fromkeys(found)]


def edited_items(planned: SavedPlan, now: SavedPlan) -> list[str]:
    """The items that were edited or commented on since, without a change of what would be done."""
    read = {one.url: one.revision for one in now.items}
    return [one.url for one in planned.items if read.get(one.url, one.revision) != one.revision]


def compare_increments(planned: SavedPlan, now: Sequence[IncrementBasis]) -> list[str]:
    """The same for the increments alone, where the plan cannot be made any more."""
    pair = ([one.model_dump(by_alias=True) for one in some] for some in (planned.increments, now))
    return _exact_differences(*pair)


def _exact_differences(planned: Any, now: Any) -> list[str]:
    return [*_Comparison(None).of(planned, now, "")]


def differences(planned: Any, now: Any, *, fixed: str = "") -> list[str]:
    """The differences of two documents of dry runs: the place, and from what to what.

    The ids and times that each makes anew are none, nor are the words of warnings and errors.

    Args:
        fixed: a text whose ids and times count all the same.
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
        known = {_name(one): one for one in after}
        if None in map(_name, (*before, *after)) or len(known) < len(after):
            for number, (old, new) in enumerate(zip_longest(before, after), 1):
                yield from self.of(old, new, f"{place} {number}")
            return
        for one in before:
            if (name := _name(one)) in known:
                yield from self.of(one, known.pop(name), place)
            else:
                yield f"{name}: not there any more"
        yield from (f"{name}: not in the plan" for name in known)

    def _fixed(self, value: Any) -> Any:
        fixed = self.fixed
        if fixed is None or not isinstance(value, str):
            return value
        return _NEW.sub(lambda found: found[0] if found[0] in fixed else "", value)


def _keys(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The keys to compare: of an error only its id, as its words can have a number of days."""
    if before.keys() == after.keys() and {"id", "message"} <= before.keys():
        return ["id"]
    return [key for key in {**before, **after} if key != _DERIVED]


def is_done(
    planned: SavedPlan, increments: Iterable[IncrementBasis], now: Mapping[str, Any] | None
) -> bool:
    """Whether what a plan is about has been done already, by this plan or another command.

    Args:
        increments: those of the plan as they are now.
        now: the document that its command makes now; None where it makes none any more.
    """
    found = [one for one in _moves(planned.preview) if one.keys() >= _MOVE]
    moves = {str(one["id"]): (one["status"], one["wouldBe"]) for one in found}
    statuses = {one.id: one.status for one in increments}
    if any(statuses.get(name) != goal for name, (_, goal) in moves.items()):
        return False
    if now is None:
        return any(before != goal for before, goal in moves.values())
    return not foresees_change(now, but=has_pending)


def foresees_change(document: Mapping[str, Any], *, but: Any = None) -> bool:
    """Whether a dry run foresees the change of an item, or of files."""
    is_moved = any(one["status"] != one["wouldBe"] for one in _moves(document))
    items = [one for one in items_of(document) if not (one["error"] or (but and but(one)))]
    links = (one.get("linked") or one.get("unlinked") for one in document.get("increments", ()))
    others = (document.get(key) for key in ("related", "moves", "adoptions", "adrift"))
    return bool(is_moved or items or any(links) or any(others))


def has_pending(item: Mapping[str, Any]) -> bool:
    """Whether the change of an item in a document is recorded, and not delivered."""
    return item["pendingSince"] is not None


def items_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items of a document of a dry run."""
    of_each = (one["items"] for one in document.get("increments", ()) if "items" in one)
    return [*document.get("items", ()), *(item for items in of_each for item in items)]


def is_unread(item: Mapping[str, Any]) -> bool:
    """Whether an item of a document could not be read."""
    # A new item has no address yet.
    return item["state"] is None and item["error"] is not None and bool(item["url"])


def _moves(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    many = document.get("increments")
    each = [one for one in (many if isinstance(many, list) else ()) if isinstance(one, dict)]
    found = (one.get("increment") for one in (document, *each))
    return [one for one in found if isinstance(one, dict)]


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
