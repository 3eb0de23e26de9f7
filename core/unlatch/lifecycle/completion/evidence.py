"""Evidence that something changed since the last reopen of an increment, before it is completed.

A commit counts if it changes a file other than unlatch's own records, and touches the increment's
folder or names the increment or one of its items. Committing the reopen itself is no evidence. A
task or criterion counts if it was ticked since.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from unlatch.config.choices import EvidencePolicy
from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.paths import EVENTS, HOME, METADATA, SPEC, SPECWEAVE, TASKS
from unlatch.increments.files.work.amendments import work_of
from unlatch.increments.files.work.done_count import count_done
from unlatch.increments.files.work.files import files_of
from unlatch.lifecycle.activation_guard import Approval
from unlatch.project.git.history import commits_since
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.project.git.history import Commit, History
    from unlatch.project.workspace import Workspace

_RECORDS = (METADATA, EVENTS)
_DOCUMENTS = (SPEC, TASKS)
_HOMES = (HOME, SPECWEAVE)
_NUMBER = re.compile(r"([0-9]{3,9}[A-Za-z]?)-(?![0-9]{2}-[0-9]{2}-)")
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """The changes since the last reopen.

    Args:
        commits: the newest.
        ticked: the number of tasks and criteria that were ticked.
        has_git: whether commits could be read.
        is_shallow: whether the clone lacks older commits.
    """

    reopen: ReopenEntry
    commits: tuple[Commit, ...] = ()
    ticked: int = 0
    has_git: bool = True
    is_shallow: bool = False

    @property
    def is_missing(self) -> bool:
        return not (self.commits or self.ticked)


def find_evidence(workspace: Workspace, increment: Increment) -> Evidence | None:
    """The changes since the last reopen; None without a reopen, or if they do not matter."""
    entry = next((one for one in reversed(increment.reopens) if one.reverted_at is None), None)
    if entry is None or workspace.config.completion.evidence is EvidencePolicy.OFF:
        return None
    ticked = _ticked(increment, entry)
    names = _names(increment)
    place = increment.unit.place if increment.unit else increment.folder
    found = commits_since(workspace.paths.root, entry.reopened_at, below=(place,), naming=[*names])
    if found is None:
        return Evidence(entry, ticked=ticked, has_git=False)
    mine = _Mine(workspace, increment, found)
    commits = [one for one in found.commits if mine.has_work_in(one)]
    return Evidence(entry, tuple(commits[:_MOST_SHOWN]), ticked, is_shallow=found.is_shallow)


def weigh_evidence(
    workspace: Workspace,
    increment: Increment,
    evidence: Evidence | None,
    approval: Approval,
    *,
    reason: str | None,
    force: bool,
) -> Approval:
    """The approval with a warning if there is no evidence.

    Raises:
        StoreError: `evidence-missing`, if the project requires evidence.
        UsageError: `reason-missing`, if it is overridden without a reason.
    """
    if evidence is None or not evidence.is_missing:
        return approval
    error = missing_evidence(increment, evidence)
    if workspace.config.completion.evidence is EvidencePolicy.WARN:
        return Approval(forced=approval.forced, warnings=(*approval.warnings, error))
    if not force:
        raise error
    if not (reason and reason.strip()):
        message = f"{increment.id} has not changed since its reopen; --force needs a reason"
        raise UsageError("reason-missing", message, hint="add --reason TEXT")
    return Approval(forced=(*approval.forced, error.id), warnings=(*approval.warnings, error))


def evidence_warnings(workspace: Workspace, increment: Increment) -> tuple[StoreError, ...]:
    """The warning about a completion that follows an item, which needs no evidence."""
    evidence = find_evidence(workspace, increment)
    is_missing = evidence is not None and evidence.is_missing
    return (missing_evidence(increment, evidence),) if evidence and is_missing else ()


def missing_evidence(increment: Increment, evidence: Evidence) -> StoreError:
    """The error that nothing shows a change, with the steps that help."""
    day = f"{evidence.reopen.reopened_at:%Y-%m-%d}"
    found = "no task or criterion was ticked"
    if evidence.has_git:
        found = f"no commit changes or names it, and {found}"
    else:
        found = f"{found} (commits were not checked: no git repository)"
    steps = "commit the change, or tick what it finishes"
    if evidence.is_shallow:
        steps += "; this clone is shallow, and git fetch --unshallow gets the older commits"
    return StoreError(
        "evidence-missing",
        f"nothing shows a change of {increment.id} since it was reopened on {day}: {found}",
        where=increment.id,
        hint=f"{steps}; or unlatch complete {increment.id} --force --reason TEXT",
    )


def _ticked(increment: Increment, entry: ReopenEntry) -> int:
    """The number of tasks and criteria that were ticked since.

    Those that the reopen and later changes of the work unticked or added are known by their ids;
    others by the number of done marks after it.
    """
    work = work_of(increment)
    amended = [one.amendment for one in increment.amended if one.at >= entry.reopened_at]
    opened = {name.casefold() for one in amended for name in (*one.ids, *one.parts)}
    done = [one.id for one in work.tasks if one.done] + [
        one.id for one in work.spec.criteria if one.done
    ]
    again = sum(name.casefold() in opened for name in done)
    more = 0 if entry.done_work is None else count_done(increment) - entry.done_work
    return max(again, more)


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
        self._documents = frozenset(f"{self._folder}{name}" for name in files.names)

    def has_work_in(self, commit: Commit) -> bool:
        is_mine = any(name.startswith(self._folder) for name in commit.files) or any(
            pattern.search(commit.message) for pattern in self._patterns
        )
        return is_mine and any(self._work(commit.files))

    def _work(self, files: Sequence[str]) -> Iterator[str]:
        """The files that a person or an agent changed, and not unlatch when it reopened."""
        paths = [PurePosixPath(name) for name in files]
        recorded = {one.parent for one in paths if _is_record(one)}
        written = self._documents if self._record in files else frozenset()
        for name, path in zip(files, paths, strict=True):
            is_beside = path.name in _DOCUMENTS and path.parent in recorded
            if not (_is_record(path) or is_beside or name in written):
                yield name


def _is_record(path: PurePosixPath) -> bool:
    return path.name in _RECORDS and any(part in _HOMES for part in path.parts)
