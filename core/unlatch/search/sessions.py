"""Sessions as documents: title, summary with decisions, and the whole text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.search.kind import Described
from unlatch.sessions.model import CalloutKind
from unlatch.sessions.project import session_store
from unlatch.worklog.search_index import Document, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace


class SessionDocuments:
    """The sessions of a project; imported ones are found by `unlatch session query --imported`."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = session_store(workspace)

    def sources(self) -> Iterator[Source]:
        for name, stamp in self._store.stamps():
            yield Source(name, stamp, partial(self._read, name))

    def _read(self, name: str) -> Document:
        path = self._store.root / name
        try:
            session, text = self._store.read(path).session, self._store.text(path)
        except UnlatchError:
            return Document(name)  # `describe` fails, too
        callouts = (it for one in session.phases for it in one.callouts(CalloutKind.DECISION))
        decisions = [f"{it.head} {it.text}" for it in callouts]
        summary = "\n".join(filter(None, (session.summary, *decisions)))
        return Document(f"{session.id} {session.title}", summary, text)

    def describe(self, key: str) -> Described | None:
        try:
            session = self._store.read(self._store.root / key).session
        except (UnlatchError, OSError):
            return None
        meta = session.meta
        changed = meta.ended or meta.started
        return Described(session.id, session.title, meta.status, changed, session.summary)
