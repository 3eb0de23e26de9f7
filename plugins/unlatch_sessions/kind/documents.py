"""Sessions as documents: title, summary with decisions, and the whole text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.related.kinds import Described
from unlatch.worklog.disk.user_files import has_state
from unlatch.worklog.search_index import Document, Source
from unlatch_sessions.project import import_store, session_store
from unlatch_sessions.session_model import CalloutKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch_sessions.store import SessionStore


class SessionDocuments:
    """The sessions of a project, and those that the user imported for it."""

    def __init__(self, workspace: Workspace) -> None:
        self._stores = {"": session_store(workspace)}
        if has_state(workspace.paths.root, "imports"):
            self._stores["imported/"] = import_store(workspace)

    def sources(self) -> Iterator[Source]:
        for place, store in self._stores.items():
            for name, stamp in store.stamps():
                yield Source(f"{place}{name}", stamp, partial(self._read, f"{place}{name}"))

    def _at(self, key: str) -> tuple[SessionStore, Path]:
        place, slash, name = key.rpartition("/")
        store = self._stores[f"{place}{slash}"]
        return store, store.root / name

    def _read(self, key: str) -> Document:
        store, path = self._at(key)
        try:
            session, text = store.read(path).session, store.text(path)
        except UnlatchError:
            return Document(key)  # `describe` fails, too
        callouts = (
            callout for phase in session.phases for callout in phase.callouts(CalloutKind.DECISION)
        )
        decisions = [f"{callout.head} {callout.text}" for callout in callouts]
        summary = "\n".join(filter(None, (session.summary, *decisions)))
        return Document(f"{session.id} {session.title}", summary, text)

    def describe(self, key: str) -> Described | None:
        try:
            store, path = self._at(key)
            session = store.read(path).session
        except (UnlatchError, OSError, KeyError):  # the last if no session is imported any more
            return None
        meta = session.meta
        changed = meta.ended or meta.started
        return Described(session.id, session.title, meta.status, changed, session.summary)
