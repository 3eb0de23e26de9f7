"""reopenHistory, amendments and pending as they stand in metadata.json."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.amendment import Amended, Amendment, NewTask
from unlatch.increments.model.increment import ReopenEntry, SyncedItem
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.links import entry_for
from unlatch.increments.records.operation import OPERATION, SEEN_ITEM
from unlatch.spi.operation import Kind
from unlatch.worklog.record import (
    TEXT,
    TEXTS,
    TIME,
    ULID,
    WORD,
    WORDS,
    BadRecord,
    Field,
    Record,
    Type,
    list_in,
    object_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.increments.model.increment import Link
    from unlatch.spi.manifest import LinkShape
    from unlatch.spi.operation import Operation

__all__ = [
    "AMENDED",
    "AMENDMENTS",
    "BadRecord",
    "entries_of",
    "is_in_doubt",
    "mark_format",
    "read_pending",
    "read_reopens",
    "set_pending",
    "struck",
    "supersede",
    "write_reopen",
    "write_synced",
]

AMENDMENTS = "amendments"
# The format version of a file with a note about an attempt.
_WITH_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class _Added:
    """A task that was added, with its id."""

    id: str
    title: str
    story: str | None = None
    criteria: tuple[str, ...] = ()
    description: str | None = None


def _read_tasks(raw: Any) -> tuple[_Added, ...]:
    return TASK.read_all(raw)


def _write_tasks(added: Iterable[tuple[str, NewTask]]) -> list[dict[str, Any]]:
    return [
        TASK.write(_Added(task_id, one.title, one.story, one.criteria, one.description))
        for task_id, one in added
    ]


def _amendment(added: tuple[_Added, ...] = (), **values: Any) -> Amendment:
    tasks = (NewTask(one.title, one.story, one.criteria, one.description) for one in added)
    return Amendment(tasks=tuple(tasks), ids=tuple(one.id for one in added), **values)


def _previous(raw: Any) -> Status:
    return read_status(str(raw)) or Status.COMPLETED


TASK = Record(
    "TaskRecord",
    "A task that was added to the work.",
    _Added,
    Field("id", WORD, "id", required=True),
    Field("title", WORD, "title", required=True),
    Field("story", WORD, "story"),
    Field("criteria", WORDS, "criteria"),
    Field("description", TEXT, "description"),
)
_AMENDMENT = Record(
    "Amendment",
    "What is changed about the work.",
    Amendment,
    Field("scopeChange", WORD, "change"),
    Field("newTasks", Type("Tasks", _read_tasks, _write_tasks), "added"),
    # Tasks, user stories and criteria that are to be done again.
    Field("parts", WORDS, "parts"),
    # The documents that have yet to say so; the next command writes them.
    Field("unwritten", WORDS, "unwritten"),
    make=_amendment,
)
AMENDED = Record(
    "AmendmentRecord",
    "A change of the work that no reopen came with.",
    Amended,
    Field("id", ULID, "id", required=True),
    Field("at", TIME, "at", required=True),
    Field("by", WORD, "by", required=True),
    Field("reason", WORD, "reason"),
    ("amendment", _AMENDMENT),
)
# Beside these it has `syncedTo`, whose keys depend on the trackers.
REOPEN = Record(
    "ReopenRecord",
    "One reopen: when, why, by whom, and which items it reached.",
    ReopenEntry,
    Field("id", ULID, "id", required=True),
    Field("reopenedAt", TIME, "reopened_at", required=True),
    Field("reason", WORD, "reason", required=True),
    Field("previousStatus", Type("Status", _previous), "previous_status", required=True),
    # As the file had it, so in whatever spelling that was.
    Field("previousCompletedAt", TEXT, "previous_completed_at"),
    Field("reopenedBy", WORD, "reopened_by", required=True),
    ("amendment", _AMENDMENT),
    # The kind of reason that it was, where one was named.
    Field("category", WORD, "category"),
    Field("source", TEXT, "source"),
    # The refusals that it was made in spite of.
    Field("forced", WORDS, "forced"),
    # Items that were to be closed and were not yet, which this reopen keeps open.
    Field("struck", WORDS, "struck"),
    Field("revertedAt", TIME, "reverted_at"),
    # The ULID of the operation that undid it.
    Field("revert", ULID, "revert"),
)
SYNCED = Record(
    "SyncedDetails",
    "What a reopen did to an item, beside the item's id and address.",
    SyncedItem,
    Field("before", SEEN_ITEM, "before"),
    Field("after", SEEN_ITEM, "after"),
    Field("labelsAdded", TEXTS, "labels_added"),
    Field("labelsRemoved", TEXTS, "labels_removed"),
)


def read_reopens(
    data: Mapping[str, Any], shapes: Mapping[str, LinkShape]
) -> tuple[ReopenEntry, ...]:
    """The entries of reopenHistory.

    Raises:
        BadRecord: an entry lacks something that history cannot do without.
    """
    raw = data.get("reopenHistory", [])
    entries = []
    for number, entry in enumerate(REOPEN.read_all(raw, "/reopenHistory")):
        place = f"/reopenHistory/{number}/syncedTo"
        synced = _synced(raw[number].get("syncedTo", {}), place, shapes)
        entries.append(replace(entry, synced_to=tuple(synced)))
    return tuple(entries)


def _synced(synced: Any, place: str, shapes: Mapping[str, LinkShape]) -> Iterator[SyncedItem]:
    blocks = object_in(synced, place)
    for tracker, shape in shapes.items():
        here = f"{place}/{tracker}"
        block = object_in(blocks.get(tracker, {}), here)
        items = list_in(block.get("items", []), f"{here}/items") or [block]
        for number, entry in enumerate(items):
            item = object_in(entry, f"{here}/items/{number}")
            if shape.item in item:
                named = tracker, str(item[shape.item]), str(item.get(shape.url, ""))
                yield SyncedItem(*named, **SYNCED.values(item, place))


def write_reopen(entry: ReopenEntry) -> dict[str, Any]:
    """A new entry, in the order in which it is read best."""
    return {**REOPEN.write(entry), "syncedTo": {}}


def write_synced(
    entry: dict[str, Any],
    item: SyncedItem,
    shapes: Mapping[str, LinkShape],
    links: Iterable[Link],
) -> None:
    """Note in an entry of reopenHistory that a reopen reached an item; once is enough.

    Args:
        links: all links of the increment; the items are written in their order, whichever of them
            answered first.
    """
    shape = shapes[item.tracker]
    block = entry.setdefault("syncedTo", {}).setdefault(item.tracker, {})
    new = entry_for(item.item, item.url, shape)
    if not block.get("items"):
        block.pop("items", None)
    known = block.get("items") or ([dict(block)] if block else [])
    if any(new.items() <= one.items() for one in known):
        return
    places = {one.item: n for n, one in enumerate(links) if one.tracker == item.tracker}
    items = [*known, new | SYNCED.write(item)]
    items.sort(key=lambda one: places.get(str(one.get(shape.item)), len(places)))
    for key in (shape.item, shape.url):
        if key in items[0]:
            block[key] = items[0][key]
    if "items" in block or items != [block]:
        block["items"] = items


def read_pending(data: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The operations that wait for delivery, oldest first.

    Raises:
        BadRecord: an operation lacks something that it cannot be delivered without.
    """
    return OPERATION.read_all(data.get("pending", []), "/pending")


