"""git worktrees: a checkout of its own for each task of a run.

A worktree is at `worktrees/TASK` in the run's folder, on the branch `unlatch/RUN/TASK`, which
begins at the commit that is checked out in the project. The run's folder is below `.unlatch`, which
tools that search a project pass over, and git ignores it. A worktree stays until its work is
merged: nothing here removes changes that are not committed, or commits that are not merged.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.setup import check_git_folder, require_git
from unlatch.project.git.working import Trust, WorkingGit
from unlatch.project.trusted import is_trusted
from unlatch.values import dataclass
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import exists, open_folder

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.project.git.run import GitResult

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HEADS = "refs/heads/"
# How git marks a worktree whose creation was cut off.
_UNFINISHED = "locked initializing"


def task_branch(run: str, task: str) -> str:
    """The branch on which a task of a run is worked."""
    return f"unlatch/{run}/{task}"


@dataclass(frozen=True, slots=True)
class KeptWorktree:
    """A worktree that was not removed, and the reason."""

    task: str
    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Worktrees:
    """The worktrees of a run.

    Args:
        root: the project.
        folder: the run's folder.
    """

    root: Path
    folder: Path

    def make(self, task: str) -> Path:
        """The folder for a task in its worktree, which is made unless it is there.

        That is the place of the project in the worktree, if the project is in a folder of its
        repository. A worktree that was removed is made again from its branch.

        Raises:
            UsageError: `no-git`.
            StoreError: `worktree-failed` or `unsafe-path`.
        """
        require_git(self.root)
        git, place = self._git(), self.path(task)
        if self._is_unfinished(place):
            # It was never handed to a worker.
            self._done(git("worktree", "remove", "--force", "--force", str(place)))
        if not exists(place / ".git"):
            make_private(place.parent)
            branch = self.branch(task)
            is_known = git("show-ref", "--verify", "--quiet", f"{_HEADS}{branch}").is_done
            start = (str(place), branch) if is_known else ("-b", branch, str(place), "HEAD")
            self._done(git("worktree", "add", "--quiet", *start))
        check_git_folder(place)
        return place / self._done(git("rev-parse", "--show-prefix")).line

    def remove_merged(self) -> list[KeptWorktree]:
        """Remove the worktrees and branches without changes of their own; returns the others.

        A worktree is removed if all its files are committed, and its commits are part of the
        branch that is checked out in the project. Ignored files are removed with it.
        """
        if not exists(self.folder / "worktrees"):
            return []
        with open_folder(self.folder / "worktrees") as opened:
            tasks = opened.folders()
        kept = ((task, self._remove(task)) for task in tasks)
        return [KeptWorktree(task, self.path(task), reason) for task, reason in kept if reason]

    def path(self, task: str) -> Path:
        """The top of a task's worktree."""
        if not _NAME.fullmatch(task):
            raise self._failed(f"the task id {task!r} cannot name a folder")
        return self.folder / "worktrees" / task

    def branch(self, task: str) -> str:
        return task_branch(self.folder.name, task)

    def _remove(self, task: str) -> str | None:
        """Remove a worktree; returns the reason if it is kept."""
        try:
            git, place = self._git(), self.path(task)
            check_git_folder(place)
        except StoreError as error:
            return error.message
        own = self._git(place)
        status = own("status", "--porcelain", "--untracked-files=all")
        if not status.is_done or status.out.strip():
            return "it has changes that are not committed" if status.is_done else status.complaint
        for commit in (own("rev-parse", "HEAD").line, f"{_HEADS}{self.branch(task)}"):
            if not git("merge-base", "--is-ancestor", commit, "HEAD").is_done:
                return f"its branch {self.branch(task)} is not merged"
        for command in (("worktree", "remove", str(place)), ("branch", "-d", self.branch(task))):
            if not (done := git(*command)).is_done:
                return done.complaint
        return None

    def _is_unfinished(self, place: Path) -> bool:
        listed = os.fsdecode(self._done(self._git()("worktree", "list", "--porcelain")).out)
        entries = (entry.splitlines() for entry in listed.split("\n\n"))
        real = os.path.realpath(place)
        return any(entry[:1] == [f"worktree {real}"] and _UNFINISHED in entry for entry in entries)

    def _git(self, place: Path | None = None) -> WorkingGit:
        if "GIT_DIR" in os.environ:
            raise self._failed("GIT_DIR is set, so that git does not look for worktrees")
        trust = Trust.ALL if is_trusted(self.root) else Trust.NONE
        return WorkingGit(place or self.root, trust=trust)

    def _done(self, result: GitResult) -> GitResult:
        if not result.is_done:
            raise self._failed(result.complaint)
        return result

    def _failed(self, why: str) -> StoreError:
        return StoreError(
            "worktree-failed",
            f"git worktree: {why}",
            where=str(self.folder / "worktrees"),
            hint="follow git's message, or run without --worktrees",
        )
