"""The commits of a branch, for the readers of causes."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import StoreError
from unlatch.project.git.run import ask_git, run_git
from unlatch_regressions.branch.patches import Patch, read_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


_FIELDS = "%H%x00%P%x00%ae %at%x00%ct%x00%B%x00"
# git takes long to tell trailers from other lines, and few messages have this one.
_TRAILERS, _REOPENS = "%H%x00%(trailers:key=Reopens,valueonly,unfold)%x00", "reopens"
_PLAIN = ("--no-color", "--no-notes", "--no-mailmap", "--encoding=UTF-8", "--no-show-signature")
_DIFF = (
    *("--patch", "--unified=3", "--inter-hunk-context=0", "--full-index", "--no-renames"),
    *("--no-relative", "--diff-merges=first-parent", "--src-prefix=a/", "--dst-prefix=b/"),
)
# Those that the clone has; ids from files may look like options.
_THESE = ("--no-walk=unsorted", "--ignore-missing", "--end-of-options")
# Of a command line; each id takes 41 bytes.
_AT_ONCE = 500
# A history of a million commits takes git half a minute.
_SECONDS = 120.0
# git's description of a content: its type and its size.
_OF_CONTENT = 2
# In place of the content of a file that a commit deletes.
_DELETED = frozenset("0")


class HistoryMissing(StoreError):
    """The clone lacks older commits, so nothing can be said of what they did."""

    exit_code = 5


class Commit(NamedTuple):
    """A commit.

    Args:
        authored: the author and the time, which a rebase, a cherry-pick and an amendment keep.
        seconds: when it was made, since 1970, as git prints it.
        reopens: the values of its trailers `Reopens`.
    """

    id: str
    parents: tuple[str, ...]
    authored: str
    seconds: str
    reopens: tuple[str, ...]
    message: str

    @property
    def at(self) -> datetime:
        """When it was made; a time that no calendar has is long ago."""
        try:
            return datetime.fromtimestamp(int(self.seconds), UTC)
        except (ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(0, UTC)

    @property
    def subject(self) -> str:
        return next(iter(self.message.splitlines()), "")


def require_history(root: Path) -> None:
    """Make sure that git has all commits.

    Raises:
        HistoryMissing: `history-missing`, in a shallow clone, or where git cannot tell.
    """
    if ask_git(root, "rev-parse", "--is-shallow-repository") != "false":
        is_checkout = ask_git(root, "rev-parse", "--git-dir") is not None
        raise HistoryMissing(
            "history-missing",
            "this clone has only the newest commits, so reverts cannot be told"
            if is_checkout
            else "this is no git repository, so reverts cannot be told",
            where=str(root),
            hint="git fetch --unshallow" if is_checkout else "use a clone of the repository",
        )


def commit_ids(root: Path, names: Iterable[str]) -> dict[str, str]:
    """The whole ids of commits by the beginnings of their ids, in hexadecimal digits.

    A branch or tag with such a name does not count.
    """
    asked = [*dict.fromkeys(names)]
    fed = "".join(f"{name}^{{commit}}\n" for name in asked).encode()
    answer = run_git(root, "cat-file", "--batch-check=%(objectname)", fed=fed) if asked else b""
    # What git does not have, or has twice, is repeated with a word behind it.
    answers = _listed(root, answer).decode().splitlines()
    return {
        name: whole
        for name, whole in zip(asked, answers, strict=False)
        if whole.startswith(name) and "^" not in whole
    }


def list_commits(root: Path, tips: Iterable[str]) -> list[Commit]:
    """The commits of some branches, each after its parents.

    Raises:
        HistoryMissing: `history-missing`, if git cannot list them.
    """
    return _log(root, "--topo-order", "--reverse", "--end-of-options", *tips, "--")


def commits_by_id(root: Path, ids: Iterable[str]) -> dict[str, Commit]:
    """Commits that this clone has."""
    return {
        commit.id: commit for part in _parts(ids) for commit in _log(root, *_THESE, *part, "--")
    }


def brought_by(root: Path, merge: Commit, kept: str) -> frozenset[str]:
    """The commits that a merge brought to the parent that a revert keeps."""
    listed = run_git(root, "rev-list", merge.id, f"^{kept}", "--")
    return frozenset(_listed(root, listed).decode().split())


def patches_of(root: Path, ids: Iterable[str]) -> Mapping[str, Patch]:
    """What commits changed; a merge is compared with its first parent."""
    patches = {}
    for part in _parts(ids):
        arguments = (*_DIFF, *_THESE, *part, "--")
        for entry in _entries(root, "%H%x00", *arguments):
            name, _, diff = entry.partition(b"\0")
            patches[name.decode()] = read_patch(diff.lstrip(b"\n").split(b"\n"))
    return patches


def changed_lines_of(
    root: Path, ids: Iterable[str], paths: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The diffs of commits, without context and without merges, of files like these."""
    patterns = [f":(top,glob)**/{path}" for path in paths]
    options = (*_DIFF, "--unified=0", "--diff-merges=off")
    for part in _parts(ids):
        for entry in _entries(root, "%H%x00", *options, *_THESE, *part, "--", *patterns):
            name, _, diff = _text(entry).partition("\0")
            yield name, diff


