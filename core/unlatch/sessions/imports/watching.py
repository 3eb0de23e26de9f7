"""Importing the transcripts in a file, once or while an agent writes it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.transcripts import read_transcripts
from unlatch.worklog.search_index import file_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.sessions.imports.importing import Imported, Importer
    from unlatch.transcripts import Listed, Transcript

# An agent that works writes its transcript more often.
_RUNNING = timedelta(minutes=5)


def is_running(listed: Listed, now: datetime) -> bool:
    """Whether the agent wrote the transcript a short time ago."""
    return now - listed.modified < _RUNNING


def take(importer: Importer, listed: Listed, *, is_running: bool) -> list[Imported]:
    """Import a transcript, or all in a file, of which the latest can be running.

    Raises:
        StoreError: as `read_transcripts` and `Importer.take`.
    """
    found = read_transcripts(listed.path, id=listed.id)
    latest = max(found, key=_start, default=None)
    return [
        importer.take(
            one,
            modified=listed.modified,
            name=listed.path.stem,
            is_running=is_running and one is latest,
        )
        for one in found
    ]


def watch(importer: Importer, listed: Listed, ticks: Iterable[object]) -> Iterator[Imported]:
    """Import new events of a transcript at each tick; yields only results with new events.

    Raises:
        StoreError: as `take`; earlier imports stay.
    """
    seen: list[str] = []
    for _ in ticks:
        stamps = [file_stamp(path) for path in _files(listed.path)]
        if stamps != seen:
            seen = stamps
            done = take(importer, listed, is_running=True)
            yield from (one for one in done if one.created or one.events)


def _files(path: Path) -> Iterator[Path]:
    """The files that an agent writes: the transcript, a log of its database, and its subagents."""
    yield path
    yield path.with_name(f"{path.name}-wal")
    yield from sorted(path.with_suffix("").rglob("*.jsonl"))


def _start(one: Transcript) -> float:
    return one.started.timestamp() if one.started else 0
