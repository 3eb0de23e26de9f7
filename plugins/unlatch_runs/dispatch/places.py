"""Where the work of a task begins, and where its worker works, if that is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from unlatch.values import dataclass
from unlatch_runs.dispatch.environment import marked
from unlatch_runs.dispatch.port import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from unlatch_runs.dispatch.port import Assignment


@dataclass(frozen=True, slots=True)
class Start:
    """Where the work of a task begins.

    Args:
        commit, branch: as in `Assignment`.
        worktree: the folder that was made for it on this machine.
    """

    commit: str = ""
    branch: str = ""
    worktree: Path | None = None


class Places(Protocol):
    """Prepares the places of tasks."""

    def begin(self, task: str) -> Start:
        """Where the work of a task begins now; StoreError or UsageError if it cannot."""
        ...


class LocalPlaces:
    """The project's folder, or a worktree for each task.

    Args:
        root: the project.
        environ: the environment of workers, without the marks of one.
        worktree: makes the worktree of a task, and returns its folder; None: all share the
            project's folder.
    """

    def __init__(
        self, root: Path, environ: Mapping[str, str], worktree: Callable[[str], Path] | None
    ) -> None:
        self._root, self._environ, self._worktree = root, environ, worktree
        self._folders: dict[str, Path] = {}

    def begin(self, task: str) -> Start:
        if self._worktree is None:
            return Start()
        self._folders[task] = folder = self._worktree(task)
        return Start(worktree=folder)

    def place(self, assignment: Assignment) -> Place:
        """The place of a worker whose task was begun here."""
        run_id, task = assignment.run_id, assignment.task_id
        folder = self._folders.get(task, self._root)
        return Place(folder, marked(self._environ, run_id=run_id, task_id=task))
