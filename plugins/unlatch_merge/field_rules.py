"""The rules for merging the fields of two versions of a metadata.json."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from unlatch.increments.files.metadata_file import ACTIVITY_KEYS, CREATED_KEYS
from unlatch.increments.model.link import Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_places import LISTS, OUTER_BLOCKS
from unlatch.increments.records.links import identity
from unlatch.increments.records.reopens import details_of
from unlatch.increments.records.shapes import Shapes
from unlatch.increments.records.status_events import UNWRITTEN
from unlatch.increments.records.units import UNIT
from unlatch.spi.manifest import LinkShape
from unlatch.spi.operation import Category
from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp
from unlatch_merge.outcome import ABSENT, Place
from unlatch_merge.three_way import Rule, ThreeWay, Versions

Data = dict[str, Any]
_EVIDENCE = ("shows", "by")


def unit_rule(way: ThreeWay, versions: Versions, place: Place) -> Any:
    """A unit with the evidence of one side, if both changed it: that of the most work.

    Evidence that is on record overrides no status, so what either side knew stays known.
    """
    if not versions.are_objects:
        return way.merge_changes(versions, place)
    base, *sides = versions
    before = _evidence(base) if isinstance(base, dict) else None
    if all(_evidence(side) != before for side in sides):
        most = max(sides, key=_evidence)
        sides = [with_fields_of(side, most, _EVIDENCE) for side in sides]
    return way.members(Versions(base, *sides), place)


def _evidence(unit: Data) -> tuple[bool, list[int], str]:
    shows, by = (str(unit.get(key, "")) for key in _EVIDENCE)
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", by)]
    return shows == Status.COMPLETED, numbers, f"{shows} {by}"


def with_fields_of(data: Data, winner: Data, fields: Iterable[str]) -> Data:
    fields = frozenset(fields)
    kept = {key: value for key, value in data.items() if key not in fields or key in winner}
    return kept | {key: winner[key] for key in winner if key in fields}


_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_CLOSED = frozenset({Category.DONE.value, Category.DROPPED.value})


def field_rules(way: ThreeWay, shapes: Shapes, completed: Iterable[str]) -> dict[str, Rule]:
    """The rules of fields; `completed` are the keys that hold the time of completion."""
    nested = partial(_nested, way)
    facts: dict[str, Rule] = {_BASE: _forget_base, **dict.fromkeys(LISTS, nested)}
    links = {
        tracker: block_rule(way, tracker, shape, facts) for tracker, shape in shapes.links.items()
    }
    united, record = partial(_united, way), partial(_record_rule, way)
    documents: dict[str, Rule] = {"unwritten": _unwritten}
    reached = {
        "syncedTo": _synced_rule(way, shapes),
        "alsoBy": _also_by,
        "cause": _first_cause,
        **documents,
    }
    reopen = _made_twice(record("revertedAt", "revert", reached), "reopenedAt", "reopenedBy")
    operation = record("parkedAt", "cause", {"attempt": partial(_attempt, way)})
    operation = _made_twice(operation, "at", "by")
    return {
        **links,
        **dict.fromkeys(OUTER_BLOCKS, nested),
        **dict.fromkeys(CREATED_KEYS, partial(_time_of, min, way)),
        **dict.fromkeys((*ACTIVITY_KEYS, *completed), partial(_time_of, max, way)),
        UNIT: partial(unit_rule, way),
        "status": lambda versions, _place: versions.ours,
        "reopenHistory": united(_entry_key, reopen, "reopenedAt"),
        "guards": partial(_guards, way),
        "amendments": united(_entry_key, record("at", "by", documents), "at"),
        "pending": united(_operation_key, operation, "at"),
        # An event that one side removed is in its events.jsonl.
        UNWRITTEN: united(_entry_key, way.merge_changes, "at"),
    }


def _united(way: ThreeWay, key: Callable[[Data], Any], rule: Rule, time: str) -> Rule:
    """Two lists of records, in the order of their times."""

    def order(record: Data) -> tuple[datetime, str]:
        return _time(record, time), str(record.get("op", record.get("id")))

    def united(versions: Versions, place: Place) -> Any:
        keyed = Versions(*(_by(key, side) for side in versions))
        if None in keyed:
            return way.merge_changes(versions, place)
        merged = way.records(keyed, place, rule=rule, order=order)
        return ABSENT if not merged and ABSENT in versions else merged

    return united


def _record_rule(way: ThreeWay, time: str, of: str, rules: Mapping[str, Rule]) -> Rule:
    """Two versions of a record whose field `of` has a time; the later one counts."""

    def rule(versions: Versions, place: Place) -> Any:
        base, *sides = versions
        last = max(sides, key=lambda side: _time(side, time))
        aligned = (with_fields_of(side, last, (time, of)) for side in sides)
        return way.members(Versions(base, *aligned), place, rules=rules)

    return rule


# Two checkouts that made the same record differ in these for other reasons.
_LATER = frozenset(
    {"syncedTo", "revertedAt", "revert", "attempt", "parkedAt", "cause", "unwritten"}
)


def _made_twice(rule: Rule, time: str, by: str) -> Rule:
    """The rule for a record whose id follows from what it answers: both sides may have made it.

    The earlier one stays; a reopen names who made the other, and when.
    """

    def merged(versions: Versions, place: Place) -> Any:
        if versions.base is not ABSENT or not versions.are_objects:
            return rule(versions, place)
        sides = (versions.ours, versions.theirs)
        first, other = sorted(sides, key=lambda side: (_time(side, time), str(side.get(by))))
        kept = {key: value for key, value in first.items() if key not in _LATER}
        if time == "reopenedAt" and any(other.get(key) != first.get(key) for key in (time, by)):
            maker = {"by": other.get(by), "at": other.get(time)}
            makers = [*first.get(_ALSO_BY, ()), maker, *other.get(_ALSO_BY, ())]
            kept[_ALSO_BY] = _each_once(makers)
        aligned = ({**kept, **{key: side[key] for key in side if key in _LATER}} for side in sides)
        return rule(Versions(ABSENT, *aligned), place)

    return merged


def _also_by(versions: Versions, _place: Place) -> Any:
    """All who made the same record, in the order of their times."""
    sides = [side for side in (versions.ours, versions.theirs) if isinstance(side, list)]
    return _each_once([entry for side in sides for entry in side])


def _first_cause(versions: Versions, _place: Place) -> Any:
    """The cause that was seen first, if both sides have one."""
    sides = [side for side in (versions.ours, versions.theirs) if isinstance(side, dict)]
    return min(sides, key=_seen_at, default=versions.ours)


def _seen_at(cause: Data) -> tuple[datetime, str]:
    # The text makes the order the same from either side.
    return _time(cause, "seenAt"), str(sorted(cause.items()))


def _guards(way: ThreeWay, versions: Versions, place: Place) -> Any:
    """The names of tests that either side has, without those that one removed."""
    keyed = Versions(*({} if side is ABSENT else _names(side) for side in versions))
    if None in keyed:
        return way.merge_changes(versions, place)
    return way.records(keyed, place, rule=way.merge_changes)


def _names(side: Any) -> dict[str, str] | None:
    is_plain = isinstance(side, list) and all(isinstance(name, str) for name in side)
    return {name: name for name in side} if is_plain else None


def _each_once(makers: list[Any]) -> list[Any]:
    unique = [maker for number, maker in enumerate(makers) if maker not in makers[:number]]
    return sorted(unique, key=lambda maker: (str(maker.get("at")), str(maker.get("by"))))


def _synced_rule(way: ThreeWay, shapes: Shapes) -> Rule:
    blocks = {
        tracker: block_rule(way, tracker, shape, whole=_seen_first)
        for tracker, shape in shapes.synced.items()
    }

    def rule(versions: Versions, place: Place) -> Any:
        if not versions.are_objects:
            return way.merge_changes(versions, place)
        return way.members(versions, place, rules=blocks)

    return rule


def _attempt(way: ThreeWay, versions: Versions, place: Place) -> Any:
    """The later attempt, with the item before the earlier one; open if either is."""
    _, *sides = versions
    if not versions.are_objects:
        return way.merge_changes(versions, place)
    first, last = sorted(sides, key=lambda side: _time(side, "at"))
    merged = {**first, **last}
    # Clocks differ, so the times do not show the first reader: a closed item is the older state.
    items = [side["before"] for side in sides if isinstance(side.get("before"), dict)]
    if items:
        closed = (item for item in items if item.get("category") in _CLOSED)
        merged["before"] = next(closed, items[0])
    if not ("ended" in first and "ended" in last):
        merged.pop("ended", None)
    return merged


def _time_of(choose: Callable[..., Any], way: ThreeWay, versions: Versions, place: Place) -> Any:
    _, ours, theirs = versions
    if ours is ABSENT or theirs is ABSENT:
        return theirs if ours is ABSENT else ours
    our_time, their_time = read_stamp(ours), read_stamp(theirs)
    if our_time is None or their_time is None:
        return way.merge_changes(versions, place)
    return choose((our_time, ours), (their_time, theirs))[1]


def _forget_base(_versions: Versions, _place: Place) -> Any:
    # The later base cannot be determined; without a base the next sync compares again.
    return ABSENT


def _nested(way: ThreeWay, versions: Versions, place: Place) -> Any:
    """A block of another shape: drop its bases; entries of a list keep their places."""
    rule = partial(_nested, way)
    if versions.are_objects:
        rules: dict[str, Rule] = dict.fromkeys({**versions.ours, **versions.theirs}, rule)
        return way.members(versions, place, rules={**rules, _BASE: _forget_base})
    if all(isinstance(version, list) for version in versions) and len(set(map(len, versions))) == 1:
        entries = enumerate(map(Versions, *versions))
        return [way.value(each, (*place, str(number)), rule=rule) for number, each in entries]
    return way.merge_changes(versions, place)


def _unwritten(versions: Versions, _place: Place) -> Any:
    # The unwritten documents: none if one side wrote them all.
    _, ours, theirs = versions
    return ABSENT if ABSENT in (ours, theirs) else [name for name in ours if name in theirs]


def _seen_first(versions: Versions, _place: Place) -> Any:
    # Both clones delivered it. The one that read the item before the other wrote knows its state
    # before the reopen and, from there, everything that the reopen changed.
    return min(versions.ours, versions.theirs, key=_lateness)


def _lateness(reached: Data) -> tuple[bool, bool, int, str]:
    details = details_of(reached)
    seen = details.get("before")
    was_open = seen is None or seen.category is None or seen.category.is_open
    count = sum(len(details.get(key, ())) for key in ("labels_added", "labels_removed"))
    # The last key makes the order the same from either side.
    return seen is None, was_open, -count, str(sorted(reached.items()))


def _by(key: Callable[[Data], Any], records: Any) -> dict[Any, Data] | None:
    """Records by their keys; None if some have no key of their own."""
    if records is ABSENT:
        return {}
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        return None
    by_key = {key(record): record for record in records}
    return by_key if None not in by_key and len(by_key) == len(records) else None


def _entry_key(entry: Data) -> Any:
    return entry["id"] if isinstance(entry.get("id"), str) else None


def _operation_key(operation: Data) -> Any:
    parts = tuple(operation.get(name) for name in ("op", "tracker", "item"))
    return parts if all(isinstance(part, str) for part in parts) else None


def _time(record: Data, key: str) -> datetime:
    return read_stamp(record.get(key)) or _LONG_AGO


_Items = list[dict[str, Any]]
_ITEMS = "items"
_BASE = "base"
_ALSO_BY = "alsoBy"


@dataclass(frozen=True, slots=True)
class _Unfolded:
    """A block as a list of items, and its other keys."""

    items: _Items
    rest: dict[str, Any]
    is_listed: bool = False


def block_rule(
    way: ThreeWay,
    tracker: str,
    shape: LinkShape,
    fields: Mapping[str, Rule] | None = None,
    *,
    whole: Rule | None = None,
) -> Rule:
    """The rule for two versions of a block of a tracker's items: links, or items of a reopen.

    A block with one item has it under plain keys; one with more lists all of them in `items`.
    If each side added an item, the result lists the items of both.

    Args:
        fields: rules for an item's fields.
        whole: the rule for merging an item as a whole.
    """
    own = {**(fields or {}), shape.item: _one_spelling, shape.url: _one_spelling}

    def item_rule(versions: Versions, place: Place) -> Any:
        return whole(versions, place) if whole else way.members(versions, place, rules=own)

    def rule(versions: Versions, place: Place) -> Any:
        unfolded = [_unfolded(side, shape) for side in versions]
        blocks = [block for block in unfolded if block is not None]
        by_identity = _by_identity([block.items for block in blocks], tracker, shape)
        if by_identity is None or len(blocks) < len(unfolded):
            return way.merge_changes(versions, place)
        items = way.records(Versions(*by_identity), (*place, _ITEMS), rule=item_rule)
        rest = way.members(Versions(*(block.rest for block in blocks)), place, rules=fields)
        is_listed = blocks[1].is_listed and blocks[2].is_listed
        return _folded(_Unfolded(items, rest, is_listed), shape) or ABSENT

    return rule


def _unfolded(block: Any, shape: LinkShape) -> _Unfolded | None:
    """A block as a list; None for an unknown form."""
    if block is ABSENT:
        return _Unfolded([], {})
    if not isinstance(block, dict):
        return None
    plain = {key: block[key] for key in (shape.item, shape.url) if key in block}
    if _ITEMS in block:
        return _listed(block, plain, shape)
    if shape.item not in block:
        return None if plain else _Unfolded([], dict(block))
    own = {**plain, **({_BASE: block[_BASE]} if _BASE in block else {})}
    return _Unfolded([own], {key: value for key, value in block.items() if key not in own})


def _listed(block: dict[str, Any], plain: dict[str, Any], shape: LinkShape) -> _Unfolded | None:
    items = block[_ITEMS]
    if not isinstance(items, list):
        return None
    if not all(isinstance(item, dict) and shape.item in item for item in items):
        return None
    if plain and not any(plain.items() <= item.items() for item in items):
        return None  # the plain keys name a further item
    rest = {key: value for key, value in block.items() if key not in (*plain, _ITEMS)}
    return _Unfolded(items, rest, is_listed=True)


def _one_spelling(versions: Versions, _place: Place) -> Any:
    """The id or the address of one item, in one of its spellings."""
    return versions.theirs if versions.ours in (versions.base, ABSENT) else versions.ours


def _by_identity(
    lists: list[_Items], tracker: str, shape: LinkShape
) -> list[dict[str, Any]] | None:
    """The items of each list by address, or by id if some have no address; None if ambiguous."""
    have_urls = all(isinstance(item.get(shape.url), str) for items in lists for item in items)

    def known_by(item: dict[str, Any]) -> str:
        url = item[shape.url] if have_urls else None
        return identity(Link(tracker, str(item[shape.item]), url))[1]

    keyed = [{known_by(item): item for item in items} for items in lists]
    same_length = [len(by_key) for by_key in keyed] == [len(items) for items in lists]
    return keyed if same_length else None


def _folded(block: _Unfolded, shape: LinkShape) -> dict[str, Any]:
    if not block.items:
        return block.rest
    first = block.items[0]
    if len(block.items) == 1 and not block.is_listed and block.rest.keys().isdisjoint(first):
        return {**first, **block.rest}
    plain = {key: first[key] for key in (shape.item, shape.url) if key in first}
    return {**plain, **block.rest, _ITEMS: block.items}
