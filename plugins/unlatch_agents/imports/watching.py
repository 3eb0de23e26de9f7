"""Importing the transcripts in a file, once or while an agent writes it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.search_index import file_stamp
from unlatch_agents.transcripts import Listed, Transcript, read_transcripts
from unlatch_agents.transcripts.files import present
from unlatch_agents.transcripts.forks import origin_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from unlatch_agents.imports.importing import Imported, Importer

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
        last = max((event.at for event in transcript.events if event.at), default=now)
        return now - last < _CALLS

    return is_running


def take(
    importer: Importer, listed: Listed, *, is_running: Callable[[Transcript], bool]
) -> list[Imported]:
    """Import a transcript, or all in a file, of which the latest can be running.

    The origin of a fork that was not imported is imported first, if it is still there: it has what
    both have.

    Raises:
        StoreError: a transcript cannot be read, or a session not written.
    """
    transcripts = read_transcripts(listed.path, id=listed.id)
    latest = max(transcripts, key=_start, default=None)
    by_id = {transcript.id: transcript for transcript in transcripts if transcript.id}
    begun: set[int] = set()
    done: list[Imported] = []

    def add(transcript: Transcript) -> None:
        begun.add(id(transcript))
        if origin := by_id.get(transcript.origin):
            if id(origin) not in begun:
                add(origin)
        elif transcript.origin and not importer.has(transcript.agent, transcript.origin):
            done.extend(_origin(importer, listed, transcript, is_running))
        running = transcript is latest and is_running(transcript)
        path, modified = listed.path, listed.modified
        done.append(
            importer.take(
                transcript, modified=modified, name=path.stem, path=path, is_running=running
            )
        )

    for transcript in transcripts:
        if id(transcript) not in begun:
            add(transcript)
    return done


def _origin(
    importer: Importer, listed: Listed, fork: Transcript, is_running: Callable[[Transcript], bool]
) -> list[Imported]:
    """Import the origin of a fork; nothing if it is gone, or cannot be read."""
    path = origin_path(fork, listed.path)
    with suppress(StoreError):
        if path and (path != listed.path or listed.id):
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            there = Listed(fork.agent, path, modified, fork.origin if listed.id else "")
            return take(importer, there, is_running=is_running)
    return []


def watch(importer: Importer, listed: Listed, ticks: Iterable[object]) -> Iterator[Imported]:
    """Import new events of a transcript at each tick; yields only results with new events.

    Raises:
        StoreError: it cannot be read, or a session not written; earlier imports stay.
    """
    seen: list[str] = []
    for _ in ticks:
        stamps = [file_stamp(path) for path in _files(listed.path)]
        if stamps != seen:
            seen = stamps
            done = take(importer, listed, is_running=lambda _: True)
            yield from (imported for imported in done if imported.created or imported.events)


def _files(path: Path) -> Iterator[Path]:
    """The files that an agent writes: the transcript, a log of its database, and its subagents."""
    yield present(path)
    yield path.with_name(f"{path.name}-wal")
    yield from sorted(path.with_suffix("").rglob("*.jsonl"))


def _start(transcript: Transcript) -> float:
    return transcript.started.timestamp() if transcript.started else 0
