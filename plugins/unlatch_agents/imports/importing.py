"""Import transcripts: each becomes a session, and a later import adds new events."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.config.choices import SubagentMode
from unlatch.transport.trace import Masking
from unlatch.values import dataclass
from unlatch_agents.imports.agents import Subagents, by_id
from unlatch_agents.imports.progress import finished
from unlatch_agents.imports.writing import SUBAGENTS, Writing, source_of
from unlatch_sessions import front_matter
from unlatch_sessions.imported.origin import sources

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from unlatch_agents.transcripts import Transcript
    from unlatch_sessions.store import SessionStore


@dataclass(frozen=True, slots=True)
class Imported:
    """The result for one transcript.

    Args:
        session: the id of its session.
        source: the agent and the transcript's id.
        created: False if the session was there.
        phases: how many were added.
        events: how many were added.
        masked: the places that were masked.
        unknown: the lines and parts of the transcript that were not understood.
        subagents: how many have sessions of their own.
        instead_of: the file that was not written to, because it has git's conflict markers.
    """

    session: str
    source: str
    created: bool
    phases: int
    events: int
    masked: int
    unknown: int
    subagents: int
    instead_of: Path | None = None


@dataclass
class Importer:
    """Imports transcripts into a store.

    Args:
        home: the folder that is masked; by default the user's home.
        mode: the place of subagents' work, for sessions that are new.
        increment_of: finds the increment of a transcript, for sessions that are new.
        is_in_project: whether a file is one of the checkout, and so of anybody.
    """

    store: SessionStore
    home: Path | None = None
    mode: SubagentMode = SubagentMode.LINK
    keep_secrets: bool = False
    increment_of: Callable[[Transcript], str | None] = lambda _: None
    is_in_project: Callable[[Path], bool] = lambda _: False
    _seen: set[str] = field(default_factory=set)
    _ids: dict[str, str] = field(default_factory=dict)
    _known: dict[str, Path] = field(default_factory=dict)
    _in_conflict: dict[str, Path] = field(default_factory=dict)

    def take(
        self,
        transcript: Transcript,
        *,
        modified: datetime,
        name: str,
        path: Path | None = None,
        is_running: bool = False,
    ) -> Imported:
        """Import a transcript with its subagents.

        Args:
            modified: when its file was changed: the time of a transcript without times.
            name: its id if the agent recorded none.
            path: its file.
            is_running: the agent writes it, so calls at its end without a result wait.

        Raises:
            StoreError: `not-writable`, `session-damaged` or `session-unreadable`.
        """
        transcript = replace(transcript, id=transcript.id or name)
        origin = self._origin(transcript)
        if not origin:  # all of it is here alone
            usage = transcript.usage + transcript.copied
            transcript = replace(transcript, copies=frozenset(), usage=usage)
        own: dict[str, Imported] = {}
        mode = self._mode(transcript)
        if mode is not SubagentMode.INLINE:
            for key, subagent in by_id(transcript).items():
                own[key] = self.take(
                    subagent, modified=modified, name=key, path=path, is_running=is_running
                )
        sessions = {key: imported.session for key, imported in own.items()}
        masking = None if self.keep_secrets else Masking(self.home)
        mask = masking.text if masking else str
        events = finished(transcript.events) if is_running else transcript.events
        events = [event for event in events if event.key not in transcript.copies]
        subagents = Subagents(mode, mask, by_id(transcript), sessions)
        increment = self.increment_of(transcript)
        writing = Writing(transcript, events, subagents, masking, is_running, increment, origin)
        writing.is_in_project = path is not None and self.is_in_project(path)
        began = min(
            (event.at for event in events if event.at), default=transcript.started or modified
        )
        created, session = self._write(writing, began)
        return Imported(
            session=session,
            source=writing.source,
            created=created,
            phases=writing.phases,
            events=writing.added,
            masked=(masking.count if masking else 0)
            + sum(imported.masked for imported in own.values()),
            unknown=sum(transcript.unknown.values()),
            subagents=sum(1 + imported.subagents for imported in own.values()),
            instead_of=self._in_conflict.get(writing.source) if created else None,
        )

    def has(self, agent: str, id: str) -> bool:
        """Whether a transcript was imported."""
        return self._find(f"{agent}:{id}") is not None

    def _origin(self, transcript: Transcript) -> str:
        """The id of the session with what a fork copied; as the first import found it."""
        if own := self._find(source_of(transcript)):
            return self.store.read(own).session.meta.fork_of or ""
        path = self._find(f"{transcript.agent}:{transcript.origin}") if transcript.origin else None
        return self.store.read(path).session.id if path else ""

    def _mode(self, transcript: Transcript) -> SubagentMode:
        """The place of the subagents' work: where an earlier import put it."""
        path = self._find(source_of(transcript)) if transcript.subagents else None
        chosen = front_matter.read(self.store.read(path).text).get(SUBAGENTS) if path else None
        return next((mode for mode in SubagentMode if mode.value == chosen), self.mode)

    def _write(self, writing: Writing, day: datetime) -> tuple[bool, str]:
        """Whether the session is new, and its id."""
        path = self._find(writing.source)
        if path is None:
            try:
                text = partial(self._text, writing, day)
                path = self.store.create(writing.title, day, text, ids=self._ids)
            except _Made as other:
                path = other.path
            else:
                self._known[writing.source] = path
                return True, path.stem
        if not writing.transcript.events:  # Gemini CLI begins a file that stays empty
            return False, self.store.read(path).session.id
        path = self._titled(path, writing)
        return False, self.store.change(path, writing.continued).session.id

    def _titled(self, path: Path, writing: Writing) -> Path:
        """The file, named after the first prompt if the session was made before that."""
        session = self.store.read(path).session
        is_early = not session.phases and session.title == writing.untitled
        if not is_early or writing.title == writing.untitled:
            return path
        self._known[writing.source] = renamed = self.store.rename(path, writing.title)
        return renamed

    def _text(self, writing: Writing, day: datetime, id: str) -> str:
        # The store is locked here: another import may have made the session until then.
        if path := self._find(writing.source, anew=True):
            raise _Made(path)
        return writing.created(day, id)

    def _find(self, source: str, *, anew: bool = False) -> Path | None:
        """The file of the session made from a transcript; each file is read once.

        Args:
            anew: also look for files that other imports made since; all are looked at once.
        """
        names = self.store.names() if anew or not self._seen else []
        new = [name for name in names if name not in self._seen]
        self._seen.update(new)
        paths = (self.store.root / name for name in new)
        self._known |= sources(self.store, paths, self._in_conflict)
        path = self._known.get(source)
        return path if path and path.exists() else None


class _Made(Exception):
    """Another import made the session."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
