"""An append-only log, and the chain of events that proves it.

A write is a line in the log first, then an event with the line's hash; each is on disk before the
next. If a process dies in between, the next writer records the lines without an event as
`recovered`. A cut last line is moved to a backup.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.atomic import PRIVATE, append_lines, sweep
from unlatch.worklog.disk.folder_lock import STORE_PATIENCE, folder_lock
from unlatch.worklog.disk.line_file import ending, repair_ending
from unlatch.worklog.disk.own_texts import own_texts
from unlatch.worklog.disk.safe_open import open_folder
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.times import stamp
from unlatch_efforts.events import EVENTS, ChainedEvent, Logged, Reopened, Repaired, line_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.worklog.disk.folder import OpenFolder
    from unlatch.worklog.event_log import Event

# The numbers of lines that an error names.
_SHOWN = 5
SEPARATOR = "--- Effort reopened ---"
E = TypeVar("E", bound=ChainedEvent)


@dataclass(frozen=True, slots=True)
class Author:
    """The author, time and ids of new events."""

    by: str
    clock: Callable[[], datetime]
    new_id: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A log and its events, in one folder.

    Args:
        name: the log's file, as in log.jsonl.
    """

    folder: Path
    name: str
    author: Author

    @contextlib.contextmanager
    def lock(self, *, patience: float = STORE_PATIENCE) -> Iterator[Pen]:
        """Lock the folder and make log and events consistent.

        Args:
            patience: seconds to wait for another process.

        Raises:
            StoreError: `locked`, `not-writable`, `effort-damaged` or `lock-unsupported`.
        """
        with folder_lock(self.folder, patience=patience):
            sweep(self.folder)
            pen = Pen(self)
            pen.recover()
            yield pen

    def append(self, *entries: Mapping[str, Any]) -> None:
        """Add lines to the log durably, with an event.

        Raises:
            StoreError: `locked`, `not-writable`, `effort-damaged`.
        """
        with self.lock() as pen:
            pen.log(*entries)

    def read(self) -> list[dict[str, Any]]:
        """The lines of the log that are JSON objects; StoreError: it cannot be read."""
        return [entry for _, entry in self.numbered() if entry is not None]

    def tail(self, size: int) -> tuple[list[dict[str, Any]], bool]:
        """The lines in the last `size` bytes of the log, and whether they are all lines."""
        lines, start = self._end(size)
        entries = [_entry(line) for line in lines]
        readable = [entry for entry in entries if entry is not None]
        return readable, start == 0 and len(readable) == len(entries)

    def _end(self, size: int) -> tuple[list[bytes], int]:
        """The complete lines in the last `size` bytes, and their offset."""
        with listing(self.folder), open_folder(self.folder) as opened:
            start = max(0, opened.lstat(self.name).st_size - size)
            lines = (_read_from(opened, self.name, start) or b"").split(b"\n")
            return lines[bool(start) : -1], start
        return [], 0

    def having(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids, ULIDs, that lines of the log have."""
        text = b"\n".join(self.lines(self.name))
        return {ulid for ulid in ids if f'"id": "{ulid}"'.encode() in text}

    def events_from(self, place: int) -> list[bytes] | None:
        """The complete lines of the events after `place` bytes; None if there are fewer bytes."""
        with listing(self.folder), open_folder(self.folder) as opened:
            rest = _read_from(opened, EVENTS.name, place)
            return None if rest is None else rest.split(b"\n")[:-1]
        return None

    def numbered(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """The complete lines of the log with their numbers from 1; None for a broken line."""
        for number, line in enumerate(self.lines(self.name), 1):
            yield number, _entry(line)

    def unusable(self) -> Iterator[StoreError]:
        """What stops the next write, or hides events; the lines of the log are not read."""
        lines = self.lines(EVENTS.name)
        events = [EVENTS.parse(line.decode(errors="replace")) for line in lines]
        if bad := [str(number) for number, event in enumerate(events[:-1], 1) if event is None]:
            numbers = f"{', '.join(bad[:_SHOWN])}{', ...' if bad[_SHOWN:] else ''}"
            yield damaged(
                self, f"{EVENTS.name} has lines that cannot be read: {numbers}", state="is damaged"
            )
        with listing(self.folder), open_folder(self.folder) as opened:
            try:
                _, size = _extent(events[-1], self) if events else (0, 0)
                if opened.lstat(self.name).st_size < size:
                    yield self.shorter()
            except StoreError as error:
                yield error

    def shorter(self) -> StoreError:
        return damaged(self, f"{self.name} is shorter than its events say")

    def lines(self, name: str) -> list[bytes]:
        """The complete lines of one of the two files, without their ends."""
        try:
            with open_folder(self.folder) as opened:
                return opened.read(name).split(b"\n")[:-1]
        except FileNotFoundError:
            return []


class Pen:
    """Writes to a transcript whose lock is held."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        with open_folder(transcript.folder) as opened:
            repair_ending(opened, transcript.folder, EVENTS.name, transcript.author.new_id)
            last, _ = ending(opened, EVENTS.name)
        self._prev, self._lines, self._size = line_hash(last) if last else "", 0, 0
        self.last = EVENTS.parse(last.decode(errors="replace")) if last else None
        if last:
            self._lines, self._size = _extent(self.last, transcript)

    def recover(self) -> None:
        """Finish the work of a process that died."""
        transcript = self.transcript
        with open_folder(transcript.folder) as opened:
            new_id = transcript.author.new_id
            backup = repair_ending(opened, transcript.folder, transcript.name, new_id)
            added = _read_from(opened, transcript.name, self._size)
        if added is None:
            raise transcript.shorter()
        if lines := added.split(b"\n")[:-1]:
            self._chain(lines, recovered=True)
        elif isinstance(self.last, Reopened):
            self.log_separator(self.last.reason)  # it died between the event and the line
        if backup:
            self.record(Repaired, backup=backup)

    def log(self, *entries: Mapping[str, Any]) -> None:
        """Add lines to the log; each gets the time as `ts` if it has none."""
        now = stamp(self.transcript.author.clock())
        texts = [json.dumps({"ts": now} | dict(entry), ensure_ascii=False) for entry in entries]
        with own_texts(path := self.transcript.folder / self.transcript.name):
            append_lines(path, *texts, mode=PRIVATE)
        self._chain([text.encode(errors="backslashreplace") for text in texts])

    def end(self) -> int:
        """The size of the events in bytes."""
        with open_folder(self.transcript.folder) as opened:
            return opened.lstat(EVENTS.name).st_size if opened.has(EVENTS.name) else 0

    def log_separator(self, reason: str | None) -> None:
        why = {"reason": reason} if reason else {}
        self.log({"role": "system", "content": SEPARATOR, **why})

    def record(self, kind: type[E], **facts: Any) -> E:
        """Add an event."""
        author = self.transcript.author
        event = kind(
            id=author.new_id(),
            at=author.clock(),
            by=author.by,
            prev=self._prev,
            lines=self._lines,
            size=self._size,
            **facts,
        )
        with own_texts(self.transcript.folder / EVENTS.name):
            EVENTS.append(self.transcript.folder, event, mode=PRIVATE)
        self._prev = line_hash(EVENTS.line(event).encode(errors="backslashreplace"))
        self.last = event
        return event

    def _chain(self, lines: list[bytes], *, recovered: bool = False) -> None:
        self._lines += len(lines)
        self._size += sum(len(line) + 1 for line in lines)
        self.record(Logged, hashes=tuple(map(line_hash, lines)), recovered=recovered)


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line of any length, if it is a JSON object."""
    entry = json_or_none(line.decode(errors="replace"))
    return entry if isinstance(entry, dict) else None


def _read_from(opened: OpenFolder, name: str, size: int) -> bytes | None:
    """The part of a file after its first `size` bytes; None if it has fewer."""
    try:
        with open(name, "rb", opener=opened.file) as file:
            if file.seek(0, os.SEEK_END) < size:
                return None
            file.seek(size)
            return file.read()
    except FileNotFoundError:
        return None if size else b""


def _extent(event: Event | None, transcript: Transcript) -> tuple[int, int]:
    """The lines and bytes of the log at an event, which may be of a later version."""
    fields = event.raw if event else {}
    lines, size = fields.get("lines"), fields.get("size")
    if not isinstance(lines, int) or not isinstance(size, int) or min(lines, size) < 0:
        raise damaged(transcript, f"the last line of {EVENTS.name} cannot be read")
    return lines, size


def damaged(transcript: Transcript, why: str, *, state: str = "cannot be continued") -> StoreError:
    """The error for a log that does not match its events."""
    return StoreError(
        "effort-damaged",
        f"{transcript.folder.name} {state}: {why}",
        where=str(transcript.folder),
        hint="unlatch effort verify",
    )
