"""The commits of the current branch since a time, with their messages and changed files."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.project.git.run import ask_git, run_git
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# More than anyone reads, and few enough for a history of years.
_MOST = 200
# Clocks differ: commits that are older by their date than others before them are listed, too.
_SLACK = timedelta(days=1)
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
        parent: the commit before it on its branch.
        authored: when its change was made; a rebase and `commit --amend` keep that time.
        committed: when the commit itself was made.
        files: the changed files from the top of the checkout, without those that were only moved;
            empty where the commit before it is missing, so that all files seem new.
    """

    id: str
    parent: str
    authored: datetime
    committed: datetime
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
    """The commits since a day before a time, by the date of the committer.

    These change files below folders, or their messages have words, in any case; the newest first.

    Returns:
        None without git, or outside of a checkout.
    """
    prefix = run_git(root, "rev-parse", "--show-prefix")
    shallow = run_git(root, "rev-parse", "--is-shallow-repository")
    if prefix is None or shallow is None:
        return None
    when = _since(since)
    words = [f"--grep={word}" for word in naming]
    queries = [
        ("--", *(path.relative_to(root).as_posix() for path in below)),
        ("--fixed-strings", "--regexp-ignore-case", *words, "--"),
    ]
    by_id: dict[str, Commit] = {}
    for query in queries:
        by_id |= {commit.id: commit for commit in _log(root, when, *query)}
    return History(
        tuple(by_id.values()), os.fsdecode(prefix).rstrip("\n"), shallow.strip() == b"true"
    )


def had_record(root: Path, word: str, files: Sequence[Path], *, since: datetime) -> bool:
    """Whether a commit since a day before a time added a word to one of the files, or removed it.

    False too if git cannot tell, as in a clone without that commit.
    """
    return bool(_with_word(root, word, files, "-1", _since(since)))


def is_pushed(root: Path, word: str, files: Sequence[Path], since: datetime) -> bool:
    """Whether a remote branch, as last fetched or pushed, may have a commit with a word.

    True too if git cannot tell.
    """
    if not ask_git(root, "for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes"):
        return False
    commits = _with_word(root, word, files, "-1", "--remotes", _since(since))
    return commits is None or bool(commits)


def _since(time: datetime) -> str:
    return f"--since={(time.astimezone(UTC) - _SLACK).isoformat()}"


def _with_word(root: Path, word: str, files: Sequence[Path], *limits: str) -> bytes | None:
    paths = [path.relative_to(root).as_posix() for path in files]
    plain = ("--format=%H", "--no-show-signature", "--no-ext-diff", "--no-textconv")
    return run_git(root, "--literal-pathspecs", "log", f"-S{word}", *limits, *plain, "--", *paths)


def commits_after_record(root: Path, word: str, files: Sequence[Path]) -> frozenset[str]:
    """The commit that first added a word to one of the files, and the commits based on it."""
    added = _with_word(root, word, files)
    if not added:
        return frozenset()
    first = added.decode().split()[-1]
    later = run_git(root, "rev-list", "--ancestry-path", f"{first}..HEAD")
    return frozenset((first, *(later or b"").decode().split()))


def files_changed_after(root: Path, commits: Sequence[Commit]) -> frozenset[str] | None:
    """The files that differ now from before the first of some commits; None if git failed."""
    parents = dict.fromkeys(commit.parent for commit in commits)
    base = run_git(root, "merge-base", "--octopus", *parents)
    if not base:
        return None
    plain = ("-r", "-z", "--name-only", "--no-relative", "--no-renames")
    listed = run_git(root, "diff-tree", *plain, base.decode().strip(), "HEAD")
    return None if listed is None else frozenset(_text(listed).split("\0"))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")


def _log(root: Path, *query: str) -> Iterator[Commit]:
    # No message can contain it, so none can pass for the next commit.
    token = os.urandom(16).hex()
    form = f"--format={token}%H%x00%P%x00%at%x00%ct%x00%B%x00"
    arguments = ("--literal-pathspecs", "log", f"--max-count={_MOST}", form, *_PLAIN)
    listed = run_git(root, *arguments, *query)
    # Without a commit yet there is nothing to list.
    for entry in _text(listed or b"").split(token)[1:]:
        name, parents, authored, committed, message, *changes = entry.split("\0")
        files = tuple(_files(changes)) if parents else ()
        times = (_time(authored), _time(committed))
        yield Commit(name, parents.partition(" ")[0], *times, message, files)


def _time(seconds: str) -> datetime:
    """A time as git prints it; one that no calendar has is long ago."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _files(changes: Sequence[str]) -> Iterator[str]:
    """The files of lines such as M, NAME and R100, OLD, NEW."""
    left = iter(part.lstrip("\n") for part in changes)
    for status in filter(None, left):
        names = [next(left, "")]
        if status[0] in "RC":
            names.append(next(left, ""))
        if status != _MOVED:
            yield from filter(None, names)
