"""Where the work of a task begins, and where its worker works: here, or on other machines.

For other machines, `run start --on NAME`, a package names a function for NAME in the entry point
group `unlatch.dispatchers`. It gets a `RemoteRun` and returns a `RemoteDispatcher`; it connects to
nothing yet.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import StoreError, UsageError
from unlatch.project.git.setup import require_git
from unlatch.project.git.working import WorkingGit
from unlatch.values import dataclass
from unlatch.worklog.entry_points import entry_points
from unlatch_runs.dispatch.port import Assignment, Dispatcher, Place
from unlatch_runs.dispatch.processes import marked
from unlatch_runs.dispatch.worktrees import task_branch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from unlatch_runs.dispatch.worker import Limits

GROUP = "unlatch.dispatchers"


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


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """A run whose workers are elsewhere.

    Args:
        root: the project, in a clone of the repository that they get.
        name: the id of the run.
        origin: its id in the storage of leases, a ULID; called when a coordinator has the run.
        worker: the argument list of a developer. An auditor is `unlatch_runs.audit` of the machine
            that has it, with its text.
        limits: those of its workers.
        environ: the environment of the coordinator.
    """

    root: Path
    name: str
    origin: Callable[[], str]
    worker: Sequence[str]
    limits: Limits
    environ: Mapping[str, str]


class RemoteDispatcher(Dispatcher, Protocol):
    """A dispatcher that can tell before a run whether its machines will do what is asked."""

    def check(self, programs: Collection[Sequence[str]], variables: Collection[str]) -> None:
        """Make sure that a machine starts these programs for the repository, as of now.

        Raises:
            UnlatchError: none does, or nobody can be asked.
        """


def find_dispatcher(name: str) -> Callable[[RemoteRun], RemoteDispatcher]:
    """The function that opens a dispatcher; UsageError `dispatcher-unknown`."""
    target = entry_points(GROUP).get(name)
    if target is None:
        names = ", ".join(entry_points(GROUP)) or "none is installed"
        message = f"--on names no installed dispatcher: {name!r}"
        raise UsageError("dispatcher-unknown", message, hint=f"choose one of: {names}")
    module, _, function = target.partition(":")
    opener: Callable[[RemoteRun], RemoteDispatcher] = getattr(import_module(module), function)
    return opener


@dataclass(frozen=True, slots=True)
class RemotePlaces:
    """Work that begins at the commit that is checked out here, on a branch of its own."""

    root: Path
    run: str

    def begin(self, task: str) -> Start:
        require_git(self.root)
        head = WorkingGit(self.root)("rev-parse", "--verify", "HEAD^{commit}")
        if not head.is_done:
            hint = "commit something, then run the command again"
            raise StoreError("no-commit", f"git rev-parse: {head.complaint}", hint=hint)
        return Start(head.line, task_branch(self.run, task))
