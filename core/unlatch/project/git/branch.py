"""Which branch is at work, and on which one the statuses of both sides are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.project.git.commit_files import changed_files
from unlatch.project.git.run import ask_git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# CI systems check out a commit; the branch stands in their environment.
_CI_BRANCHES = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "BUILD_SOURCEBRANCH", "CI_COMMIT_REF_NAME")
HEADS = "refs/heads/"
_REMOTE = "refs/remotes/origin/"


def current_branch(root: Path, environ: Mapping[str, str]) -> str | None:
    """The branch that is checked out; None without one, and outside git."""
    # Whole references: git's short ones look different where a tag has the branch's name.
    head = ask_git(root, "symbolic-ref", "--quiet", "HEAD")
    if head is not None:
        return head.removeprefix(HEADS)
    told = (environ.get(name, "").removeprefix(HEADS) for name in _CI_BRANCHES)
    return next(filter(None, told), None)


def default_branch(root: Path) -> str | None:
    """The remote's default branch, as far as this clone knows it."""
    head = ask_git(root, "symbolic-ref", "--quiet", f"{_REMOTE}HEAD")
    return head.removeprefix(_REMOTE) if head else None


def other_branch(root: Path, environ: Mapping[str, str], wanted: str | None) -> str | None:
    """The branch that is checked out in place of the one that is compared; None if that one is.

    Where neither the configuration nor git says which branch is compared, any is.
    """
    compared = wanted or default_branch(root)
    here = current_branch(root, environ)
    return here if compared and here and here != compared else None


def changed_since(root: Path, ref: str, *, below: Path) -> frozenset[str] | None:
    """The files below a folder, from the project's root, that this branch changed since `ref`.

    Returns:
        None if git cannot tell: it knows no such ref, for one.
    """
    if ref.startswith("-"):
        return None
    # git itself takes a tag of this name before a branch, and anybody who may push can make one.
    for place in ("refs/remotes/", HEADS, ""):
        commit = ask_git(root, "rev-parse", "--verify", "--quiet", f"{place}{ref}^{{commit}}")
        if commit is not None:
            return changed_files(root, ask_git(root, "merge-base", commit, "HEAD") or commit, below)
    return None
