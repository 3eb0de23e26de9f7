"""The places of the efforts, sessions and runs of a project; loads nothing of them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.paths import BRIEFING, SESSIONS
from unlatch.worklog.disk.safe_open import exists, open_folder, read_file
from unlatch.worklog.disk.user_files import has_state

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace

# The folders of increments, of what the core keeps itself, and of `sessions_path`.
_OWN = frozenset({"increments", "items", "migrations", "sessions"})
# The kinds of unlatch in the order in which they are shown; those of others follow.
_ORDER = ("effort", "session", "run")


def may_have_related(workspace: Workspace, increment: Increment) -> bool:
    """Whether there is any other work, or a briefing; a quick look at the folders."""
    return exists(increment.folder / BRIEFING) or bool(other_kinds(workspace))


def other_kinds(workspace: Workspace) -> dict[str, str]:
    """The entry points of the kinds that a project uses, by name.

    Those are the kinds with a folder in it, and those that the configuration has elsewhere.
    """
    folders = {"efforts"} if _shares_efforts(workspace) else set[str]()
    with suppress(FileNotFoundError, NotADirectoryError), open_folder(workspace.paths.home) as home:
        folders |= {name for name in home.names() if name.endswith("s")} - _OWN
    if has_sessions(workspace):
        folders.add("sessions")
    if not folders:
        return {}
    return {name: target for name, target in installed_kinds().items() if f"{name}s" in folders}


def installed_kinds() -> dict[str, str]:
    """The entry points of all kinds of packages by name, in the order in which they are shown."""
    from unlatch.worklog.entry_points import KINDS, entry_points  # noqa: PLC0415  (slow to load)

    kinds = entry_points(KINDS)
    first = {name: kinds[name] for name in _ORDER if name in kinds}
    return first | kinds


def _shares_efforts(workspace: Workspace) -> bool:
    """Whether the user keeps the efforts of all projects in one folder."""
    return os.path.lexists(workspace.user_file) and bool(workspace.user.efforts.path)


def has_sessions(workspace: Workspace) -> bool:
    """Whether there is a folder of sessions, the project's own or of imported ones."""
    root = workspace.paths.root
    return exists(root / sessions_path(workspace)) or has_state(root, "imports")


def sessions_path(workspace: Workspace) -> str:
    """The folder of the sessions, from the project's root."""
    # Loading the configuration takes longer than all of `show`, and most have no such table.
    try:
        has_table = b"sessions" in read_file(workspace.paths.config)
    except (OSError, StoreError):
        has_table = False
    return workspace.raw_config.core.sessions.path if has_table else SESSIONS
