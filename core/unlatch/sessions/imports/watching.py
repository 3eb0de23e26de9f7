"""Importing the transcripts in a file, once or while an agent writes it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.transcripts import read_transcripts
from unlatch.worklog.search_index import file_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.sessions.imports.importing import Imported, Importer
    from unlatch.transcripts import Listed, Transcript

# An agent that works writes its transcript more often.
_WRITES = timedelta(minutes=5)
# A call can take longer than that, while the agent writes lines that are no events.
_CALLS = timedelta(hours=1)


def running_at(now: datetime, listed: Listed) -> Callable[[Transcript], bool]:
    """Tells whether an agent writes a transcript: its file changed and, if known, an event is new.

    The time of a file alone is not enough: a copy or a checkout of an old transcript is new.
    """
    if now - listed.modified >= _WRITES:
        return lambda _: False

    def is_running(transcript: Transcript) -> bool:
        last = max((it.at for it in transcript.events if it.at), default=now)
        return now - last < _CALLS

    return is_running


def take(
    importer: Importer, listed: Listed, *, is_running: Callable[[Transcript], bool]
) -> list[Imported]:
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
            is_running=one is latest and is_running(one),
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
            done = take(importer, listed, is_running=lambda _: True)
            yield from (one for one in done if one.created or one.events)


def _files(path: Path) -> Iterator[Path]:
    """The files that an agent writes: the transcript, a log of its database, and its subagents."""
    yield path
    yield path.with_name(f"{path.name}-wal")
    yield from sorted(path.with_suffix("").rglob("*.jsonl"))


def _start(one: Transcript) -> float:
    return one.started.timestamp() if one.started else 0
