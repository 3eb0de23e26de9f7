"""Whether git has all that a migration touches, so that git can undo it."""

from __future__ import annotations

import os
from shlex import join, quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.setup import require_git
from unlatch.project.git.working import WorkingGit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch_specweave.migrate.plan import MigrationPlan

_SHOWN = 5
# Of a file that git compares; the others (-v) are hidden from it, or in conflict.
_COMPARED = "H"
_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored")


def check_committed(root: Path, plan: MigrationPlan) -> None:
    """Check that every file that a migration moves or changes is as in the last commit.

    And that git leaves out none of the files that it makes: the next commit would lose them.

    Raises:
        UsageError: `no-git`.
        StoreError: `migrate-uncommitted`.
    """
    if plan.is_empty:
        return
    require_git(root)
    git = WorkingGit(root)
    paths = touched(plan)
    status = git("--literal-pathspecs", *_STATUS, "--", *paths)
    listed = git("--literal-pathspecs", "ls-files", "-v", "-z", "--", *paths)
    files = _entries(listed.out)
    changed = [entry[3:] for entry in _entries(status.out)]
    changed += [entry[2:] for entry in files if entry[0] != _COMPARED]
    if complaint := next((done.complaint for done in (status, listed) if not done.is_done), ""):
        changed = [complaint]
    if changed:
        raise _refused(
            root,
            f"git has not all that a migration would touch: {_names(changed)}",
            "git commit or remove them, then run the command again: git is the undo",
        )
    new = [*_new_files(plan, [entry[2:] for entry in files])]
    if left_out := _entries(
        git("check-ignore", "-z", "--stdin", fed=os.fsencode("\0".join(new))).out
    ):
        raise _refused(
            root,
            f".gitignore leaves out what a migration would write: {_names(left_out)}",
            f"git check-ignore --verbose {quote(left_out[0])}",
        )


def _refused(root: Path, message: str, hint: str) -> StoreError:
    return StoreError("migrate-uncommitted", message, where=str(root), hint=hint)


def _names(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + more


def _new_files(plan: MigrationPlan, files: list[str]) -> Iterator[str]:
    """The files that a migration makes, from the root: also where those of git move."""
    for move in plan.moves:
        inside = (file for file in files if f"{file}/".startswith(f"{move.source}/"))
        yield from (f"{move.target}{file.removeprefix(move.source)}" for file in inside)
    yield from (change.path for change in plan.changes if change.before is None)


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
