"""reopenHistory and amendments as metadata.json has them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from shlex import quote, split
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.reopens import (
    AlsoBy,
    Amendment,
    AppliedAmendment,
    NewTask,
    ReopenCause,
    ReopenEntry,
    SyncedItem,
)
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.link_edits import entry_for
from unlatch.increments.records.pending import CAUSE, SEEN_ITEM, read_seen
from unlatch.worklog.ids import derived_ulid
from unlatch.worklog.record import (
    NUMBER,
    TEXT,
    TEXTS,
    TIME,
    ULID,
    WORD,
    WORDS,
    BadRecord,
    Field,
    OneLine,
    Record,
    Type,
    list_in,
    object_in,
)
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.increments.model.link import Link
    from unlatch.increments.records.events import Delivered
    from unlatch.spi.manifest import LinkShape
    from unlatch.spi.operation import SeenItem

AMENDMENTS, EFFECT = "amendments", "effect"
_SPECWEAVE = {"date": "reopenedAt", "by": "reopenedBy"}
# Who reopened work, where no tool wrote it down.
UNKNOWN = "unknown"


_PREVIOUS = Type("Status", lambda raw: read_status(str(raw)) or Status.COMPLETED)
TASK = Record(
    "TaskRecord",
    "A task that was added to the work.",
    NewTask,
    Field("id", WORD, "id", required=True),
    Field("title", WORD, "title", required=True),
    Field("story", WORD, "story"),
    Field("criteria", WORDS, "criteria"),
    Field("description", TEXT, "description"),
)
_AMENDMENT = Record(
    "Amendment",
    "A change of the work.",
    Amendment,
    Field("scopeChange", WORD, "change"),
    Field("newTasks", Type("Tasks", TASK.read_all, TASK.write_all), "tasks"),
    Field("parts", WORDS, "parts"),
    Field("about", WORDS, "about"),
    Field("unwritten", WORDS, "unwritten"),
)
AMENDED = Record(
    "AmendmentRecord",
    "A change of the work without a reopen.",
    AppliedAmendment,
    Field("id", ULID, "id", required=True),
    Field("at", TIME, "at", required=True),
    Field("by", WORD, "by", required=True),
    Field("reason", WORD, "reason"),
    ("amendment", _AMENDMENT),
)
ALSO_BY = Record(
    "AlsoByRecord",
    "Who made the same reopen in another checkout, and when.",
    AlsoBy,
    Field("by", WORD, "by", required=True),
    Field("at", TIME, "at", required=True),
)


def _cause_or_none(raw: Any) -> ReopenCause | None:
    # Another tool may have a key of this name.
    with suppress(BadRecord):
        cause: ReopenCause = CAUSE.read(raw)
        return cause
    return None


# It also has `syncedTo`, whose keys depend on the trackers.
REOPEN = Record(
    "ReopenRecord",
    "One reopen: when, why, by whom, and which items it reached.",
    ReopenEntry,
    Field("id", ULID, "id", required=True),
    Field("reopenedAt", TIME, "reopened_at", required=True),
    Field("reason", WORD, "reason", required=True),
    Field("previousStatus", _PREVIOUS, "previous_status", required=True),
    # Copied from the file unchanged: it need not be a time.
    Field("previousCompletedAt", TEXT, "previous_completed_at"),
    Field("previousCompletedIn", WORD, "previous_completed_in"),
    Field("previousSpecStatus", WORD, "previous_spec_status"),
    Field("reopenedBy", WORD, "reopened_by", required=True),
    ("amendment", _AMENDMENT),
    Field("category", WORD, "category"),
    Field("source", TEXT, "source"),
    Field("forced", WORDS, "forced"),
    Field("struck", WORDS, "struck"),
    Field("cause", Type("Cause", CAUSE.read, CAUSE.write, _cause_or_none), "cause"),
    Field("doneWork", NUMBER, "done_work"),
    Field("revertedAt", TIME, "reverted_at"),
    # The ULID of the operation that undid it.
    Field("revert", ULID, "revert"),
    Field("alsoBy", Type("AlsoBy", ALSO_BY.read_all, ALSO_BY.write_all), "also_by"),
)
SYNCED = Record(
    "SyncedDetails",
    "The effect of a reopen on an item, beside the item's id and address.",
    SyncedItem,
    Field("before", SEEN_ITEM, "before"),
    Field("after", SEEN_ITEM, "after"),
    Field("labelsAdded", TEXTS, "labels_added"),
    Field("labelsRemoved", TEXTS, "labels_removed"),
)


def read_reopens(
    data: Mapping[str, Any], shapes: Mapping[str, LinkShape]
) -> tuple[ReopenEntry, ...]:
    """The entries of reopenHistory, and those of SpecWeave's `reopened`, by time.

    Raises:
        BadRecord: an entry lacks its time or its reason.
    """
    own = [
        _entry(raw, number, shapes)
        for number, raw in enumerate(list_in(data.get("reopenHistory", []), "/reopenHistory"))
    ]
    theirs = list(_of_specweave(data.get("reopened")))
    return tuple(sorted([*theirs, *own], key=lambda entry: entry.reopened_at) if theirs else own)


def _entry(raw: Any, number: int, shapes: Mapping[str, LinkShape]) -> ReopenEntry:
    place = f"/reopenHistory/{number}"
    if not isinstance(raw, dict) or "id" in raw:
        entry: ReopenEntry = REOPEN.read(_with_author(raw), place)
    else:
        entry = _foreign(raw, number, place)
    synced = _synced(raw.get("syncedTo", {}), f"{place}/syncedTo", shapes)
    return replace(entry, synced_to=tuple(synced))


def _with_author(raw: Any) -> Any:
    return {"reopenedBy": UNKNOWN, **raw} if isinstance(raw, dict) else raw


def _foreign(raw: Mapping[str, Any], number: int, place: str) -> ReopenEntry:
    """An entry that another tool wrote. Its id follows from its content and place; it is not kept.

    In SpecWeave's own format, `id` does not exist and `reopenedBy` is optional.
    """
    at = read_stamp(raw.get("reopenedAt"))
    derived = derived_ulid(at, ["reopen", number, raw]) if at else None
    entry: ReopenEntry = REOPEN.read(_with_author(raw) | {"id": derived}, place)
    return replace(entry, is_foreign=True)


def _of_specweave(raw: Any) -> Iterator[ReopenEntry]:
    """The entries of `reopened: {count, history: [{date, reason, previousStatus, by}]}`.

    The block is that tool's own: what cannot be read in it is left out.
    """
    history = raw.get("history") if isinstance(raw, dict) else None
    for number, record in enumerate(history if isinstance(history, list) else ()):
        with suppress(BadRecord):
            renamed = {
                _SPECWEAVE.get(key, key): value for key, value in object_in(record, "").items()
            }
            entry = {key: value for key, value in renamed.items() if value is not None}
            yield _foreign(entry, number, "/reopened/history")


def reopen_entries(data: Mapping[str, Any], reopens: Iterable[ReopenEntry]) -> list[dict[str, Any]]:
    """The reopens of an increment for `--json`: as metadata.json has them, in our own form."""
    own = {raw["id"]: spelled_out(raw) for raw in data.get("reopenHistory", []) if "id" in raw}
    return [
        _with_author(own[reopen.id]) if reopen.id in own else write_reopen(reopen)
        for reopen in reopens
    ]


def spelled_out(value: Any) -> Any:
    """An entry with the single parts of each effect that it has in one line."""
    if isinstance(value, list):
        return [spelled_out(member) for member in value]
    if not isinstance(value, dict):
        return value
    parts = read_effect(value.get(EFFECT))
    details = SYNCED.write(SyncedItem("", "", "", **parts)) if parts else {}
    left = {key: member for key, member in value.items() if key != EFFECT or not parts}
    return {key: spelled_out(member) for key, member in left.items()} | details


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
                yield SyncedItem(*named, **details_of(item, place))


def details_of(item: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """The attributes of a `SyncedItem` that an item in `syncedTo` has, in either form."""
    return SYNCED.values(item, place) or read_effect(item.get(EFFECT))


def write_reopen(entry: ReopenEntry) -> dict[str, Any]:
    return OneLine(REOPEN.write(entry) | {"syncedTo": {}})


def write_synced(
    entry: dict[str, Any],
    item: SyncedItem,
    shapes: Mapping[str, LinkShape],
    links: Iterable[Link],
    *,
    has_event: bool,
) -> None:
    """Record in an entry of reopenHistory that a reopen reached an item, unless it is recorded.

    The items are written in the order of `links`, all links of the increment.

    Args:
        has_event: whether an event has the same effect. An older version reads that, and not the
            effect in one line.
    """
    details = SYNCED.write(item)
    if details and has_event:
        details = {EFFECT: write_effect(item)}
    shape = shapes[item.tracker]
    synced = entry["syncedTo"] = OneLine(entry.get("syncedTo", {}))
    block = synced.setdefault(item.tracker, {})
    new = entry_for(item.item, item.url, shape)
    if not block.get("items"):
        block.pop("items", None)
    entries = block.get("items") or ([dict(block)] if block else [])
    if any(new.items() <= entry.items() for entry in entries):
        return
    places = {link.item: n for n, link in enumerate(links) if link.tracker == item.tracker}
    items = [*entries, new | details]
    items.sort(key=lambda entry: places.get(str(entry.get(shape.item)), len(places)))
    for key in (shape.item, shape.url):
        if key in items[0]:
            block[key] = items[0][key]
    if "items" in block or items != [block]:
        block["items"] = items


def entries_of(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All entries that may hold an amendment, to be changed in place."""
    yield from data.get("reopenHistory", ())
    yield from data.get(AMENDMENTS, ())


