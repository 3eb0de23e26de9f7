"""The clone of a repository on this machine: a bare mirror, and a worktree for a unit.

A lock that the unit's programs inherit keeps one unit at a time in it. The worktree of a unit that
has more to do, or was killed, stays for the next one: its notes say which requests may have left.
"""

from __future__ import annotations

import os
import shutil
import time
from base64 import b64encode
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.project.git.run import HOOKS_OFF, GitResult, find_git, without_credentials
from unlatch.transport.trust import check_secure
from unlatch.values import dataclass
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk import system
from unlatch_fleet.children import Children, Ended, with_git_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from unlatch_fleet.fleet_file import Repository
    from unlatch_fleet.repository_address import Address

_SECONDS = 600.0
# Seconds between two looks at a lock that another unit has.
_PAUSE = 0.1
_SETTINGS = (
    HOOKS_OFF,
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
)
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_ASKPASS": ""}


class CloneFailed(StoreError):
    """There is no clone to work in now; the same may succeed later."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Clone:
    """The clone of a repository, whose lock this process holds.

    Args:
        folder: of this repository alone.
        environ: for git and unlatch.
        lock: its descriptor.
    """

    repository: Repository
    folder: Path
    environ: Mapping[str, str]
    children: Children
    lock: int

    @property
    def tree(self) -> Path:
        """The worktree."""
        return self.folder / "tree"

    @property
    def state(self) -> Path:
        """The local state of unlatch for this worktree."""
        return self.folder / "state"

    def prepare(self) -> bool:
        """Fetch, and make the worktree; False if it is that of an earlier unit, brought up to date.

        Raises:
            CloneFailed: `clone-failed`.
            UsageError: `no-git`, `branch-unknown`.
        """
        mirror = self.folder / "mirror.git"
        if mirror.exists():
            # The address in fleet.toml may be spelled anew.
            url = self.repository.address.url
            if f"url = {url}\n" not in (mirror / "config").read_text("utf-8", "replace"):
                self._git("remote", "set-url", "origin", url)
            self._git("fetch", "--quiet", "--prune", "--no-tags", "origin")
        else:
            self._clone(mirror)
        branch = self.repository.branch or self._git("symbolic-ref", "--short", "HEAD").line
        there = f"refs/remotes/origin/{branch}"
        if not self._try("rev-parse", "--verify", "--quiet", f"{there}^{{commit}}").is_done:
            message = f"{self.repository.address.key} has no branch {branch!r}"
            hint = "name its branch in fleet.toml"
            raise UsageError(
                "branch-unknown", message, where=self.repository.address.url, hint=hint
            )
        if self._is_usable(branch):
            # Not possible with unpushed commits of the earlier unit, which the sync merges itself.
            self._try("merge", "--quiet", "--ff-only", there, at=self.tree)
            return False
        self.forget()
        self._git("worktree", "add", "--force", "--quiet", "-B", branch, str(self.tree), there)
        (self.folder / _READY).touch()
        return True

    def forget(self) -> None:
        """Remove the worktree and its local state."""
        (self.folder / _READY).unlink(missing_ok=True)
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.rmtree(self.state, ignore_errors=True)
        if (self.folder / "mirror.git").exists():
            self._git("worktree", "prune")

    def _is_usable(self, branch: str) -> bool:
        """Whether the worktree of an earlier unit is whole, and of the same branch."""
        if not (self.folder / _READY).exists():
            return False
        # Nobody else is at work here, so the program that made it is dead.
        lock = self.folder / "mirror.git" / "worktrees" / "tree" / "index.lock"
        lock.unlink(missing_ok=True)
        head = self._try("symbolic-ref", "--short", "HEAD", at=self.tree)
        return head.is_done and head.line == branch

    def _clone(self, mirror: Path) -> None:
        partial = self.folder / "partial.git"
        shutil.rmtree(partial, ignore_errors=True)
        url = self.repository.address.url
        self._git(
            "clone", "--quiet", "--bare", "--no-tags", "--", url, str(partial), at=self.folder
        )
        refs = "+refs/heads/*:refs/remotes/origin/*"
        settings = {"remote.origin.fetch": refs}
        for name, value in settings.items():
            self._git("--git-dir", str(partial), "config", name, value, at=self.folder)
        fetch = ("fetch", "--quiet", "--no-tags", "origin")
        self._git("--git-dir", str(partial), *fetch, at=self.folder)
        partial.rename(mirror)

    def _git(self, *arguments: str, at: Path | None = None) -> GitResult:
        done = self._try(*arguments, at=at)
        if not done.is_done:
            message = f"git {arguments[0]} failed: {done.complaint}"
            hint = "check the address and the credentials of this machine"
            where = self.repository.address.url
            raise CloneFailed("clone-failed", message, where=where, hint=hint)
        return done

    def _try(self, *arguments: str, at: Path | None = None) -> GitResult:
        """Run git in the mirror, or in another folder."""
        if (git := find_git(self.folder)) is None:
            raise UsageError("no-git", "git is not installed", hint="install git")
        place = () if at else ("--git-dir", str(self.folder / "mirror.git"))
        done = self.children.run(
            [git, *place, *arguments],
            cwd=at or self.folder,
            environ=self.environ,
            seconds=_SECONDS,
            lock=self.lock,
        )
        return _result(done)


_READY = "ready"


def _result(done: Ended) -> GitResult:
    errors = without_credentials(done.err.decode("utf-8", "replace"))
    if done.is_late:
        return GitResult(done.code or 1, done.out, f"it took more than {_SECONDS:g} s")
    return GitResult(done.code, done.out, errors)


def clone_folder(below: Path, repository: Repository) -> Path:
    """The folder of a repository's clone among those of the node."""
    return below / sha256(repository.address.key.encode())[:32]


@contextmanager
def open_clone(
    repository: Repository,
    folder: Path,
    *,
    environ: Mapping[str, str],
    token: str | None,
    children: Children,
    patience: float,
) -> Iterator[Clone]:
    """The clone in a folder, locked against the units of every process on this machine.

    Args:
        environ: for git and unlatch, without credentials for git.
        token: for git over https.
        patience: seconds to wait for another unit.

    Raises:
        CloneFailed: `unit-running`.
        UnlatchError: `insecure-url`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | system.CLOEXEC, 0o600)
    try:
        _lock(descriptor, repository, patience)
        settings = [*_SETTINGS, *git_credentials(repository.address, token)]
        whole = with_git_settings({**environ, **_QUIET}, settings)
        yield Clone(repository, folder, whole, children, descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, repository: Repository, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            return system.lock(descriptor)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                key = repository.address.key
                message = f"another process on this machine is syncing {key}"
                hint = "wait for it to finish, then run the command again"
                raise CloneFailed("unit-running", message, where=key, hint=hint) from error
        time.sleep(_PAUSE)


def git_credentials(address: Address, token: str | None) -> Iterator[tuple[str, str]]:
    """Settings that let git use a repository on this machine, or send a token to its host."""
    if address.is_local:
        yield "protocol.file.allow", "always"
    if token and address.url.startswith(("https://", "http://")):
        pair = b64encode(f"x-access-token:{token}".encode()).decode()
        remember_secrets(pair)
        yield f"http.{check_secure(address.url)}/.extraHeader", f"Authorization: Basic {pair}"
