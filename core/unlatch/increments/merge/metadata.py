"""Two versions of a metadata.json with a common ancestor, merged by what the fields mean.

Entries of reopenHistory, operations in `pending`, links and reached items are united by what they
are known by; what either side removed is removed: an operation that one clone delivered is not
owed any more. Times take the later one. What was last seen of an item is forgotten where both saw
something else. A status that both changed is for people to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from unlatch.increments.files.reading import ACTIVITY_KEYS, COMPLETED_KEYS
from unlatch.increments.merge.blocks import block_rule
from unlatch.increments.model.status import read_status
from unlatch.increments.records.links import read_links, same_item
from unlatch.increments.records.operation import read_seen
from unlatch.increments.records.records import (
    is_in_doubt,
    mark_format,
    read_pending,
    read_reopens,
    set_pending,
    supersede,
)
from unlatch.spi.item import Category
from unlatch.spi.operation import Kind
from unlatch.worklog.json_text.three_way import ABSENT, Clash, Place, Rule, Side, ThreeWay, Versions
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from unlatch.increments.files.reading import Shapes
    from unlatch.spi.operation import Attempt, Operation

Data = dict[str, Any]
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Merged:
    """What two versions came to.

    Args:
        value: the content; where the two clash, that of the side that was to be taken.
        clashes: what both changed, differently.
    """

    value: Data
    clashes: tuple[Clash, ...]


def merge(
    base: Data | None, ours: Data, theirs: Data, *, shapes: Shapes, take: Side = Side.OURS
) -> Merged:
    """Merge two versions of a metadata.json.

    Args:
        base: their common ancestor; None if both were made on their own.
        shapes: how the trackers' links are written.
        take: the side whose value stands where the two clash.

    Raises:
        BadRecord: `pending` or reopenHistory hold something that nobody knows how to unite.
    """
    base, way = base or {}, ThreeWay(take)
    sides = {Side.OURS: ours, Side.THEIRS: theirs}
    winner = _winner(way, base, sides)
    if winner is not None:
        fields = ("status", *_times_of(COMPLETED_KEYS, sides.values()))
        aligned = {side: _aligned(data, sides[winner], fields) for side, data in sides.items()}
    else:
        aligned = sides
    rules = _rules(way, shapes, _times_of(COMPLETED_KEYS, sides.values()))
    merged = way.members(Versions(base, *(aligned[side] for side in Side)), (), rules=rules)
    for side in sides.values():
        _forget_cut_links(merged, base, side, shapes)
    if winner is not None:
        _overtake(merged, base, sides[winner.other], shapes)
    _keep_doubt(merged, sides.values(), shapes)
    mark_format(merged)
    return Merged(merged, tuple(way.clashes))


def _winner(way: ThreeWay, base: Data, sides: Mapping[Side, Data]) -> Side | None:
    """The side whose status stands; None if both say the same."""
    words = {side: _meaning(data) for side, data in sides.items()}
    if words[Side.OURS] == words[Side.THEIRS]:
        return None
    # Completed and reopened in between is a change, too, though the word is the same again.
    moved = {
        side: words[side] != _meaning(base) or bool(_reopened(data) - _reopened(base))
        for side, data in sides.items()
    }
    if all(moved.values()):
        way.clash(Versions(base, *(sides[side] for side in Side)).member("status"), ("status",))
        return way.take
    return Side.OURS if moved[Side.OURS] else Side.THEIRS


def _meaning(data: Data) -> Any:
    raw = data.get("status", ABSENT)
    return (read_status(raw) if isinstance(raw, str) else None) or raw


def _reopened(data: Data) -> set[Any]:
    """The reopens that were not undone."""
    entries = data.get("reopenHistory")
    found = [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    return {str(one.get("id")) for one in found if not one.get("revertedAt")}


def _times_of(keys: Iterable[str], sides: Iterable[Data]) -> tuple[str, ...]:
    # A number or a truth value under such a name is somebody else's field.
    sides = tuple(sides)
    return tuple(key for key in keys if all(isinstance(s.get(key), str | None) for s in sides))


def _aligned(data: Data, winner: Data, fields: Iterable[str]) -> Data:
    """`data` with the winner's values in `fields`."""
    fields = frozenset(fields)
    kept = {key: value for key, value in data.items() if key not in fields or key in winner}
    return kept | {key: winner[key] for key in winner if key in fields}