def trailers_of(root: Path, ids: Iterable[str], key: str) -> Iterator[tuple[str, list[str]]]:
    """The values of a trailer in the messages of commits."""
    fields = f"%H%x00%(trailers:key={key},valueonly,unfold)"
    for part in _parts(ids):
        for entry in _entries(root, fields, "--no-patch", *_THESE, *part, "--"):
            name, _, values = _text(entry).partition("\0")
            yield name, values.splitlines()


def files_of(root: Path, ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """The files that commits changed; a merge is compared with its first parent."""
    return {
        name: frozenset(file for file, _ in files)
        for part in _parts(ids)
        for name, files in _raw(root, *_THESE, *part, "--")
    }


def commits_changing(
    root: Path, tips: Iterable[str], folders: Iterable[str]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The commits of some branches that changed something below these folders, the newest first.

    Returns:
        Each with all files that it changed, and the id of the content after it.
    """
    yield from _raw(root, "--topo-order", "--full-diff", *tips, "--", *folders)


def contents_of(root: Path, ids: Iterable[str]) -> Mapping[str, bytes]:
    """The contents of files by their ids; a deleted file has none.

    Raises:
        HistoryMissing: `history-missing`, where the clone left some out.
    """
    asked = [name for name in dict.fromkeys(ids) if not _DELETED.issuperset(name)]
    fed = "".join(f"{name}\n" for name in asked).encode()
    answer = run_git(root, "cat-file", "--batch", fed=fed, seconds=_SECONDS) if asked else b""
    contents: dict[str, bytes] = {}
    at = 0
    while answer and at < len(answer):
        end = answer.index(b"\n", at)
        name, *described = answer[at:end].decode().split()
        at = end + 1
        if len(described) == _OF_CONTENT:
            size = int(described[1])
            contents[name] = answer[at : at + size]
            at += size + 1
    if len(contents) < len(asked):
        message = "this clone lacks earlier versions of files, so it cannot be told what they said"
        hint = "use a clone without --filter"
        raise HistoryMissing("history-missing", message, where=str(root), hint=hint)
    return contents


def _raw(root: Path, *query: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    options = ("-z", "--raw", "--no-renames", "--no-abbrev", "--diff-merges=first-parent")
    for entry in _entries(root, "%H%x00", *options, *query):
        name, *parts = entry.split(b"\0")
        # A line with modes, ids and a letter, then the name of the file.
        begins = next((at for at, part in enumerate(parts) if part.startswith(b"\n:")), len(parts))
        described, named = parts[begins::2], parts[begins + 1 :: 2]
        files = zip(named, described, strict=False)
        yield name.decode(), [(_text(file), _text(about).split()[3]) for file, about in files]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    names = [*dict.fromkeys(ids)]
    for start in range(0, len(names), _AT_ONCE):
        yield names[start : start + _AT_ONCE]


def _log(root: Path, *query: str) -> list[Commit]:
    commits = []
    for entry in _entries(root, _FIELDS, "--no-patch", *query):
        name, parents, authored, seconds, message, _ = _text(entry).split("\0")
        commits.append(Commit(name, tuple(parents.split()), authored, seconds, (), message))
    telling = [commit.id for commit in commits if _REOPENS in commit.message.lower()]
    if not telling:
        return commits
    values = dict(_trailers(root, telling))
    return [commit._replace(reopens=values.get(commit.id, ())) for commit in commits]


def _trailers(root: Path, ids: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in _parts(ids):
        for entry in _entries(root, _TRAILERS, "--no-patch", *_THESE, *part, "--"):
            name, values, _ = _text(entry).split("\0")
            yield name, tuple(values.split("\n")[:-1])


def _entries(root: Path, fields: str, *arguments: str) -> list[bytes]:
    # No message can contain it, so none can pass for the next commit.
    token = os.urandom(16).hex()
    listed = run_git(
        root, "log", f"--format={token}{fields}", *_PLAIN, *arguments, seconds=_SECONDS
    )
    return _listed(root, listed).split(token.encode())[1:]


def _listed(root: Path, answer: bytes | None) -> bytes:
    """What git answered; HistoryMissing where it could not."""
    if answer is None:
        message = "git cannot read the commits"
        raise HistoryMissing("history-missing", message, where=str(root), hint="git fsck")
    return answer
