"""Merge two versions of a metadata.json with a common ancestor, by the meaning of their fields.

Entries of reopenHistory, pending operations, unwritten events, links and reached items are matched
by their ids. Records that either side removed stay removed: an operation that one clone delivered
is not pending any more, unless the other side sent it, too, and does not know the outcome. The
later of two times counts, of creation the earlier. The base of a link is dropped if both sides
changed it. A status that both sides changed clashes.
"""

from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from unlatch.increments.files.metadata_file import COMPLETED_KEYS, newer_version
from unlatch.increments.model.reopens import ReopenEntry
from unlatch.increments.model.status import read_status
from unlatch.increments.records.links import read_links, same_item
from unlatch.increments.records.pending import (
    is_in_doubt,
    mark_format,
    read_pending,
    set_pending,
    supersede,
)
from unlatch.increments.records.reopens import read_reopens
from unlatch.increments.records.shapes import Shapes
from unlatch.spi.operation import Attempt, Kind, Operation
from unlatch.values import dataclass
from unlatch.worklog.json_text.document import JsonText, JsonTextError
from unlatch.worklog.record import BadRecord
from unlatch_merge.field_rules import field_rules, with_fields_of
from unlatch_merge.outcome import ABSENT, Clash, MergedText, Side, UnmergeableError
from unlatch_merge.three_way import ThreeWay, Versions

