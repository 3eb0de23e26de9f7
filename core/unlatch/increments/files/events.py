"""events.jsonl: who did what, when, with what outcome. Appended to, never rewritten.

The file is merged by union in git, so a line may come twice and in any order; lines are told apart
by their ULID. A line that is no event (cut short by a crash) is passed over.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.layout import EVENTS
from unlatch.increments.records.records import told_of
from unlatch.worklog.atomic import append_line, check_single, writing
from unlatch.worklog.json_text.nodes import is_too_deep
from unlatch.worklog.restore import or_restore
from unlatch.worklog.safe_open import open_folder, read_file
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.increment import ReopenEntry

Event = dict[str, Any]
# In characters. A reason has at most 10,000, and a change of scope some tasks.
LONGEST_LINE = 1 << 20


def event(id: str, kind: str, /, *, at: datetime, by: str, **details: object) -> Event:
    """An event; details that are None are left out."""
    known = {key: value for key, value in details.items() if value is not None}
    return {"id": id, "at": stamp(at), "event": kind, "by": by, **known}


def append_event(folder: Path, *told: Event) -> None:
    """Write events, on disk when this returns.

    Raises:
        StoreError: `not-writable`.
    """
    for entry in told:
        append_line(folder / EVENTS, json.dumps(entry, ensure_ascii=False))


def check_events(folder: Path) -> None:
    """Make sure that events can be written, as far as what is in their file's place tells.

    Raises:
        StoreError: `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    missing = contextlib.suppress(FileNotFoundError)
    with writing(folder / EVENTS), open_folder(folder) as opened, missing:
        check_single(opened.check_file(EVENTS), folder / EVENTS)


def read_events(folder: Path, reopens: Iterable[ReopenEntry] = ()) -> list[Event]:
    """The events of an increment by time, each once; a reopen without a line is derived.

    Raises:
        StoreError: `events-unreadable`.
    """
    events = {entry["id"]: entry for line in _lines(folder) if (entry := _event(line))}
    for reopen in reopens:
        events.setdefault(reopen.id, reopened(reopen))
    return sorted(events.values(), key=lambda entry: (entry["at"], entry["id"]))


def lost_lines(folder: Path) -> int:
    """How many lines cannot be read; a crash may have cut them short.

    Raises:
        StoreError: `events-unreadable`.
    """
    return sum(_event(line) is None for line in _lines(folder))


def _lines(folder: Path) -> list[str]:
    path = folder / EVENTS
    try:
        raw = read_file(path).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(
            "events-unreadable",
            f"{EVENTS} cannot be read: {error.strerror}",
            where=str(path),
            hint=or_restore("check the file's permissions", path),
        ) from error
    return [line for line in raw.split("\n") if line.strip()]


def reopened(entry: ReopenEntry) -> Event:
    """The event of a reopen, as it follows from its entry in reopenHistory."""
    return event(
        entry.id,
        "reopened",
        at=entry.reopened_at,
        by=entry.reopened_by,
        reason=entry.reason,
        category=entry.category,
        forced=list(entry.forced) or None,
        **told_of(entry.amendment),
        **{"from": entry.previous_status.value, "to": "active"},
    )


def parse_line(line: str) -> Any:
    """The JSON value of a line; None where it cannot be read, is too long or nested too deeply."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return None if is_too_deep(value) else value


def _event(line: str) -> Event | None:
    entry = parse_line(line)
    if not isinstance(entry, dict):
        return None
    needed = (entry.get("id"), entry.get("at"), entry.get("event"))
    return entry if all(isinstance(value, str) for value in needed) else None
