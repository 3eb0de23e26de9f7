"""Merging the front matter, key by key.

Tokens add up, and lists of agents are united. Status, end and resume point go together and come
from the side where something happened last. Another key that both sides changed is a conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from unlatch.worklog.text.merge import Clash, UnmergeableError
from unlatch_sessions.front_matter import with_values
from unlatch_sessions.merge.blocks import lines
from unlatch_sessions.merge.regions import Region, marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch_sessions.front_matter import Scalar, Value
    from unlatch_sessions.merge.parts import Parts

    Item = str | dict[str, Scalar]
    # Either all are texts, or all are mappings.
    Items = list[Any]
    Named = Mapping[tuple[str, int], Item]

_KEY = re.compile(r"(?P<key>[^\s#:-][^: \t\r\n]*+(?:[ \t]++[^: \t\r\n]++)*+)[ \t]*+:(?=[ \t\r\n])")
_STATE = frozenset({"status", "ended", "resume_point"})
_TOKENS = "tokens_used"
_LISTS = ("participants", "subagents")
# The status that counts where no time shows what came last is the last of these.
_ORDER = ("active", "paused", "failed", "completed")
_OPENING, _CLOSING = "<", ">"  # no keys of YAML


def merge_heads(base: Parts, ours: Parts, theirs: Parts) -> tuple[str, list[Clash]]:
    """The merged front matter, with git's markers around the keys in conflict."""
    versions = [chunks(one.head) for one in (base, ours, theirs)]
    latest = chunks(later(base, ours, theirs).head)
    added_up = _added_up(base, ours, theirs)
    new = sorted({*versions[1], *versions[2]} - versions[0].keys())
    merged: list[str] = []
    values: dict[str, Value] = {}
    clashes: list[Clash] = []
    for key in [*(one for one in versions[0] if one != _CLOSING), *new, _CLOSING]:
        region = Region(*([one[key]] if key in one else [] for one in versions))
        settled = [latest[key]] if key in _STATE & latest.keys() else region.settled
        if key in added_up and (settled is None or _is_counted_twice(key, region)):
            settled = region.ours or region.theirs  # whose value is set below
            values[key] = added_up[key]
        if settled is None:
            sides = ("".join(side).strip() for side in region[1:])
            clashes.append(Clash((key,), *sides))
            settled = marked(region.ours, region.theirs)
        merged += settled
    return with_values("".join(merged), values), clashes


def _is_counted_twice(key: str, region: Region) -> bool:
    """Whether both sides used as many tokens: twice as many in all."""
    return key == _TOKENS and region.base not in (region.ours, region.theirs)


def later(base: Parts, ours: Parts, theirs: Parts) -> Parts:
    """The side whose status counts."""
    sides = (ours, theirs)
    changed = [one for one in sides if (_state(one), one.moment) != (_state(base), base.moment)]
    if len(changed) == 1:
        return changed[0]

    def rank(one: Parts) -> tuple[str, bool, int, str]:
        status = _ORDER.index(one.session.meta.status)
        return one.moment, _state(one) != _state(base), status, one.head

    return max(sides, key=rank)


def _state(one: Parts) -> tuple[object, ...]:
    meta = one.session.meta
    return meta.status, meta.ended, one.point


def chunks(head: str) -> dict[str, str]:
    """The lines of each key, with those below it that belong to none."""
    opening, *body, closing = lines(head)
    found = {_OPENING: opening}
    key = _OPENING
    for line in body:
        if match := _KEY.match(line):
            key = match["key"]
            if key in found:
                raise UnmergeableError(f"the front matter has {key!r} twice")
            found[key] = ""
        found[key] += line
    return {**found, _CLOSING: closing}


def _added_up(base: Parts, ours: Parts, theirs: Parts) -> dict[str, Value]:
    """The values of keys to which both sides may have added."""
    counts = [one.session.meta.tokens_used for one in (base, ours, theirs)]
    found: dict[str, Value] = {_TOKENS: _sum(*counts)}
    for key in _LISTS:
        known = [named for one in (base, ours, theirs) if (named := _items(one, key)) is not None]
        if len(known) == 3 and (merged := _united(*known)) is not None:  # noqa: PLR2004
            found[key] = merged
    return found


def _sum(base: int, ours: int, theirs: int) -> int:
    return max(0, ours + theirs - base)


def _items(one: Parts, key: str) -> Named | None:
    """The entries of a list; None if it would not be written as it stands."""
    found = one.values.get(key, [])
    items: Items = [_typed(item) for item in found] if isinstance(found, list) else []
    if key in one.values and with_values(one.head, {key: items}) != one.head:
        return None
    seen: Counter[str] = Counter()
    named = {}
    for item in items:
        name = _name(item)
        named[name, seen[name]] = item
        seen[name] += 1
    return named


def _name(item: Item) -> str:
    """The subject of an entry: an agent, or the session of a subagent."""
    if isinstance(item, str):
        return item
    return str(item.get("session") or sorted(map(str, item.items())))


def _typed(item: Any) -> Item:
    """An entry as unlatch writes it: numbers and null of mappings without quotes."""
    if not isinstance(item, dict):
        return str(item)
    return {str(name): _scalar(value) for name, value in item.items()}


def _scalar(value: Any) -> Scalar:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return None if value == "null" else str(value)


def _united(base: Named, ours: Named, theirs: Named) -> Items | None:
    """The entries of both sides; None if both changed one differently."""
    merged = []
    for key in [*base, *sorted({*ours, *theirs} - base.keys())]:
        before, here, there = (one.get(key) for one in (base, ours, theirs))
        item = there if here == before else here
        if here != there and before not in (here, there):
            item = _recounted(before, here, there)
            if item is None:
                return None
        merged.append(item)
    return [one for one in merged if one is not None]


def _recounted(before: Item | None, here: Item | None, there: Item | None) -> Item | None:
    """A subagent whose tokens alone both sides changed."""
    if not (isinstance(before, dict) and isinstance(here, dict) and isinstance(there, dict)):
        return None
    sides = (before, here, there)
    counts = [count for one in sides if isinstance(count := one.get("tokens"), int)]
    first, *others = ({**one, "tokens": 0} for one in sides)
    is_alike = all(one == first for one in others) and len(counts) == len(sides)
    return {**here, "tokens": _sum(*counts)} if is_alike else None