_BEFORE, _AFTER = "=-<", "=+>"
_UNKNOWN, _RESOLVED = "-", "+resolved"


def write_effect(item: SyncedItem | Delivered) -> str:
    """The effect in one line; texts are equal where the effects are."""
    return " ".join(map(quote, (_state(item.before), _state(item.after), *_labels(item))))


def _state(seen: SeenItem | None) -> str:
    if seen is None:
        return _UNKNOWN
    return f"{seen.state}:{seen.category or ''}{_RESOLVED if seen.resolved else ''}"


def _labels(item: SyncedItem | Delivered) -> Iterator[str]:
    before, after = (seen.labels if seen else () for seen in (item.before, item.after))
    for label in dict.fromkeys((*before, *after, *item.labels_removed, *item.labels_added)):
        if label in item.labels_removed or label in item.labels_added:
            sign = "-" if label in item.labels_removed else "+"
        elif label in before:
            sign = "=" if label in after else "<"
        else:
            sign = ">"
        yield f"{sign}{label}"


def read_effect(raw: Any) -> dict[str, Any]:
    """The attributes of a `SyncedItem` that a line has; none if it cannot be read."""
    words = _words(raw) if isinstance(raw, str) else []
    if len(words) < 2:  # noqa: PLR2004  (both states)
        return {}
    states, labels = words[:2], words[2:]

    def with_signs(signs: str) -> tuple[str, ...]:
        return tuple(word[1:] for word in labels if word[:1] in signs)

    return {
        "before": _seen(states[0], with_signs(_BEFORE)),
        "after": _seen(states[1], with_signs(_AFTER)),
        "labels_added": with_signs("+"),
        "labels_removed": with_signs("-"),
    }


def _words(line: str) -> list[str]:
    if "'" not in line:  # most are; shlex takes a hundred times as long
        return line.split()
    try:
        return split(line)
    except ValueError:
        return []


def _seen(word: str, labels: tuple[str, ...]) -> SeenItem | None:
    state, colon, category = word.removesuffix(_RESOLVED).rpartition(":")
    seen = read_seen({"state": state, "category": category, "labels": [*labels]})
    is_resolved = word.endswith(_RESOLVED)
    return replace(seen, resolved=is_resolved) if seen is not None and colon else None
