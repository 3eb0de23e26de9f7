"""The kind of work `session`; it loads a session when one is needed."""

from __future__ import annotations

from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.related.belonging import names_of
from unlatch.related.kinds import Dangling, Documents, Search
from unlatch.related.places import sessions_path
from unlatch.worklog.disk.safe_open import exists
from unlatch.worklog.disk.user_files import has_state
from unlatch_sessions.imported.origin import is_of_checkout
from unlatch_sessions.kind.work import SessionWork
from unlatch_sessions.project import find_session, import_store, session_store
from unlatch_sessions.session_model import Meta, Status
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.related.increment_names import References


class SessionKind:
    """The sessions of a project, as `unlatch.related.kinds.WorkKind` describes a kind."""

    name = "session"
    verbs = MappingProxyType(
        {"show": "show", "history": "show", "resume": "resume", "link": "link"}
    )
    resumes_all = False
    beside = "decisions"
    has_tool_output = True

    def names(self, workspace: Workspace) -> Iterator[str]:
        for _, meta in _heads(_sessions(workspace)):
            yield meta.session_id

    def find(self, workspace: Workspace, wanted: str) -> str:
        store, path = find_session(workspace, wanted)
        return store.read(path).session.id

    def related(self, workspace: Workspace, search: Search) -> Iterator[SessionWork]:
        own = _sessions(workspace)
        stores = (own, import_store(workspace))
        works = (work for store in stores if store for work in _related(store, own, search))
        yield from sorted(works, key=lambda work: (str(work.session.meta.started or ""), work.id))

    def unfinished(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        for _, meta in _heads(_configured(workspace)):
            if meta.status in (Status.ACTIVE, Status.PAUSED):
                yield meta.session_id, meta.status.value

    def in_progress(self, workspace: Workspace) -> Iterator[str]:
        for _, meta in reversed([*_heads(_configured(workspace))]):
            if meta.status is Status.ACTIVE and meta.increment:
                yield meta.increment

    def dangling(self, workspace: Workspace, references: References) -> Iterator[Dangling]:
        efforts = names_of(workspace, "effort")
        for path, meta in _heads(_sessions(workspace)):
            ref = f"session:{meta.session_id}"
            if meta.increment and not references.find(meta.increment):
                fix = f"unlatch session link {quote(meta.session_id)} --remove"
                yield Dangling(ref, meta.increment, path, fix)
            # Efforts are private: in another person's checkout they are missing.
            if meta.effort and efforts and meta.effort not in efforts:
                yield Dangling(ref, f"effort:{meta.effort}", path)

    def unreadable(self, workspace: Workspace) -> Iterator[UnlatchError]:
        if store := _sessions(workspace):
            yield from (entry.error for entry in store.all() if isinstance(entry, Broken))

    def files(self, workspace: Workspace) -> Iterator[Path]:
        if store := _sessions(workspace):
            yield from store.paths()
        if has_state(workspace.paths.root, "imports"):
            imported = import_store(workspace)
            yield from (path for path in imported.paths() if is_of_checkout(imported, path))

    def documents(self, workspace: Workspace) -> Documents:
        from unlatch_sessions.kind.documents import SessionDocuments  # noqa: PLC0415  (SQLite)

        return SessionDocuments(workspace)


def _sessions(workspace: Workspace) -> SessionStore | None:
    """The project's own sessions; None without its folder, and if that is misconfigured."""
    try:
        return _configured(workspace)
    except UnlatchError:  # doctor and the commands of sessions report it
        return None


def _configured(workspace: Workspace) -> SessionStore | None:
    """The same; ConfigError: the path leads out of the project."""
    is_there = exists(workspace.paths.root / sessions_path(workspace))
    return session_store(workspace) if is_there else None


def _heads(store: SessionStore | None) -> Iterator[tuple[Path, Meta]]:
    for head in store.heads() if store else ():
        if not isinstance(head, Broken):
            yield head[:2]


def _related(
    store: SessionStore, own: SessionStore | None, search: Search
) -> Iterator[SessionWork]:
    """The sessions of a store that belong to the increment of a search."""
    with search.noting():
        for head in store.heads():
            if isinstance(head, Broken):
                search.unreadable.append(head.error)
            elif search.is_meant(head[1].increment):
                with search.noting():
                    session = store.read(head[0]).session
                    search.known.add(f"session:{session.id}")
                    yield SessionWork(store, head[0], session, store != own)
            else:
                search.known.add(f"session:{head[1].session_id}")


KIND = SessionKind()
