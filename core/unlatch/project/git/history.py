"""The commits of the current branch since a time, with their messages and changed files."""

from __future__ import annotations

import os
from datetime import UTC
from typing import TYPE_CHECKING

from unlatch.project.git.run import run_git
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

# More than anyone reads, and few enough for a history of years.
_MOST = 200
# Of the commands and settings that `git log` obeys, none may start a program or change its output.
_PLAIN = (
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--no-color",
    "--no-notes",
    "--no-mailmap",
    "--encoding=UTF-8",
    # A file that was only moved has not changed.
    "--find-renames=100%",
    # A merge has changed what it brought to this branch.
    "--diff-merges=first-parent",
    "--name-status",
    "--full-diff",
    "-z",
)
_MOVED = "R100"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit.

    Args:
        files: the changed files from the top of the checkout, without those that were only moved;
            empty where the commit before it is missing, so that all files seem new.
    """

    id: str
    message: str
    files: tuple[str, ...]

    @property
    def subject(self) -> str:
        return next(iter(self.message.splitlines()), "")


@dataclass(frozen=True, slots=True)
class History:
    """The newer commits of a branch.

    Args:
        prefix: the project's folder from the top of the checkout: empty, or ending with a slash.
        is_shallow: whether the clone lacks older commits.
    """

    commits: tuple[Commit, ...]
    prefix: str = ""
    is_shallow: bool = False


def commits_since(
    root: Path, since: datetime, *, below: Sequence[Path], naming: Sequence[str]
) -> History | None:
    """The commits at or after a time that change files below folders, or whose message has words.

    The time is that of the committer. Case is ignored. The newest come first.

    Returns:
        None without git, or outside of a checkout.
    """
    prefix = run_git(root, "rev-parse", "--show-prefix")
    shallow = run_git(root, "rev-parse", "--is-shallow-repository")
    if prefix is None or shallow is None:
        return None
    when = f"--since={since.astimezone(UTC).isoformat()}"
    words = [f"--grep={word}" for word in naming]
    queries = [
        ("--", *(path.relative_to(root).as_posix() for path in below)),
        ("--fixed-strings", "--regexp-ignore-case", *words, "--"),
    ]
    found: dict[str, Commit] = {}
    for query in queries:
        found |= {one.id: one for one in _log(root, when, *query)}
    return History(
        tuple(found.values()), os.fsdecode(prefix).rstrip("\n"), shallow.strip() == b"true"
    )


def _log(root: Path, *query: str) -> Iterator[Commit]:
    # No message can contain it, so none can pass for the next commit.
    token = os.urandom(16).hex()
    form = f"--format={token}%H%x00%P%x00%B%x00"
    arguments = ("--literal-pathspecs", "log", f"--max-count={_MOST}", form, *_PLAIN)
    listed = run_git(root, *arguments, *query)
    # Without a commit yet there is nothing to list.
    for entry in (listed or b"").decode("utf-8", "surrogateescape").split(token)[1:]:
        name, parents, message, *changes = entry.split("\0")
        yield Commit(name, message, tuple(_files(changes)) if parents else ())


def _files(changes: Sequence[str]) -> Iterator[str]:
    """The files of lines such as M, NAME and R100, OLD, NEW."""
    left = iter(part.lstrip("\n") for part in changes)
    for status in filter(None, left):
        names = [next(left, "")]
        if status[0] in "RC":
            names.append(next(left, ""))
        if status != _MOVED:
            yield from filter(None, names)
