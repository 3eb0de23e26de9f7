"""Whether git has all that a migration touches, so that git can undo it."""

from __future__ import annotations

import os
from shlex import join
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.setup import require_git
from unlatch.project.git.working import WorkingGit

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_specweave.migrate.plan import MigrationPlan

_SHOWN = 5
_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored")


def check_committed(root: Path, plan: MigrationPlan) -> None:
    """Check that every file that a migration moves or changes is as in the last commit.

    Raises:
        UsageError: `no-git`.
        StoreError: `migrate-uncommitted`.
    """
    if plan.is_empty:
        return
    require_git(root)
    paths = touched(plan)
    git = WorkingGit(root)
    status = git("--literal-pathspecs", *_STATUS, "--", *paths)
    # git compares no file of these, so a change in them is not in the status.
    listed = git("--literal-pathspecs", "ls-files", "-v", "-z", "--", *paths)
    changed = [entry[3:] for entry in _entries(status.out)]
    changed += [entry[2:] for entry in _entries(listed.out) if entry[0] in "hS"]
    complaint = next((done.complaint for done in (status, listed) if not done.is_done), "")
    if changed or complaint:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        names = ", ".join(changed[:_SHOWN]) + more
        raise StoreError(
            "migrate-uncommitted",
            f"git has not all that a migration would touch: {complaint or names}",
            where=str(root),
            hint="git commit or remove them, then run the command again: git is the undo",
        )


def touched(plan: MigrationPlan) -> list[str]:
    """The files and folders that a migration reads and changes or moves, from the root."""
    sources = [move.source for move in plan.moves]
    targets = tuple(f"{move.target}/" for move in plan.moves)
    return sources + [change.path for change in plan.changes if not change.path.startswith(targets)]


def way_back(plan: MigrationPlan) -> str:
    """The command that undoes a migration before it is committed."""
    places = dict.fromkeys([*touched(plan), *(move.target for move in plan.moves)])
    return join(["git", "stash", "push", "--include-untracked", "--", *places])


def _entries(out: bytes) -> list[str]:
    return [entry for entry in os.fsdecode(out).split("\0") if entry]
