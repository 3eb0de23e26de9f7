"""Checks of spec.md, tasks.md and events.jsonl."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch.increments.documents.spec_and_tasks import Criterion, Task
from unlatch.increments.files.metadata_file import conflict_in
from unlatch.increments.files.paths import BRIEFING, EVENTS, SPEC
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.events import lost_events
from unlatch.increments.records.status_events import LOG
from unlatch.worklog.disk.safe_open import exists, read_file
from unlatch.worklog.event_log import LONGEST_LINE, Event
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.name_matching import first_of
from unlatch.worklog.text.markdown_lines import scan_work
from unlatch_doctor.finding import FIX, FileChange, Found, Hits, several
from unlatch_doctor.metadata import content_of
from unlatch_doctor.shape import explain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch_doctor.snapshot import IncrementFiles, ReadableIncrement


def refused_documents(readable: ReadableIncrement) -> Hits:
    documents = (readable.files.documents[name] for name in readable.files.work.names)
    yield from (error for error in documents if isinstance(error, StoreError))


def unreadable_documents(readable: ReadableIncrement) -> Hits:
    yield from (
        Found("is not UTF-8 text", path) for path in _without_text(readable) if exists(path)
    )


def missing_documents(readable: ReadableIncrement) -> Hits:
    missing = (
        () if readable.increment.unit else _without_text(readable)
    )  # tools write theirs one by one
    yield from (Found("does not exist", path) for path in missing if not exists(path))


def _without_text(readable: ReadableIncrement) -> Iterator[Path]:
    documents = readable.files.documents
    return (
        readable.files.paths[name] for name in readable.files.work.names if documents[name] is None
    )


def documents_in_conflict(readable: ReadableIncrement) -> Hits:
    for name in readable.files.documents:
        if line := conflict_in(readable.files.text_of(name)):
            path = f"{readable.files.paths[name]}:{line}"
            yield Found("has git conflict markers", path, "resolve it by hand, then git add it")
    place = readable.increment.folder / BRIEFING
    if line := conflict_in(_text_at(place)):
        name = quote(readable.increment.id)
        hint = f"unlatch merge --resolve {name}; if they were committed, remove them"
        yield Found("has git conflict markers", f"{place}:{line}", hint)


def _text_at(path: Path) -> str:
    """The text of a file; empty if it cannot be read, which is reported by its own check."""
    with suppress(OSError, StoreError):
        return read_file(path).decode(errors="replace")
    return ""


def repeated_tasks(readable: ReadableIncrement) -> Hits:
    return _repeated(readable.files.read_work.tasks, readable)


def repeated_criteria(readable: ReadableIncrement) -> Hits:
    return _repeated(readable.files.read_work.spec.criteria, readable)


def _repeated(parts_read: Iterable[Task | Criterion], readable: ReadableIncrement) -> Hits:
    parts: dict[str, list[Task | Criterion]] = {}
    for part in parts_read:
        parts.setdefault(part.id.casefold(), []).append(part)
    for same in parts.values():
        if len(same) > 1:
            where = ", ".join(str(part.line) for part in same)
            message = f"the id {same[-1].id} is on lines {where}; commands cannot use it"
            yield Found(message, readable.files.place_of(same[0]))


def unknown_marks(readable: ReadableIncrement) -> Hits:
    work = readable.files.read_work
    parts: tuple[Criterion | Task, ...] = (*work.spec.criteria, *work.tasks)
    for part in parts:
        if not part.is_mark_known:
            message = f"{part.id} counts as open: nothing is known of the mark in its check box"
            place = f"{readable.files.place_of(part)}:{part.line}"
            yield Found(message, place, "write x when it is done, and a space until then")


def unclosed_blocks(readable: ReadableIncrement) -> Hits:
    for name in readable.files.work.names:
        if line := scan_work(readable.files.text_of(name)).open_at:
            message = "a block of code or a comment begins here and never ends; all below it counts"
            yield Found(message, f"{readable.files.paths[name]}:{line}", "close it")


def open_work_left(readable: ReadableIncrement) -> Hits:
    left = readable.files.read_work.open
    if left and readable.increment.status is Status.COMPLETED:
        hint = f"tick what is done, or unlatch resume {quote(readable.name)}"
        for kind in (Criterion, Task):
            if parts := [part for part in left if isinstance(part, kind)]:
                message = f"completed, but not ticked: {first_of([part.id for part in parts])}"
                yield Found(message, readable.files.place_of(parts[0]), hint)


def unfinished_in_archive(readable: ReadableIncrement) -> Hits:
    """SpecWeave archives work of any status but active and paused, and lists none of it.

    See findings/specweave-archive-unfinished.sh.
    """
    increment = readable.increment
    # What a unit's archive means is evidence of its layout.
    if increment.archived and increment.unit is None and not increment.status.is_finished:
        name = quote(readable.name)
        hint = f"unlatch resume {name}, or unlatch abandon {name}"
        message = f"in the archive, but {increment.status}: no list shows it"
        yield Found(message, readable.files.metadata, hint)


def other_status(readable: ReadableIncrement) -> Hits:
    if (said := _other_status(readable)) is not None:
        status = readable.increment.status
        message = f"status {said} differs from {status} in metadata.json, which applies"
        hint = f"write status: {status} there; the next change of status does so, too"
        yield Found(message, readable.files.folder.path / SPEC, hint)


def _other_status(readable: ReadableIncrement) -> str | None:
    if readable.increment.unit:
        return None  # the tool's own
    said = front_matter.status(readable.files.text_of(SPEC))
    same = said is None or read_status(said) is readable.increment.status
    return None if same else said


def missing_events(readable: ReadableIncrement) -> Hits:
    for event in _lost_events(readable):
        message = f"no line for what metadata.json has as {LOG.word(event)} ({event.id})"
        yield Found(message, readable.files.folder.path / EVENTS, FIX)


def fix_events(readable: ReadableIncrement) -> Iterator[FileChange]:
    if missing := _lost_events(readable):
        path = readable.files.folder.path / EVENTS
        before = content_of(path)
        lines = "".join(f"{LOG.line(event)}\n" for event in missing)
        joint = b"\n" if before and not before.endswith(b"\n") else b""
        after = (before or b"") + joint + lines.encode(errors="backslashreplace")
        yield path, before, after


def _lost_events(readable: ReadableIncrement) -> list[Event]:
    if not isinstance(readable.files.events, list):
        return []  # another check reports it
    return lost_events(readable.increment, [*filter(None, map(LOG.parse, readable.files.lines))])


def refused_events(files: IncrementFiles) -> Hits:
    if isinstance(files.events, StoreError):
        yield files.events


def unreadable_events(files: IncrementFiles) -> Hits:
    if isinstance(files.events, OSError):
        yield Found(f"cannot be read: {files.events.strerror}", files.folder.path / EVENTS)


@several
def odd_events(files: IncrementFiles) -> Iterator[tuple[str, Found]]:
    """Lines that are ignored or differ from their schema; none of them is an error."""
    for number, line in enumerate(files.lines, start=1):
        for name, message in _odd_line(files, line) if line else ():
            yield name, Found(message, f"{files.folder.path / EVENTS}:{number}")


def _odd_line(files: IncrementFiles, line: str) -> Iterator[tuple[str, str]]:
    event: Any = json_or_none(line) if len(line) <= LONGEST_LINE else None
    if event is None:
        why = "invalid JSON (perhaps cut short by a crash), or too large"
        yield "event-unreadable", f"ignored: {why}"
    elif not isinstance(event, dict):
        yield "event-unreadable", "ignored: not a JSON object"
    else:
        word = event.get("event")
        schema = files.project.event_schemas.get(word) if isinstance(word, str) else None
        if schema is None:
            yield "event-unknown", f"unknown event type {word!r}"
        for error in schema.iter_errors(event) if schema else ():
            _, message, place = explain(error, event)
            yield "event-invalid", f"{place.lstrip('/')} {message}".strip()
