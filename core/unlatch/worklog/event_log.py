"""An append-only log of typed events: author, time, action and outcome.

The file has one JSON object a line and is never rewritten. git merges it by union, so a line may
come twice and in any order; the ULID identifies a line. A line that is no event (cut short by a
crash) is skipped, and an event of an unknown type is kept as it is.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import append_in, check_single, writing
from unlatch.worklog.disk.file_check import or_restore
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.safe_open import opened
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.record import TEXT, TIME, ULID, Record, key, record
from unlatch.worklog.times import read_stamp, stamp

# In characters. A reason has at most 10,000, and a change of scope some tasks.
LONGEST_LINE = 1 << 20


@record
class Event:
    """One line of a log; `raw` is the line as it was read, with keys that are not known."""

    id: str = key(ULID)
    at: datetime = key(TIME)
    by: str = key(TEXT)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@record
class OtherEvent(Event):
    """An event of a type that this version does not know."""

    word: str = field()


E = TypeVar("E", bound=Event)


class EventLog:
    """The log of one kind of work, in the file `name` of each folder, and its types of events.

    Args:
        longest: the maximum characters of a line; None for no limit.
        others: a module with further types, which is loaded before lines are read.
    """

    def __init__(
        self, name: str, *, longest: int | None = LONGEST_LINE, others: str | None = None
    ) -> None:
        self.name, self.longest, self._others = name, longest, others
        self._models: dict[str, type[Event]] = {}
        self._records: dict[str, Record] = {}
        self._words: dict[type[Event], str] = {}

    def event(self, word: str) -> Callable[[type[E]], type[E]]:
        """Register a type of events under the word that their lines have in `event`."""

        def register(model: type[E]) -> type[E]:
            self._models[word] = model
            self._words[model] = word
            return model

        return register

    @property
    def types(self) -> dict[str, Record]:
        return {word: self._record(word) for word in self._all_models()}

    def _all_models(self) -> Mapping[str, type[Event]]:
        if self._others:
            import_module(self._others)
        return self._models

    def _record(self, word: str) -> Record:
        """The record of a type, made when the first of its events is read or written."""
        if word not in self._records:
            self._records[word] = Record.of(self._models[word])
        return self._records[word]

    def entry(self, event: Event) -> dict[str, Any]:
        """The JSON object of an event, with the unknown keys of a line that was read."""
        if event.raw:
            return dict(event.raw)
        word = self.word(event)
        entry = {"id": event.id, "at": stamp(event.at), "event": word, "by": event.by}
        return entry if isinstance(event, OtherEvent) else entry | self._record(word).write(event)

    def word(self, event: Event) -> str:
        return event.word if isinstance(event, OtherEvent) else self._words[type(event)]

    def line(self, event: Event) -> str:
        """The line of an event, without its end."""
        return json.dumps(self.entry(event), ensure_ascii=False)

    def append(self, folder: Path | OpenFolder, *events: Event, mode: int = 0o666) -> None:
        """Write events, on disk when this returns; StoreError `not-writable`."""
        if events:
            with writing(self._place(folder)), opened(folder) as there:
                append_in(there, self.name, *map(self.line, events), mode=mode)

    def check(self, folder: Path | OpenFolder) -> None:
        """Raise StoreError if it is known beforehand that events cannot be written."""
        place, missing = self._place(folder), contextlib.suppress(FileNotFoundError)
        with writing(place), opened(folder) as there, missing:
            check_single(there.check_file(self.name), place)

    def read(self, folder: Path | OpenFolder) -> list[Event]:
        """The events by time, each once; StoreError `events-unreadable`.

        Two checkouts may have made one event, each with its author and time; both are events.
        """
        events_by_key: dict[object, Event] = {}
        for line in self._lines(folder):
            if event := self.parse(line):
                # Without a ULID, only the whole line tells events apart.
                events_by_key[(event.id, event.at, event.by) if is_ulid(event.id) else line] = event
        return in_order(events_by_key.values())

    def lost_lines(self, folder: Path) -> int:
        """The number of lines that cannot be read, as after a crash.

        Raises:
            StoreError: `events-unreadable`.
        """
        return sum(self.parse(line) is None for line in self._lines(folder))

    def contradictions(self, folder: Path) -> list[str]:
        """The ids of events with lines that differ; StoreError `events-unreadable`.

        Lines of two authors or times are two events.
        """
        raw_by_key: dict[object, Mapping[str, Any]] = {}
        events = filter(None, map(self.parse, self._lines(folder)))
        differing = (
            event.id
            for event in events
            if raw_by_key.setdefault((event.id, event.at, event.by), event.raw) != event.raw
        )
        return list(dict.fromkeys(differing))

    def parse(self, line: str) -> Event | None:
        """The event of a line; None where the line is not one."""
        raw = json_or_none(line) if self.longest is None or len(line) <= self.longest else None
        if not isinstance(raw, dict):
            return None
        word, at = raw.get("event"), read_stamp(raw.get("at"))
        if not isinstance(raw.get("id"), str) or not isinstance(word, str) or at is None:
            return None
        if word in self._all_models():
            record = self._record(word)
            return record.model(**record.recover(raw), raw=raw)  # type: ignore[no-any-return]  # it is one
        by = raw["by"] if isinstance(raw.get("by"), str) else ""
        return OtherEvent(id=raw["id"], at=at, by=by, word=word, raw=raw)

    def _place(self, folder: Path | OpenFolder) -> str:
        return f"{os.fspath(folder)}{os.sep}{self.name}"

    def _lines(self, folder: Path | OpenFolder) -> list[str]:
        try:
            with opened(folder) as there:
                raw = there.read(self.name).decode("utf-8", errors="replace")
        except FileNotFoundError:
            return []
        except OSError as error:
            where = self._place(folder)
            message = f"{self.name} cannot be read: {error.strerror}"
            hint = or_restore("check the file's permissions", where)
            raise StoreError("events-unreadable", message, where=where, hint=hint) from error
        return [line for line in raw.split("\n") if line.strip()]


def in_order(events: Iterable[E]) -> list[E]:
    """Events by time; those of one second in the order of their lines."""
    return sorted(events, key=lambda event: event.at)
