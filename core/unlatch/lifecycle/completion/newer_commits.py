"""The commits since a reopen that are about its increment and changed something.

A commit is about the increment if it changes a file that unlatch does not write itself, and touches
the increment's folder or names the increment or one of its items. So committing the reopen itself,
a briefing or a session is no work. Of those, the commits count whose files differ from what they
were.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from unlatch.increments.files.paths import BRIEFING, EVENTS, HOME, METADATA, SPEC, SPECWEAVE, TASKS
from unlatch.increments.files.work.files import files_of
from unlatch.patterns import pattern
from unlatch.project.git.history import commits_after_record, commits_since, files_changed_after
from unlatch.worklog.disk.atomic import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.project.git.history import Commit, History
    from unlatch.project.workspace import Workspace

_RECORDS = (METADATA, EVENTS)
_DOCUMENTS = (SPEC, TASKS)
_HOMES = (HOME, SPECWEAVE)
# The folders in unlatch's own where it alone writes; a person changes the others, too.
_KINDS = frozenset({"efforts", "items", "local", "migrations", "runs"})
# Clocks differ; a date that is later than this proves nothing.
_AHEAD = timedelta(days=2)
_SESSION = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-.+\.md")
_NUMBER = pattern(r"([0-9]{3,9}[A-Za-z]?)-(?![0-9]{2}-[0-9]{2}-)")


def newer_commits(
    workspace: Workspace, increment: Increment, reopen: ReopenEntry
) -> History | None:
    """The commits, the newest first; None without git, or outside of a checkout."""
    root, names = workspace.paths.root, _names(increment)
    place = increment.unit.place if increment.unit else increment.folder
    history = commits_since(root, reopen.reopened_at, below=(place,), naming=[*names])
    if history is None:
        return None
    mine = _Mine(workspace, increment, history)
    work = {commit: files for commit in history.commits if (files := mine.work_in(commit))}

    def based_on_record() -> frozenset[str]:
        files = [increment.folder / name for name in _RECORDS]
        return commits_after_record(root, reopen.id, files)

    later = _later(tuple(work), reopen.reopened_at, workspace.clock(), based_on_record)
    changed = files_changed_after(root, later) if later else None
    if changed is not None:
        later = [commit for commit in later if not changed.isdisjoint(work[commit])]
    return replace(history, commits=tuple(later))


def _later(
    commits: Sequence[Commit],
    since: datetime,
    now: datetime,
    based_on_record: Callable[[], frozenset[str]],
) -> list[Commit]:
    """The commits that were made after a time.

    A date is no proof if it is before that time or in the future. Such a commit counts if it is
    based on the commit that recorded the reopen, unless it is an older one that was made anew by a
    rebase or `commit --amend`.
    """
    last = now + _AHEAD
    dated = {
        commit
        for commit in commits
        if since <= min(commit.authored, commit.committed) and _most(commit) <= last
    }
    left = {
        commit
        for commit in commits
        if commit not in dated and not commit.authored < since <= commit.committed
    }
    based = based_on_record() if left else frozenset()
    return [
        commit for commit in commits if commit in dated or (commit in left and commit.id in based)
    ]


def _most(commit: Commit) -> datetime:
    return max(commit.authored, commit.committed)


def _names(increment: Increment) -> dict[str, re.Pattern[str]]:
    """Words in a message that mean an increment, with the pattern that each has to match."""
    words = {increment.id: rf"(?<!\w){re.escape(increment.id)}(?!\w)"}
    if label := _NUMBER.match(increment.id):
        words[label[1]] = rf"(?<!\w){re.escape(label[1])}(?!\w)"
        number = label[1].lstrip("0")
        words[f"increment {number}"] = rf"increment {re.escape(number)}(?!\w)"
    for link in increment.links:
        if link.item.isdecimal():
            words[f"#{link.item}"] = rf"#{link.item}(?![0-9])"
        else:
            words[link.item] = rf"(?<![\w-]){re.escape(link.item)}(?![\w-])"
        if link.url:
            words[link.url] = rf"{re.escape(link.url)}(?![\w/-])"
    return {word: re.compile(pattern, re.IGNORECASE) for word, pattern in words.items() if word}


class _Mine:
    """The commits that are about one increment."""

    def __init__(self, workspace: Workspace, increment: Increment, history: History) -> None:
        root, files = workspace.paths.root, files_of(increment)
        self._patterns = _names(increment).values()
        self._folder = f"{history.prefix}{files.place.relative_to(root).as_posix()}/"
        self._record = f"{history.prefix}{increment.folder.relative_to(root).as_posix()}/{METADATA}"
        self._sessions = PurePosixPath(history.prefix, workspace.config.sessions.path)
        self._documents = frozenset(f"{self._folder}{name}" for name in files.names)

    def work_in(self, commit: Commit) -> tuple[str, ...]:
        """The files of a commit that count as work on the increment."""
        is_mine = any(name.startswith(self._folder) for name in commit.files) or any(
            word.search(commit.message) for word in self._patterns
        )
        return tuple(self._work(commit.files)) if is_mine else ()

    def _work(self, files: Sequence[str]) -> Iterator[str]:
        """The files that a person or an agent changed, and not unlatch when it reopened."""
        paths = [PurePosixPath(name) for name in files]
        recorded = {path.parent for path in paths if _is_record(path)}
        written = self._documents if self._record in files else frozenset()
        for name, path in zip(files, paths, strict=True):
            is_beside = path.name in _DOCUMENTS and path.parent in recorded
            if not (self._is_own(path) or is_beside or name in written):
                yield name

    def _is_own(self, path: PurePosixPath) -> bool:
        """Whether unlatch writes the file, so that it shows no work of anybody."""
        is_log = path.parent == self._sessions and _SESSION.fullmatch(path.name)
        return bool(is_log) or _is_record(path) or _is_beside_records(path)


def _is_record(path: PurePosixPath) -> bool:
    return path.name in _RECORDS and any(part in _HOMES for part in path.parts)


def _is_beside_records(path: PurePosixPath) -> bool:
    """Whether it is a briefing, an unfinished write, or a file of another kind of work."""
    at = next((place for place, part in enumerate(path.parts) if part in _HOMES), None)
    if at is None:
        return False
    inside = path.parts[at + 1 :]
    return path.name.startswith(BRIEFING) or path.name.endswith(UNFINISHED) or inside[0] in _KINDS
