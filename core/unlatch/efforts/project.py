"""The efforts of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.efforts.store import EffortStore
from unlatch.efforts.transcript import Author

if TYPE_CHECKING:
    from unlatch.project.workspace import Workspace


def effort_store(workspace: Workspace, *, by: str) -> EffortStore:
    """The store in `.unlatch/efforts`, or where the user's own configuration has it."""
    author = Author(by, workspace.clock, workspace.new_id)
    configured = workspace.user.efforts.path
    return EffortStore(
        Path(configured) if configured else workspace.layout.home / "efforts", author
    )
