"""What git is told about an increment's files: how to merge them.

.gitattributes is shared by git and says which driver merges what; the driver itself is a line of
each clone's own configuration, because git lets no repository name programs to run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.layout import EVENTS, METADATA
from unlatch.project.git.folder import check_git_folder
from unlatch.project.git.run import ask_git, run_git
from unlatch.worklog.atomic import replace_file
from unlatch.worklog.safe_open import exists, read_file

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.files.layout import Layout

ATTRIBUTES = ".gitattributes"
DRIVER = "merge.unlatch.driver"
_NAME = "merge.unlatch.name", "merge two versions of an increment's metadata.json"
# An exit code above 1 says that nothing was merged: unlatch is not on the PATH, or too old to know
# the command. git would take our side for the result, so git's own merge has to mark the conflict.
_COMMAND = (
    "unlatch merge-driver %O %A %B %P; merged=$?; [ $merged -lt 2 ] && exit $merged; "
    "git merge-file -L ours -L base -L theirs %A %O %B"
)


@dataclass(frozen=True, slots=True)
class GitSetUp:
    """What git was told.

    Args:
        path: the .gitattributes file.
        lines: the lines that were added to it.
        driver: whether this clone got the driver now.
        foreign: the driver that somebody else configured under our name; it is left alone.
    """

    path: Path
    lines: tuple[str, ...]
    driver: bool
    foreign: str | None


def set_up_git(layout: Layout) -> GitSetUp:
    """Let git merge increments by what their fields mean; what is set already stays.

    Raises:
        UsageError: `no-git`.
        StoreError: `unsafe-path`, `not-writable` or `git-config-failed`.
    """
    require_git(layout.root)
    path = layout.root / ATTRIBUTES
    lines = _add_lines(path, _attributes(layout))
    known = ask_git(layout.root, "config", "--get", DRIVER)
    if known is None:
        for name, value in (_NAME, (DRIVER, _COMMAND)):
            if run_git(layout.root, "config", name, value) is None:
                raise StoreError(
                    "git-config-failed",
                    f"git did not take the setting {name}",
                    where=str(layout.root),
                    hint=f"git config {name}",
                )
    return GitSetUp(path, lines, known is None, known if known not in (None, _COMMAND) else None)


def require_git(root: Path) -> None:
    """Make sure that `root` lies in a git repository of its own.

    Raises:
        UsageError: `no-git`.
        UnsafePath: `unsafe-path`, if its `.git` leads to another one.
    """
    if ask_git(root, "rev-parse", "--git-dir") is None:
        raise UsageError(
            "no-git",
            "this is no git repository, or git is not installed",
            where=str(root),
            hint="git init, then run the command again",
        )
    check_git_folder(root)


def _attributes(layout: Layout) -> tuple[str, ...]:
    below = layout.increments.relative_to(layout.root).as_posix()
    return (
        f"/{below}/**/{METADATA} merge=unlatch",
        f"/{below}/**/{EVENTS} merge=union",
    )


def _add_lines(path: Path, wanted: tuple[str, ...]) -> tuple[str, ...]:
    old = read_file(path) if exists(path) else b""
    there = {b" ".join(line.split()) for line in old.splitlines()}
    missing = tuple(line for line in wanted if line.encode() not in there)
    if missing:
        end = b"\r\n" if b"\r\n" in old else b"\n"
        joint = b"" if not old or old.endswith(b"\n") else end
        replace_file(path, old + joint + b"".join(line.encode() + end for line in missing))
    return missing
