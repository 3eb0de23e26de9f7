"""Checks of spec.md, tasks.md and events.jsonl."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.doctor.finding import FIX, FileChange, Found, Hits, several
from unlatch.doctor.metadata import content_of
from unlatch.doctor.shape import explain
from unlatch.errors import StoreError
from unlatch.increments.documents.model import Criterion, Task, open_work
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.files import front_matter
from unlatch.increments.files.layout import EVENTS, SPEC, TASKS
from unlatch.increments.model.limits import first_of
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.events import LOG, reopened_event
from unlatch.worklog.disk.safe_open import exists
from unlatch.worklog.event_log import parse_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.doctor.snapshot import IncrementFiles, ReadableIncrement
    from unlatch.increments.model.increment import ReopenEntry

# git writes all three in this order, each at the start of a line.
_MARKS = tuple(re.compile(mark, re.MULTILINE) for mark in (r"^<{7} ", r"^={7}\r?$", r"^>{7} "))


def refused_documents(one: ReadableIncrement) -> Hits:
    found = (one.files.documents[name] for name in (SPEC, TASKS))
    yield from (error for error in found if isinstance(error, StoreError))


def unreadable_documents(one: ReadableIncrement) -> Hits:
    yield from (Found("is not UTF-8 text", path) for path in _without_text(one) if exists(path))


def missing_documents(one: ReadableIncrement) -> Hits:
    yield from (Found("does not exist", path) for path in _without_text(one) if not exists(path))


def _without_text(one: ReadableIncrement) -> Iterator[Path]:
    found = one.files.documents
    return (one.files.folder.path / name for name in (SPEC, TASKS) if found[name] is None)


def documents_in_conflict(one: ReadableIncrement) -> Hits:
    for name in one.files.documents:
        if line := _conflict(one.files.text_of(name)):
            path = f"{one.files.folder.path / name}:{line}"
            yield Found("has git conflict markers", path, "resolve it by hand, then git add it")


def _conflict(text: str) -> int | None:
    """The first line of a conflict left by git."""
    at, places = 0, []
    for mark in _MARKS:
        match = mark.search(text, at)
        if match is None:
            return None
        places.append(match.start())
        at = match.end()
    return text.count("\n", 0, places[0]) + 1


def repeated_tasks(one: ReadableIncrement) -> Hits:
    return _repeated(read_tasks(one.files.text_of(TASKS)).tasks, one, TASKS)


def repeated_criteria(one: ReadableIncrement) -> Hits:
    return _repeated(read_spec(one.files.text_of(SPEC)).criteria, one, SPEC)


def _repeated(found: Iterable[Task | Criterion], one: ReadableIncrement, name: str) -> Hits:
    lines: dict[str, list[int]] = {}
    for part in found:
        lines.setdefault(part.id.casefold(), []).append(part.line)
    spelled = {part.id.casefold(): part.id for part in found}
    for key, places in lines.items():
        if len(places) > 1:
            where = ", ".join(map(str, places))
            message = f"the id {spelled[key]} is on lines {where}; commands cannot use it"
            yield Found(message, one.files.folder.path / name)


def open_work_left(one: ReadableIncrement) -> Hits:
    spec, tasks = read_spec(one.files.text_of(SPEC)), read_tasks(one.files.text_of(TASKS))
    left = open_work(spec, tasks)
    if left and one.increment.status is Status.COMPLETED:
        hint = f"tick what is done, or unlatch resume {one.name}"
        for name, kind in ((SPEC, Criterion), (TASKS, Task)):
            if ids := [part.id for part in left if isinstance(part, kind)]:
                message = f"completed, but not ticked: {first_of(ids)}"
                yield Found(message, one.files.folder.path / name, hint)


def other_status(one: ReadableIncrement) -> Hits:
    if (said := _other_status(one)) is not None:
        status = one.increment.status
        message = f"status {said} differs from {status} in metadata.json, which applies"
        yield Found(message, one.files.folder.path / SPEC, FIX)


def fix_status(one: ReadableIncrement) -> Iterator[FileChange]:
    if _other_status(one) is not None:
        spec = one.files.text_of(SPEC)
        after = front_matter.with_status(spec, one.increment.status.value)
        yield one.files.folder.path / SPEC, spec.encode(), after.encode()


def _other_status(one: ReadableIncrement) -> str | None:
    said = front_matter.status(one.files.text_of(SPEC))
    same = said is None or read_status(said) is one.increment.status
    return None if same else said


def missing_events(one: ReadableIncrement) -> Hits:
    for entry in _without_event(one):
        message = f"no line for the reopen {entry.id} in metadata.json"
        yield Found(message, one.files.folder.path / EVENTS, FIX)


def fix_events(one: ReadableIncrement) -> Iterator[FileChange]:
    missing = [reopened_event(entry) for entry in _without_event(one)]
    if missing:
        path = one.files.folder.path / EVENTS
        before = content_of(path)
        lines = "".join(f"{LOG.line(event)}\n" for event in missing)
        joint = b"\n" if before and not before.endswith(b"\n") else b""
        after = (before or b"") + joint + lines.encode(errors="backslashreplace")
        yield path, before, after


def _without_event(one: ReadableIncrement) -> list[ReopenEntry]:
    if not isinstance(one.files.events, list):
        return []  # another check reports it
    known = {event.id for line in one.files.lines if (event := LOG.parse(line))}
    return [entry for entry in one.increment.reopens if entry.id not in known]


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
    event: Any = parse_line(line)
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
