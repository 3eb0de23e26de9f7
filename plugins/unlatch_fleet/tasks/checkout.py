"""The repositories of tasks on a node: a bare mirror each, and a worktree for each dispatch."""

from __future__ import annotations

import os
import shutil
from threading import Lock
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.project.git.run import find_git, without_credentials
from unlatch.values import dataclass
from unlatch.worklog.digests import sha256
from unlatch_fleet.children import Children, with_git_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from unlatch_fleet.tasks.work import Work

# Seconds of one git command.
_SECONDS = 600.0
_SETTINGS = (
    ("core.hooksPath", os.devnull),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
    ("commit.gpgSign", "false"),
    ("user.name", "unlatch"),
    ("user.email", "unlatch@localhost"),
)
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_ASKPASS": ""}
_REMOTE = ("fetch", "push")
_THERE = "refs/remotes/origin"


class Mirror:
    """The mirror of one repository, for the threads of one node.

    Args:
        folder: for the mirrors of the node.
        credentials: settings of git for the address, asked for at each use: tokens expire.
        lock: a descriptor that git inherits.
    """

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        environ: Mapping[str, str],
        credentials: Callable[[], Sequence[tuple[str, str]]],
        children: Children,
        lock: int,
    ) -> None:
        self._url, self._children, self._inherited = url, children, lock
        self._path = folder / f"{sha256(url.encode())[:32]}.git"
        self._environ = with_git_settings({**environ, **_QUIET}, _SETTINGS)
        self._credentials = credentials
        self._fetching = Lock()

    def check_out(self, work: Work, place: Path) -> Checkout:
        """A worktree for a dispatch, with the work of the tasks that it needs.

        A developer goes on where the branch of the task is; an auditor gets the commit itself.

        Raises:
            StoreError: `task-checkout`.
        """
        with self._fetching:
            self._fetch()
            there = f"{_THERE}/{work.branch}"
            is_begun = work.branch and self.try_git("rev-parse", "--verify", "--quiet", there) == ""
            begin = there if is_begun else work.commit
            self.git("worktree", "prune")
            self.git("worktree", "add", "--quiet", "--detach", str(place), begin)
        checkout = Checkout(self, place, self.git("rev-parse", "HEAD", at=place))
        for commit in work.needs:
            self.git("merge", "--quiet", "--no-edit", commit, at=place)
        return checkout

    def forget(self, place: Path) -> None:
        """Remove a worktree."""
        shutil.rmtree(place, ignore_errors=True)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        """The first line of what git prints; StoreError `task-checkout`."""
        code, out, errors = self._run(arguments, at)
        if code:
            message = f"git {arguments[0]}: {errors or f'exit code {code}'}"
            hint = "check the repository, and the credentials of the node for it"
            raise StoreError("task-checkout", message, where=self._url, hint=hint)
        return out.partition("\n")[0]

    def try_git(self, *arguments: str, at: Path | None = None) -> str | None:
        """What git says of its failure; empty if it succeeded."""
        code, _, errors = self._run(arguments, at)
        return (errors or f"exit code {code}") if code else ""

    def _run(self, arguments: tuple[str, ...], at: Path | None) -> tuple[int, str, str]:
        if (git := find_git(self._path.parent)) is None:
            raise UsageError("no-git", "git is not installed", hint="install git")
        place = () if at else ("--git-dir", str(self._path))
        environ = self._environ
        if arguments[0] in _REMOTE:
            environ = with_git_settings(environ, self._credentials())
        done = self._children.run(
            [git, *place, *arguments],
            cwd=at or self._path.parent,
            environ=environ,
            seconds=_SECONDS,
            lock=self._inherited,
        )
        errors = without_credentials(done.err.decode("utf-8", "replace")).strip()
        out = done.out.decode("utf-8", "replace")
        # Where a merge has conflicts, git names them on standard output.
        return done.code, out, errors or out.strip()

    def _fetch(self) -> None:
        if self.try_git("config", "--get", "remote.origin.url"):
            self.git("init", "--quiet", "--bare")
            self.git("config", "remote.origin.url", self._url)
        self.git("fetch", "--quiet", "--prune", "--no-tags", "origin", f"+refs/heads/*:{_THERE}/*")


@dataclass(frozen=True, slots=True)
class Checkout:
    """The worktree of one dispatch; `begin` is the commit at which it was made."""

    mirror: Mirror
    place: Path
    begin: str

    def push(self, work: Work) -> str:
        """Commit what the worker left, and push the branch, without force; returns the commit.

        Raises:
            StoreError: `task-checkout`, also if another dispatch has pushed meanwhile.
        """
        git, at = self.mirror.git, self.place
        git("add", "--all", at=at)
        if self.mirror.try_git("diff", "--cached", "--quiet", at=at):
            git("commit", "--quiet", "--no-verify", "-m", f"Work on task {work.task}", at=at)
        commit = git("rev-parse", "HEAD", at=at)
        if commit != self.begin:
            git("push", "--quiet", "origin", f"HEAD:refs/heads/{work.branch}", at=at)
        return commit
