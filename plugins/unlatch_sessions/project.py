"""The sessions of a project."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UsageError
from unlatch.worklog.disk.atomic import PRIVATE
from unlatch.worklog.disk.user_files import state_folder
from unlatch_sessions.index import SessionIndex
from unlatch_sessions.recorder import Recorder
from unlatch_sessions.store import SessionStore

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.project.workspace import Workspace


def session_store(workspace: Workspace) -> SessionStore:
    """The store in `[sessions] path`, by default `.unlatch/sessions`.

    Raises:
        ConfigError: the path leads out of the project.
    """
    root = workspace.paths.root
    place = root / workspace.config.sessions.path
    if not place.resolve().is_relative_to(root.resolve()):
        problem = f"sessions.path: '{workspace.config.sessions.path}' leads out of the project"
        raise ConfigError((problem,), where=str(workspace.paths.config))
    return SessionStore(place)


def import_store(workspace: Workspace) -> SessionStore:
    """The sessions imported from transcripts, in the user's private state folder."""
    return SessionStore(state_folder(workspace.paths.root) / "imports", mode=PRIVATE)


def find_session(workspace: Workspace, wanted: str) -> tuple[SessionStore, Path]:
    """The session of the project that a word means, else the imported one.

    Raises:
        UsageError: none or several.
    """
    store = session_store(workspace)
    try:
        return store, store.find(wanted)
    except UsageError as error:
        imports = import_store(workspace)
        try:
            path = imports.find(wanted)
        except UsageError as other:
            ambiguous = [failure for failure in (error, other) if failure.id == "session-ambiguous"]
            raise (ambiguous or [error])[0] from None
        if error.id != "session-unknown":
            raise
        return imports, path


def session_index(workspace: Workspace, store: SessionStore) -> SessionIndex:
    """The index of the project's sessions or imports, in the user's state folder."""
    kind = "sessions" if store == session_store(workspace) else "imports"
    return SessionIndex(state_folder(workspace.paths.root) / f"{kind}.sqlite3", store)


def recorder(workspace: Workspace, store: SessionStore, path: Path) -> Recorder:
    """A recorder with the configured options."""
    config = workspace.config.sessions
    return Recorder(
        store,
        path,
        workspace.clock,
        config.auto_save,
        timedelta(seconds=config.interval),
        config.subagents,
    )


def idle_after(workspace: Workspace) -> timedelta:
    """The time without a change after which a session is paused; zero for never."""
    return timedelta(minutes=workspace.config.sessions.timeout)
