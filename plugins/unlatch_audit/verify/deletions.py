"""Find records that were deleted or rewritten, by git's history of a project or by a gap."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import StoreError
from unlatch.increments.files.former import ids_in, recorded_ids
from unlatch.increments.files.paths import EVENTS, METADATA
from unlatch.increments.records.status_events import LOG
from unlatch.project.git.run import ask_git, has_repository, run_git
from unlatch.project.git.sparse import sparse_files
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import HOMES
from unlatch.worklog.ids import FOLDER
from unlatch_audit.verify.results import (
    Check,
    Part,
    Verdict,
    VerifiedEntry,
    VerifiedIncrement,
    differs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.project.workspace import Workspace

# git reads all commits that changed a record.
_SECONDS = 120.0
_ROOTS = (f"{HOMES[0]}/increments", f"{HOMES[0]}/items", f"{HOMES[1]}/increments")
_PLAIN = (
    "--full-history",
    # What a merge dropped is in none of its parents' changes.
    "--diff-merges=separate",
    "--no-renames",
    "--relative",
    "--no-color",
    "--no-notes",
    "--no-mailmap",
    "--encoding=UTF-8",
)
_SHORT = 10
# The name of what git's history as a whole keeps from being checked.
GIT = "git"


class Lost(NamedTuple):
    """What verification finds beside the increments and items that are there.

    Attributes:
        deleted: records that git's history has and that are gone, or whose events are.
        gaps: numbers that no increment has ("0003", "0005-0007").
    """

    deleted: tuple[VerifiedIncrement, ...]
    gaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """A commit that deleted records, or lines of their events."""

    commit: str
    at: datetime
    by: str

    def entry(self, id_: str, what: str) -> VerifiedEntry:
        text = f"commit {self.commit[:_SHORT]} {what}"
        return VerifiedEntry("", "file", self.at, self.by, (differs(Part.RECORD, id_, text),))


class _Present:
    """The records in the checkout."""

    def __init__(self, workspace: Workspace) -> None:
        self.names: set[str] = set()
        # Whose logs cannot be read, which is reported with the record.
        self.unread: set[str] = set()
        self._events: dict[str, list[Mapping[str, object]]] = {}
        for manager in (workspace.manager, workspace.beside):
            for folder in manager.collection.folders():
                self.names |= {folder.name, *recorded_ids(folder.path)}
                try:
                    events = LOG.read(folder.path)
                except StoreError:
                    self.unread.add(folder.name)
                    continue
                for event in events:
                    self.add(event.raw)
        folders = workspace.manager.collection.folders()
        matches = (FOLDER.fullmatch(folder.name) for folder in folders)
        self.numbers: set[int] = {int(match["number"]) for match in matches if match}

    def add(self, event: Mapping[str, object]) -> None:
        self._events.setdefault(str(event.get("id")), []).append(event)

    def has(self, event: Mapping[str, object]) -> bool:
        return event in self._events.get(str(event.get("id")), ())


def find_lost(workspace: Workspace) -> Lost:
    """Compare a project's records with git's history of the present branch, and with each other."""
    root, present = workspace.paths.root, _Present(workspace)
    gaps = _gaps(present.numbers)
    if not has_repository(root):
        return Lost((), gaps)
    is_shallow = ask_git(root, "rev-parse", "--is-shallow-repository")
    if is_shallow and ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return Lost((), gaps)  # no commit yet
    _add_sparse(root, present)
    deleted = _find_deleted(root, present) if is_shallow else None
    if deleted is None:
        text = "git cannot read the history of the records, as in a partial clone"
        return Lost((_unchecked("history-unread", text),), gaps)
    if is_shallow != "false":
        text = "this clone lacks older commits, which may delete records (git fetch --unshallow)"
        deleted = (*deleted, _unchecked("history-cut", text))
    return Lost(deleted, gaps)


def _add_sparse(root: Path, present: _Present) -> None:
    """Count what git keeps out of a sparse checkout as present."""
    for place in _ROOTS:
        blobs = {
            path: blob
            for path, blob in sparse_files(root, root / place).items()
            if not os.path.lexists(root / path)
        }
        present.names |= {PurePosixPath(path).parent.name for path in blobs}
        logs = [blob for path, blob in blobs.items() if PurePosixPath(path).name == EVENTS]
        for content in _contents(root, logs):
            for line in _lines(content or ""):
                if event := LOG.parse(line):
                    present.add(event.raw)


def _gaps(numbers: set[int]) -> tuple[str, ...]:
    """The ranges of numbers that are missing; none if numbers are not given one after another."""
    missing = [number for number in range(1, max(numbers, default=0)) if number not in numbers]
    if len(numbers) >= len(missing):
        ranges = groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0])
        ends = [[number for _, number in group] for _, group in ranges]
        return tuple(
            f"{numbered[0]:04}-{numbered[-1]:04}" if len(numbered) > 1 else f"{numbered[0]:04}"
            for numbered in ends
        )
    return ()


def _unchecked(id_: str, text: str) -> VerifiedIncrement:
    check = Check(Part.RECORD, Verdict.UNCHECKED, id_, text)
    return VerifiedIncrement(GIT, (VerifiedEntry("", "file", None, None, (check,)),))


def _find_deleted(root: Path, present: _Present) -> tuple[VerifiedIncrement, ...] | None:
    """The records that are gone, and those that lost events; None if git cannot tell."""
    gone = _deletions(root)
    rewritten = _removed_lines(root)
    now = _uncommitted(root)
    if gone is None or rewritten is None or now is None:
        return None
    entries: dict[str, list[VerifiedEntry]] = {}
    gone = {path: last for path, last in gone.items() if path.parent.name not in present.names}
    contents = _contents(root, [blob for _, blob in gone.values()])
    for (path, (change, _)), content in zip(gone.items(), contents, strict=True):
        # A folder that was renamed, and renamed again, has the same id in its file.
        if not ids_in(content or "") & present.names:
            entries.setdefault(path.parent.name, [change.entry("record-deleted", "deleted it")])
    head, names, lines = now
    for name in sorted(names - present.names - entries.keys()):
        entries[name] = [head.entry("record-deleted", "has it; it was deleted since")]
    others = frozenset(entries) | present.unread
    for change, name, line in (*rewritten, *((head, *pair) for pair in lines)):
        event = LOG.parse(line)
        if event is None or name in others or present.has(event.raw):
            continue
        word = f"the event {LOG.word(event)} {event.id}"
        what = f"has {word}; it was removed or rewritten since"
        if change is not head:
            what = f"removed or rewrote {word}"
        entries.setdefault(name, []).append(change.entry("event-removed", what))
        present.add(event.raw)  # each is named once, by its last change
    return tuple(VerifiedIncrement(name, tuple(entries)) for name, entries in entries.items())


def _log(root: Path, *query: str) -> list[tuple[_Change, bytes]] | None:
    """The commits that git names, the newest first, each with what it prints of it.

    Merges come last: they repeat the changes of each side to the other.
    """
    # No text can contain it, so none can pass for the next commit.
    token = os.urandom(16).hex().encode()
    form = f"--format={token.decode()}%H%x00%P%x00%at%x00%an%x00"
    listed = run_git(root, "log", form, *_PLAIN, *query, seconds=_SECONDS)
    if listed is None:
        return None
    commits, merges = list[tuple[_Change, bytes]](), list[tuple[_Change, bytes]]()
    for entry in listed.split(token)[1:]:
        commit, parents, at, by, rest = entry.split(b"\0", 4)
        change = _Change(commit.decode(), _time(at), by.decode("utf-8", "replace"))
        (merges if b" " in parents else commits).append((change, rest))
    return commits + merges


def _time(seconds: bytes) -> datetime:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _deletions(root: Path) -> dict[PurePosixPath, tuple[_Change, str]] | None:
    """The last commit that deleted each metadata.json, and the blob that was there, by its path."""
    log = _log(root, "--diff-filter=D", "--raw", "--no-abbrev", "-z", "--", *_ROOTS)
    if log is None:
        return None
    deletions: dict[PurePosixPath, tuple[_Change, str]] = {}
    for change, listed in log:
        parts = os.fsdecode(listed).lstrip("\0\n").split("\0")
        for about, text in zip(parts[::2], parts[1::2], strict=False):
            path = PurePosixPath(text)
            if path.name == METADATA:
                deletions.setdefault(path, (change, about.split()[2]))
    return deletions


def _removed_lines(root: Path) -> list[tuple[_Change, str, str]] | None:
    """The lines that commits removed from logs of events, with the names of their records."""
    places = [f":(glob){place}/**/{EVENTS}" for place in _ROOTS]
    log = _log(root, "--diff-filter=DMT", "--patch", "--text", "--unified=0", "--", *places)
    if log is None:
        return None
    return [
        (change, name, line)
        for change, patch in log
        for name, line in _removed_in(_lines(patch.decode("utf-8", "replace")))
    ]


def _removed_in(patch: Sequence[str]) -> Iterator[tuple[str, str]]:
    name, is_header = "", False
    for line in patch:
        if line.startswith(("diff --git ", "@@ ")):
            is_header = line.startswith("diff")
        elif is_header and line.startswith("--- "):  # else it is a removed line "-- "
            name = PurePosixPath(_unquoted(line.removeprefix("--- ").rstrip("\t"))).parent.name
        elif line.startswith("-{"):
            yield name, line[1:]


def _unquoted(path: str) -> str:
    """A path that git quotes as a string of C if it has signs beyond ASCII."""
    if not path.startswith('"'):
        return path
    raw = path.strip('"').encode("latin-1", "backslashreplace").decode("unicode_escape")
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")


def _uncommitted(root: Path) -> tuple[_Change, set[str], list[tuple[str, str]]] | None:
    """The last commit, the names of its records, and the lines of their events."""
    last = _log(root, "--max-count=1", "--no-patch")
    listed = run_git(root, "ls-tree", "-r", "-z", "HEAD", "--", *_ROOTS, seconds=_SECONDS)
    if not last or listed is None:
        return None
    entries = (text.partition("\t") for text in os.fsdecode(listed).split("\0") if text)
    blobs = {PurePosixPath(path): about.split()[2] for about, _, path in entries}
    logs = {path: blob for path, blob in blobs.items() if path.name == EVENTS}
    contents = _contents(root, [*logs.values()])
    if None in contents:
        return None
    lines = [
        (path.parent.name, line)
        for path, content in zip(logs, contents, strict=True)
        for line in _lines(content or "")
    ]
    names = {path.parent.name for path in blobs if path.name == METADATA}
    return last[0][0], names, lines


def _contents(root: Path, blobs: Sequence[str]) -> list[str | None]:
    """The contents of blobs, in this order; None for one that git cannot read."""
    fed = "".join(f"{blob}\n" for blob in blobs).encode()
    left = run_git(root, "cat-file", "--batch", fed=fed, seconds=_SECONDS) if blobs else b""
    contents: list[str | None] = []
    while left:
        head, _, left = left.partition(b"\n")
        size = head.rpartition(b" ")[2]
        if not size.isdigit():
            contents.append(None)
            continue
        end = int(size)
        contents.append(left[:end].decode("utf-8", "replace"))
        left = left[end + 1 :]
    return contents if len(contents) == len(blobs) else [None] * len(blobs)


def _lines(text: str) -> list[str]:
    """Lines as git and events.jsonl have them; `splitlines` also ends one within a reason."""
    return text.split("\n")