Data = dict[str, Any]
_Pending = tuple["Operation", ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge; `clashes` are the fields that both sides changed, differently."""

    value: Data
    clashes: tuple[Clash, ...]


def merge(
    base: Data | None, ours: Data, theirs: Data, *, shapes: Shapes, take: Side = Side.OURS
) -> Merged:
    """Merge two versions; `take` is the side whose value counts in a clash."""
    base, way = base or {}, ThreeWay(take)
    sides = {Side.OURS: ours, Side.THEIRS: theirs}
    winner = _winner(way, base, sides)
    # A number or a truth value under such a name is another program's field.
    completed = [
        key
        for key in COMPLETED_KEYS
        if all(isinstance(side.get(key), str | None) for side in sides.values())
    ]
    aligned = [
        side if winner is None else with_fields_of(side, sides[winner], ("status", *completed))
        for side in sides.values()
    ]
    rules = field_rules(way, shapes, completed)
    merged = way.members(Versions(base, *aligned), (), rules=rules)
    before = read_pending(merged)
    reopens = read_reopens(merged, shapes.synced)
    pending = _with_unknown(before, [read_pending(side) for side in sides.values()], reopens)
    for side in sides.values():
        pending = _without_unlinked(pending, base, side, shapes)
    if winner is not None:
        pending = _without_lost(pending, merged, base, sides[winner.other], reopens)
    pending = _with_doubts(pending, [read_pending(side) for side in sides.values()], reopens)
    if pending != before:
        set_pending(merged, pending)
    mark_format(merged)
    return Merged(merged, tuple(way.clashes))


def _winner(way: ThreeWay, base: Data, sides: Mapping[Side, Data]) -> Side | None:
    """The side whose status counts; None if both have the same."""
    statuses = {side: _status(data) for side, data in sides.items()}
    if statuses[Side.OURS] == statuses[Side.THEIRS]:
        return None
    # Completed and reopened meanwhile is also a change, although the status is the same again.
    moved = {
        side: statuses[side] != _status(base) or bool(_reopens(data) - _reopens(base))
        for side, data in sides.items()
    }
    if all(moved.values()):
        way.clash(Versions(base, *sides.values()).member("status"), ("status",))
        return way.take
    return Side.OURS if moved[Side.OURS] else Side.THEIRS


def _status(data: Data) -> Any:
    raw = data.get("status", ABSENT)
    return (read_status(raw) if isinstance(raw, str) else None) or raw


def _reopens(data: Data) -> set[str]:
    """The ids of the reopens that were not undone."""
    entries = data.get("reopenHistory")
    listed = (
        [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )
    return {str(entry.get("id")) for entry in listed if not entry.get("revertedAt")}


def _with_unknown(
    pending: _Pending, sides: list[_Pending], reopens: tuple[ReopenEntry, ...]
) -> _Pending:
    """Keep what one side sent with an unknown outcome, although the other side delivered it.

    Both may have posted its comment; the next delivery looks. An undo has taken its doubt over.
    """
    keys = {operation.key for operation in pending}
    undone = {entry.id for entry in reopens if entry.revert}
    unknown = {
        operation.key: operation
        for side in sides
        for operation in side
        if is_in_doubt(operation) and operation.key not in keys and operation.op not in undone
    }
    return (*unknown.values(), *pending)


def _without_unlinked(pending: _Pending, base: Data, side: Data, shapes: Shapes) -> _Pending:
    """Drop the operations of unlinked items, also those that the other side added."""
    left = read_links(side, shapes.links)
    unlinked = {
        (link.tracker, link.key)
        for link in read_links(base, shapes.links)
        if not any(same_item(link, other) for other in left)
    }
    own = {operation.key for operation in read_pending(side)}
    return tuple(
        operation
        for operation in pending
        if (operation.tracker, operation.item) not in unlinked or operation.key in own
    )


def _without_lost(
    pending: _Pending, merged: Data, base: Data, loser: Data, reopens: tuple[ReopenEntry, ...]
) -> _Pending:
    """Drop the operations of the side whose status is superseded."""
    stands, lost = read_status(str(merged.get("status"))), read_status(str(loser.get("status")))
    if stands is None or lost is None or stands.is_finished is lost.is_finished:
        return pending
    own = {operation.key for operation in read_pending(loser)} - {
        operation.key for operation in read_pending(base)
    }
    left: list[Operation] = []
    for operation in pending:
        if operation.key not in own:
            left.append(operation)
        elif operation.kind is not Kind.UNDO or is_in_doubt(
            operation
        ):  # an undo concerns the state alone
            left += supersede([operation], reopens)
    return tuple(left)


def _with_doubts(
    pending: _Pending, sides: list[_Pending], reopens: tuple[ReopenEntry, ...]
) -> _Pending:
    """Let an undo take over the doubt about a reopen that only the other side sent."""
    undone = {entry.id: entry.revert for entry in reopens if entry.revert}
    doubts = {
        (undone[operation.op], operation.tracker, operation.item): operation.attempt
        for side in sides
        for operation in side
        if operation.op in undone and operation.attempt is not None and is_in_doubt(operation)
    }
    return tuple(_doubtful(operation, doubts.get(operation.key)) for operation in pending)


def _doubtful(undo: Operation, doubt: Attempt | None) -> Operation:
    if doubt is None or is_in_doubt(undo):
        return undo
    own = undo.attempt or Attempt(0, doubt.at)
    taken = replace(doubt, number=own.number, before=own.before or doubt.before, since=own.since)
    return replace(undo, attempt=replace(taken, retry_at=None))


def merge_metadata(
    base: bytes | None, ours: bytes, theirs: bytes, *, shapes: Shapes, take: Side | None = None
) -> MergedText:
    """Merge two versions of a metadata.json; unchanged parts keep the text of our side.

    Values count, not their layout: other programs write the file anew even where they only show it
    (findings/specweave-status-writes.sh).

    Args:
        take: the side to take where the two clash; None to write conflict markers.

    Raises:
        UnmergeableError: a version is not a JSON object, or would lose something.
    """
    ancestor = _read(base, "the common ancestor").value if base else None
    source, other = _read(ours, "our side"), _read(theirs, "their side")

    def taking(side: Side) -> Merged:
        return merge(ancestor, source.value, other.value, shapes=shapes, take=side)

    try:
        merged = taking(take or Side.OURS)
        content = source.with_value(merged.value)
        if merged.clashes and take is None:
            content = _marked(content, source.with_value(taking(Side.THEIRS).value))
    except BadRecord as error:
        raise UnmergeableError(str(error)) from error
    except ValueError as error:  # the merged value is nested too deep
        raise UnmergeableError(f"the merged file could not be written: {error}") from error
    return MergedText(content, merged.clashes)


def merge_events(ours: bytes, theirs: bytes) -> bytes:
    """Merge two versions of an events.jsonl: all lines of both, each once."""
    lines = ours.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    present = {line.strip() for line in lines}
    return b"".join([*lines, *(n for n in theirs.splitlines(True) if n.strip() not in present)])


def _read(raw: bytes, whose: str) -> JsonText:
    try:
        text = JsonText.parse(raw)
    except JsonTextError as error:
        raise UnmergeableError(f"{whose} is not valid JSON: {error}") from error
    if not isinstance(text.value, dict):
        raise UnmergeableError(f"{whose} holds no JSON object")
    if text.duplicates:
        raise UnmergeableError(f"{whose} has {', '.join(text.duplicates)} twice")
    if newer := newer_version(text.value):
        raise UnmergeableError(f"{whose} has {newer}")
    return text


def _marked(ours: bytes, theirs: bytes) -> bytes:
    """Our text with git's conflict markers where theirs differs."""
    # Not splitlines: JSON may contain other characters that Python counts as line ends.
    our_lines, their_lines = (side.decode().split("\n") for side in (ours, theirs))
    end = "\r" if our_lines[0].endswith("\r") else ""
    marked: list[str] = []
    matcher = SequenceMatcher(None, our_lines, their_lines, autojunk=False)
    for tag, our_from, our_to, their_from, their_to in matcher.get_opcodes():
        if tag == "equal":
            marked += our_lines[our_from:our_to]
            continue
        marked += [f"<<<<<<< ours{end}", *our_lines[our_from:our_to]]
        marked += [f"======={end}", *their_lines[their_from:their_to], f">>>>>>> theirs{end}"]
    return "\n".join(marked).encode()
