"""metadata.json, two versions of it to merge, and events.jsonl."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.fuzz.target import SEPARATOR, Target, parts_of
from tests.increments.files.making import GITHUB, SHAPES, STAMP, metadata, ulid

from unlatch.errors import StoreError
from unlatch.increments.files.snapshots import read_increment
from unlatch.increments.model.increment import Increment
from unlatch.increments.records.events import Delivered, Linked, Reopened, read_events
from unlatch.increments.records.status_events import LOG
from unlatch.worklog.collection import Folder
from unlatch.worklog.disk.safe_open import add_root
from unlatch.worklog.event_log import Event, OtherEvent
from unlatch.worklog.json_text.document import JsonText
from unlatch_merge.metadata import merge_metadata
from unlatch_merge.outcome import MergedText, UnmergeableError

_BASE = {"title": "Search", "state": "closed", "labels": ["completed"], "at": STAMP}
_OPERATION = {"op": ulid(1), "kind": "reopen", "tracker": "github", "item": "5", "at": STAMP}
_RECORDS: tuple[dict[str, Any], ...] = (
    metadata(),
    metadata(github={"issue": 5, "url": GITHUB.format(5)}, jira={"issueKey": "A-1"}),
    metadata(
        status="active",
        formatVersion=2,
        reopenHistory=[
            {"id": ulid(1), "reopenedAt": STAMP, "reopenedBy": "Dana", "reason": "More to do"}
        ],
        pending=[{**_OPERATION, "reason": "More to do", "attempt": {"n": 1, "at": STAMP}}],
        syncedTo={"github": {"items": [{"issueNumber": 5, "base": _BASE}]}},
    ),
    metadata(amendments=[{"id": ulid(2), "at": STAMP, "by": "Dana", "change": "More"}]),
)
_EVENTS = (
    {"id": ulid(1), "event": "reopened", "at": STAMP, "by": "Dana", "from": "completed"},
    {"id": ulid(2), "event": "delivered", "at": STAMP, "by": "Dana", "tracker": "github"},
    {"id": ulid(3), "event": "linked", "at": STAMP, "by": "", "tracker": "jira", "item": "A-1"},
    {"id": "no ULID", "event": "other", "at": STAMP},
)

# Those of the seeds.
_TYPES = (Reopened, Delivered, Linked, OtherEvent)


@cache
def _folder() -> Folder:
    path = Path(mkdtemp(prefix="unlatch-fuzz-")) / "0007-search"
    path.mkdir()
    add_root(path.parent)
    return Folder(path.name, path, archived=False)


def _read_metadata(data: bytes) -> Increment | None:
    (_folder().path / "metadata.json").write_bytes(data)
    try:
        increment = read_increment(_folder(), SHAPES)
        text = JsonText.parse(data)
    except StoreError:
        return None
    _check_edits(text, {**text.value, "status": "paused", "pending": []})
    _check_edits(text, {key: text.value[key] for key in [*text.value][1:]})
    return increment


def _check_edits(text: JsonText, value: dict[str, Any]) -> None:
    if not text.duplicates:
        assert value == JsonText.parse(text.with_value(value)).value


def _metadata_seeds() -> Iterator[bytes]:
    for record in _RECORDS:
        yield json.dumps(record, indent=2).encode()
        yield b"\xef\xbb\xbf" + json.dumps(record).encode() + b"\r\n"


def _merge(data: bytes) -> MergedText | None:
    base, ours, theirs = parts_of(data, 3)
    try:
        merged = merge_metadata(base, ours, theirs, shapes=SHAPES)
    except UnmergeableError:
        return None
    if not merged.clashes:
        JsonText.parse(merged.content)
    return merged


def _merge_seeds() -> Iterator[bytes]:
    for base in _RECORDS:
        for side in _RECORDS:
            yield SEPARATOR.join(json.dumps(one).encode() for one in (base, side, _RECORDS[2]))


def _read_events(data: bytes) -> list[Event] | None:
    (_folder().path / "events.jsonl").write_bytes(data)
    try:
        events = read_events(_folder().path)
        LOG.contradictions(_folder().path)
    except StoreError:
        return None
    for event in events:
        again = LOG.parse(LOG.line(event))
        assert again is None or LOG.entry(again) == LOG.entry(event)
    return events


TARGETS = {
    "metadata": Target(
        _read_metadata,
        _metadata_seeds,
        lambda increment: increment is not None and len(increment.links) == 1,
    ),
    "merge": Target(
        _merge,
        _merge_seeds,
        lambda merged: merged is not None and len(merged.clashes) > 2,
    ),
    "events": Target(
        _read_events,
        lambda: ["\n".join(map(json.dumps, _EVENTS)).encode()],
        lambda events: any(type(event) not in _TYPES for event in events or ()),
    ),
}
