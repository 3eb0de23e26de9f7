"""Remote-tracking branches: where one is from, and the files in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unlatch.project.git.revisions import current_branch
from unlatch.project.git.run import ask_git, run_git
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


_REMOTES = "refs/remotes/"


@dataclass(frozen=True, slots=True)
class TrackedBranch:
    """A remote-tracking branch.

    Args:
        remote: its remote's name.
        address: the remote's, as the configuration has it.
        ref: its whole name.
    """

    remote: str
    address: str
    ref: str

    @property
    def name(self) -> str:
        """Its name on the remote."""
        return self.ref.removeprefix(f"{_REMOTES}{self.remote}/")


def upstream_branch(root: Path) -> TrackedBranch | None:
    """The branch that the current one follows, else the default branch of `origin`."""
    branch = current_branch(root, {}) or ""
    remote = ask_git(root, "config", "--get", f"branch.{branch}.remote")
    ref = ask_git(root, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", "@{upstream}")
    if not remote or not ref or not ref.startswith(f"{_REMOTES}{remote}/"):
        remote, ref = "origin", ask_git(root, "symbolic-ref", "--quiet", f"{_REMOTES}origin/HEAD")
    address = _address(root, remote)
    return TrackedBranch(remote, address, ref) if ref and address else None


def _address(root: Path, remote: str) -> str | None:
    return ask_git(root, "config", "--get", f"remote.{remote}.url")


def commits_of(root: Path, branch: TrackedBranch) -> Iterator[str]:
    """Its last commit, and the one from which HEAD left it; none if it is from elsewhere now.

    A commit that came with a merge was never the last one of the branch: HEAD did not leave it
    there.
    """
    if _address(root, branch.remote) != branch.address:
        return
    tip = ask_git(root, "rev-parse", "--verify", "--quiet", f"{branch.ref}^{{commit}}")
    if not tip:
        return
    yield tip
    since = ask_git(root, "rev-list", "--first-parent", tip, "^HEAD", "--")
    if since and (
        base := ask_git(root, "rev-parse", "--verify", "--quiet", f"{since.split()[-1]}^")
    ):
        yield base


def blobs_at(root: Path, commit: str, files: Sequence[Path]) -> Iterator[str]:
    """The ids that git has for the contents of files in a commit."""
    places = [path.relative_to(root).as_posix() for path in files]
    listed = run_git(root, "--literal-pathspecs", "ls-tree", "-z", commit, "--", *places)
    for entry in os.fsdecode(listed or b"").split("\0"):
        about, tab, _ = entry.partition("\t")
        if tab and about.split()[1] == "blob":
            yield about.split()[2]
