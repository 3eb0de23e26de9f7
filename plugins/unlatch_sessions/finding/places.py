"""The sessions of several projects, and those that fit words.

Other projects are those in which this user used sessions on this machine; nothing else is searched.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.name_matching import begins
from unlatch_sessions.front_matter import body_offset
from unlatch_sessions.project import import_store, session_store
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch_sessions.session_model import Meta

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Place:
    """The sessions of one project, or those that were imported for it."""

    workspace: Workspace
    store: SessionStore
    imported: bool

    @property
    def project(self) -> Path:
        return self.workspace.paths.root

    def heads(self) -> Iterator[Found | Broken]:
        for head in self.store.heads():
            yield head if isinstance(head, Broken) else Found(self, *head)


@dataclass(frozen=True, slots=True)
class Found:
    """A session, and its place."""

    place: Place
    path: Path
    meta: Meta
    title: str


def places(workspace: Workspace) -> list[Place]:
    """Both places of a project; ConfigError: a path leads out of it."""
    own = Place(workspace, session_store(workspace), imported=False)
    return [own, Place(workspace, import_store(workspace), imported=True)]


def newest_first(sessions: Iterable[Found]) -> list[Found]:
    return sorted(sessions, key=lambda session: session.meta.started or _LONG_AGO, reverse=True)


def fitting(sessions: Iterable[Found], wanted: str) -> list[Found]:
    """Those with all these words; by id, title and branch first, then by their text."""
    ranked = [
        (rank, session) for session in sessions if (rank := _rank(session, wanted)) is not None
    ]
    return [session for _, session in sorted(ranked, key=lambda pair: pair[0])]


def _rank(session: Found, wanted: str) -> int | None:
    words = wanted.casefold().split()
    if not words or begins(session.meta.session_id, wanted.strip()):
        return 0
    for rank, text in enumerate((session.title, session.meta.branch or "", None), 1):
        if _has(_text(session) if text is None else text, words):
            return rank
    return None


def _has(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _text(session: Found) -> str:
    """The title, branch and text; empty if it was removed, or cannot be read."""
    try:
        text = session.place.store.text(session.path)
    except (UnlatchError, OSError):
        return ""
    return "\n".join([session.title, session.meta.branch or "", text[body_offset(text) :]])