def _rules(way: ThreeWay, shapes: Shapes, completed: Iterable[str]) -> dict[str, Rule]:
    later = _later(way)
    links = {
        tracker: block_rule(way, shape, {"base": _forgotten})
        for tracker, shape in shapes.links.items()
    }
    return {
        **links,
        **dict.fromkeys((*ACTIVITY_KEYS, *completed), later),
        "status": lambda versions, _place: versions.ours,
        "reopenHistory": _united(way, _entry_key, _entry_rule(way, shapes), "reopenedAt"),
        "amendments": _united(
            way, _entry_key, _record_rule(way, "at", "by", rules=_DOCUMENTS), "at"
        ),
        "pending": _united(way, _operation_key, _operation_rule(way), "at"),
    }


def _operation_rule(way: ThreeWay) -> Rule:
    return _record_rule(way, "parkedAt", "cause", rules={"attempt": _attempt_rule(way)})


def _attempt_rule(way: ThreeWay) -> Rule:
    """The later attempt, with what the earlier one found; open if either may take effect."""

    def rule(versions: Versions, place: Place) -> Any:
        _, ours, theirs = versions
        if not versions.are_objects:
            return way.opposed(versions, place)
        first, last = sorted((ours, theirs), key=lambda one: read_stamp(one.get("at")) or _LONG_AGO)
        merged = {**first, **last}
        if any("before" in one for one in (ours, theirs)):
            # Clocks differ, so the times do not tell which of them was the first to look.
            found = Versions(*(one.get("before", ABSENT) for one in (first, ours, theirs)))
            merged["before"] = _found(found, place)
        is_ended = "ended" in first and "ended" in last
        return merged if is_ended else {key: merged[key] for key in merged if key != "ended"}

    return rule


def _forgotten(_versions: Versions, _place: Place) -> Any:
    # Nobody can tell which was seen last; without a base the next sync compares anew.
    return ABSENT


def _later(way: ThreeWay) -> Rule:
    def rule(versions: Versions, place: Place) -> Any:
        _, ours, theirs = versions
        if ours is ABSENT or theirs is ABSENT:
            return theirs if ours is ABSENT else ours
        our_time, their_time = read_stamp(ours), read_stamp(theirs)
        if our_time is None or their_time is None:
            return way.opposed(versions, place)
        return max((our_time, ours), (their_time, theirs))[1]

    return rule


def _united(way: ThreeWay, key: Callable[[Data], Any], rule: Rule, time: str) -> Rule:
    """Two lists of records, in the order of their times."""

    def order(record: Data) -> tuple[datetime, str]:
        return read_stamp(record.get(time)) or _LONG_AGO, str(record.get("op", record.get("id")))

    def united(versions: Versions, place: Place) -> Any:
        known = Versions(*(_by(key, side) for side in versions))
        if None in known:
            return way.opposed(versions, place)
        merged = way.records(known, place, rule=rule, order=order)
        return ABSENT if not merged and ABSENT in versions else merged

    return united


def _by(key: Callable[[Data], Any], records: Any) -> dict[Any, Data] | None:
    """Records by what each is known by; None if that fits not all of them."""
    if records is ABSENT:
        return {}
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        return None
    found = {key(one): one for one in records}
    return found if None not in found and len(found) == len(records) else None


def _entry_key(entry: Data) -> Any:
    return entry["id"] if isinstance(entry.get("id"), str) else None


def _operation_key(operation: Data) -> Any:
    parts = tuple(operation.get(name) for name in ("op", "tracker", "item"))
    return parts if all(isinstance(part, str) for part in parts) else None


def _unwritten(versions: Versions, _place: Place) -> Any:
    # Which documents are left to be written: where one side wrote them all, none is.
    _, ours, theirs = versions
    return ABSENT if ABSENT in (ours, theirs) else [name for name in ours if name in theirs]


_DOCUMENTS: Mapping[str, Rule] = {"unwritten": _unwritten}


def _found(versions: Versions, _place: Place) -> Any:
    """What a reopen found: the item that was closed, where only one of two clones saw it so."""
    _, *sides = versions
    found = [one for one in sides if isinstance(one, dict)]
    closed = (one for one in found if one.get("category") in _CLOSED)
    return next(closed, found[0] if found else ABSENT)


def _first(versions: Versions, _place: Place) -> Any:
    _, ours, theirs = versions
    return theirs if ours is ABSENT else ours


def _all_of(versions: Versions, _place: Place) -> Any:
    _, *sides = versions
    listed = (label for side in sides if isinstance(side, list) for label in side)
    return list(dict.fromkeys(listed)) or ABSENT