def entries_of(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All entries that may hold an amendment, to be changed in place."""
    yield from data.get("reopenHistory", ())
    yield from data.get(AMENDMENTS, ())


def supersede(
    pending: Iterable[Operation], reopens: Iterable[ReopenEntry]
) -> tuple[Operation, ...]:
    """What is left of undelivered operations when the increment's status changes again.

    The state part is struck: the newer change has its own. The comment stays due; a close without
    a reason has none. An operation whose last attempt may still take effect stays, so that nothing
    is written to its item before that is known. Creating and updating have no state part.
    """
    with_comment = {entry.id for entry in reopens}
    left = []
    for operation in pending:
        if operation.kind not in _WITH_STATE:
            left.append(operation)
        elif (
            operation.kind is Kind.UNDO
            or operation.reason
            or operation.op in with_comment
            or is_in_doubt(operation)
        ):
            left.append(replace(operation, state=False))
    return tuple(left)


def struck(pending: Iterable[Operation]) -> tuple[str, ...]:
    """The items that a later reopen keeps open, though an earlier change was to close them."""
    closing = (Kind.CLOSE, Kind.UNDO)
    return tuple(dict.fromkeys(one.item for one in pending if one.state and one.kind in closing))


_WITH_STATE = (Kind.REOPEN, Kind.CLOSE, Kind.UNDO)


def is_in_doubt(operation: Operation) -> bool:
    """Whether something that was sent for an operation may still take effect."""
    return operation.attempt is not None and operation.attempt.is_open


def set_pending(data: dict[str, Any], operations: Iterable[Operation]) -> None:
    """Write `pending`; entries that stay the same keep their text, none at all means no key."""
    known = {
        (entry["op"], entry["tracker"], entry["item"]): entry for entry in data.get("pending", [])
    }
    entries = []
    for operation in operations:
        old = known.get(operation.key)
        same = old is not None and OPERATION.read(old) == operation
        entries.append(old if same else OPERATION.write(operation, over=old))
    if entries:
        data["pending"] = entries
    else:
        data.pop("pending", None)
    mark_format(data)


def mark_format(data: dict[str, Any]) -> None:
    """Let versions that know nothing of attempts refuse a file that holds a note about one.

    They would deliver without it, perhaps for a second time.
    """
    pending = data.get("pending")
    entries = pending if isinstance(pending, list) else []
    if any(isinstance(entry, dict) and "attempt" in entry for entry in entries):
        data["formatVersion"] = _WITH_ATTEMPTS
    elif data.get("formatVersion") == _WITH_ATTEMPTS:
        del data["formatVersion"]