_CLOSED = frozenset({Category.DONE.value, Category.DROPPED.value})
# Two clones that delivered the same reopen saw the item at different moments.
_REACHED: Mapping[str, Rule] = {
    "before": _found,
    "after": _first,
    "labelsAdded": _all_of,
    "labelsRemoved": _all_of,
}


def _entry_rule(way: ThreeWay, shapes: Shapes) -> Rule:
    blocks = {
        tracker: block_rule(way, shape, whole=_seen_first)
        for tracker, shape in shapes.synced.items()
    }

    def synced(versions: Versions, place: Place) -> Any:
        if not versions.are_objects:
            return way.opposed(versions, place)
        return way.members(versions, place, rules=blocks)

    return _record_rule(way, "revertedAt", "revert", rules={"syncedTo": synced, **_DOCUMENTS})


def _seen_first(versions: Versions, _place: Place) -> Any:
    # Both clones delivered it. The one that read the item before the other wrote knows what the
    # reopen found and, from there, all that it changed.
    return min(versions.ours, versions.theirs, key=_lateness)


def _lateness(reached: Data) -> tuple[bool, bool, int, str]:
    seen = read_seen(reached.get("before"))
    was_open = seen is None or seen.category is None or seen.category.is_open
    changed = [reached.get(key) for key in ("labelsAdded", "labelsRemoved")]
    count = sum(len(labels) for labels in changed if isinstance(labels, list))
    # The last one makes it the same from either side.
    return seen is None, was_open, -count, str(sorted(reached.items()))


def _record_rule(
    way: ThreeWay, time: str, of: str, *, rules: Mapping[str, Rule] | None = None
) -> Rule:
    """Two versions of a record in which the field `of` goes with its time; the later stands."""

    def rule(versions: Versions, place: Place) -> Any:
        base, *sides = versions
        last = max(sides, key=lambda one: read_stamp(one.get(time)) or _LONG_AGO)
        aligned = (_aligned(side, last, (time, of)) for side in sides)
        return way.members(Versions(base, *aligned), place, rules=rules)

    return rule


def _forget_cut_links(merged: Data, base: Data, side: Data, shapes: Shapes) -> None:
    """Who cuts a tie forgets what the item was owed; the other side may owe it more by now."""
    left = read_links(side, shapes.links)
    cut = {
        (link.tracker, link.key)
        for link in read_links(base, shapes.links)
        if not any(same_item(link, other) for other in left)
    }
    if cut and "pending" in merged:
        own = {_key(one) for one in read_pending(side)}
        owed = read_pending(merged)
        kept = (one for one in owed if (one.tracker, one.item) not in cut or _key(one) in own)
        set_pending(merged, tuple(kept))


def _overtake(merged: Data, base: Data, loser: Data, shapes: Shapes) -> None:
    """The status of one side stands, so what the other owed for its own is overtaken by it."""
    stands, lost = read_status(str(merged.get("status"))), read_status(str(loser.get("status")))
    if stands is None or lost is None or stands.is_finished is lost.is_finished:
        return
    owed = {_key(one) for one in read_pending(loser)} - {_key(one) for one in read_pending(base)}
    reopens = read_reopens(merged, shapes.synced)
    left: list[Any] = []
    for one in read_pending(merged):
        if _key(one) not in owed:
            left.append(one)
        elif one.kind is not Kind.UNDO or is_in_doubt(one):  # whose whole point is the state
            left += supersede([one], reopens)
    if left or "pending" in merged:
        set_pending(merged, tuple(left))


def _keep_doubt(merged: Data, sides: Iterable[Data], shapes: Shapes) -> None:
    """An undo takes over the doubt about a reopen that only the other side has sent."""
    undone = {one.id: one.revert for one in read_reopens(merged, shapes.synced) if one.revert}
    doubts = {
        (undone[one.op], one.tracker, one.item): one.attempt
        for side in sides
        for one in read_pending(side)
        if one.op in undone and one.attempt is not None and is_in_doubt(one)
    }
    pending = read_pending(merged)
    if any(one.key in doubts for one in pending):
        left = (_doubtful(one, doubts.get(one.key)) for one in pending)
        set_pending(merged, tuple(left))


def _doubtful(undo: Operation, doubt: Attempt | None) -> Operation:
    if doubt is None or is_in_doubt(undo):
        return undo
    number = undo.attempt.number if undo.attempt else 0
    before = (undo.attempt.before if undo.attempt else None) or doubt.before
    return replace(undo, attempt=replace(doubt, number=number, before=before, retry_at=None))


def _key(operation: Any) -> tuple[str, str, str]:
    return operation.op, operation.tracker, operation.item
