"""Find the finished work of a project, and the commits that made it, from git alone.

A commit made the work if it came before the completion, changed a file outside of the folders of
increments, and

- its message names the increment's folder, a linked Jira issue, or an address of a linked item, or
  closes an item in words that the hosts understand (`Fixes #4`, `AB#12`), or
- it also changed that increment's folder, and no other one's, or
- a commit of the main line merged it whose message does so.

Reverts are no work: their messages repeat those of others. Neither are merges of the default branch
into another one: what they changed was made elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.increments.files.metadata_file import completion_keys, times_in
from unlatch.increments.files.paths import HOME, METADATA, SPECWEAVE
from unlatch.increments.model.status import Status, read_status
from unlatch.project.git.run import run_git
from unlatch.worklog.json_text import json_object
from unlatch_regressions.branch.commits import commits_changing, contents_of
from unlatch_regressions.branch.messages import says_revert
from unlatch_regressions.recorded import recorded_of
from unlatch_regressions.request import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch_regressions.branch.history import History
    from unlatch_regressions.names import Names


class FinishedWork(NamedTuple):
    """The increments that were completed at least once, by their ids.

    Args:
        bookkeeping: the commits that changed nothing but the records of increments.
    """

    work: Mapping[str, Work]
    bookkeeping: frozenset[str] = frozenset()


def finished_work(
    root: Path, increments: Sequence[Increment], history: History, names: Names
) -> FinishedWork:
    """Find finished work, and the commits that made it."""
    finished = {increment.id: increment for increment in increments if _was_completed(increment)}
    if not finished:
        return FinishedWork({})
    records = _Records(root, history, increments)
    completions = {name: records.completion(increment) for name, increment in finished.items()}
    before = history.ancestors(of=filter(None, completions.values()))
    made = defaultdict[str, set[str]](set)
    for commit, name in _about(history, records, names):
        if name in finished and (
            before.has(commit, of=completions[name])
            if completions[name]
            else history.is_earlier(commit, finished[name].completed_at)
        ):
            made[name].add(commit)
    work = {
        name: Work(
            increment,
            frozenset(made[name]),
            completions[name],
            records.guards(increment),
            recorded_of(increment),
            records.last_reopen(increment),
        )
        for name, increment in finished.items()
    }
    return FinishedWork(work, frozenset(records.bookkeeping))


def _guards_in(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the tests in a metadata.json; what is no list of texts counts as none."""
    names = data.get("guards")
    return tuple(filter(_is_text, names)) if isinstance(names, list) else ()


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _was_completed(increment: Increment) -> bool:
    last = next(reversed(increment.reopens), None)
    return increment.status is Status.COMPLETED or (
        last is not None and not increment.status.is_finished
    )


def _about(history: History, records: _Records, names: Names) -> Iterator[tuple[str, str]]:
    """Commits with the increments that they are about; of one commit maybe several."""
    merged = defaultdict[str, set[str]](set)
    for commit in history.commits:
        if says_revert(commit.message):
            continue
        named = names.in_message(commit.message)
        about = named | records.folder_of(commit.id)
        if about and len(commit.parents) > 1 and commit.id in history.updates:
            continue
        if about and commit.id not in records.bookkeeping:
            yield from ((commit.id, name) for name in about)
        if len(commit.parents) > 1 and named:
            merged[commit.id].update(named)
    for brought, merge in history.merged_by.items() if merged else ():
        if brought not in records.bookkeeping and brought not in history.updates:
            yield from ((brought, name) for name in merged.get(merge, ()))


class _Records:
    """The commits that changed the folders of increments.

    Attributes:
        bookkeeping: those that changed nothing else.
    """

    def __init__(self, root: Path, history: History, increments: Sequence[Increment]) -> None:
        self.bookkeeping: set[str] = set()
        self._folders: dict[str, frozenset[str]] = {}
        self._versions = defaultdict[str, list[tuple[str, str]]](list)
        self._root = root
        prefix = (run_git(root, "rev-parse", "--show-prefix") or b"").decode("utf-8", "replace")
        self._units = {
            increment.unit.place.relative_to(root).as_posix(): increment.id
            for increment in increments
            if increment.unit and increment.unit.place.is_relative_to(root)
        }
        self._tip = history.branch
        self._default = history.ancestors(of=[self._tip])
        homes = (HOME, SPECWEAVE, *self._units)
        for commit, files in commits_changing(root, history.tips, homes):
            self._add(commit, [(f.removeprefix(prefix.rstrip("\n")), blob) for f, blob in files])

    def _add(self, commit: str, files: Sequence[tuple[str, str]]) -> None:
        owners = set[str]()
        is_work = False
        for file, blob in files:
            owner = self._owner(file)
            if owner is None:
                is_work = True
            elif owner:
                owners.add(owner)
                if file.endswith(f"/{owner}/{METADATA}"):
                    self._versions[owner].append((commit, blob))
        if not is_work:
            self.bookkeeping.add(commit)
        elif len(owners) == 1:
            self._folders[commit] = frozenset(owners)

    def _owner(self, file: str) -> str | None:
        """The increment in whose folder a file is; "" for other records, None for other files."""
        for place, name in self._units.items():
            if file == place or file.startswith(f"{place}/"):
                return name
        home, *folders = file.split("/")[:-1] or [""]
        if home not in (HOME, SPECWEAVE):
            return None
        # Archives begin with an underscore; a folder may be gone since.
        return next((folder for folder in folders[1:] if not folder.startswith("_")), "")

    def folder_of(self, commit: str) -> frozenset[str]:
        """The increment whose folder alone a commit changed, beside other files."""
        return self._folders.get(commit, frozenset())

    def completion(self, increment: Increment) -> str:
        """The commit that completed an increment last; "" if none shows that."""
        at = _completed_at(increment)
        return self._first(increment, lambda data: _is_completed(data, at))

    def last_reopen(self, increment: Increment) -> str:
        """The commit that recorded its last reopen; "" if none does."""
        if not increment.reopens:
            return ""
        last = increment.reopens[-1].id
        return self._first(increment, lambda data: last in _reopens_in(data))

    def _first(self, increment: Increment, holds: Callable[[Mapping[str, Any]], bool]) -> str:
        """The first of the last versions in a row that something is true of; "" without any."""
        first = ""
        for commit, blob in self._versions.get(increment.id, ()):
            if holds(self._data(blob)):
                first = commit
            elif first:
                break
        return first

    def guards(self, increment: Increment) -> tuple[str, ...]:
        """The names of the tests that guard it by the default branch's last version."""
        for commit, blob in self._versions.get(increment.id, ()):
            if self._default.has(commit, of=self._tip):
                return _guards_in(self._data(blob))
        return ()

    def _data(self, blob: str) -> Mapping[str, Any]:
        """The content of a version of metadata.json; empty if it is no JSON object."""
        return json_object(self._contents.get(blob, b""))

    @cached_property
    def _contents(self) -> Mapping[str, bytes]:
        blobs = (blob for versions in self._versions.values() for _, blob in versions)
        return contents_of(self._root, blobs)


def _completed_at(increment: Increment) -> str | None:
    """The time of the last completion, as the file has it."""
    if increment.status is Status.COMPLETED:
        return next(iter(_times(increment.data)), None)
    return increment.reopens[-1].previous_completed_at


def _is_completed(data: Mapping[str, Any], at: str | None) -> bool:
    """Whether a metadata.json has the completion of this time."""
    status = read_status(str(data.get("status")))
    return status is Status.COMPLETED and at in (None, *_times(data))


def _reopens_in(data: Mapping[str, Any]) -> frozenset[object]:
    """The ids of the reopens in a metadata.json."""
    entries = data.get("reopenHistory")
    listed = entries if isinstance(entries, list) else []
    return frozenset(str(entry.get("id")) for entry in listed if isinstance(entry, dict))


def _times(data: Mapping[str, Any]) -> Iterator[str]:
    keys = times_in(data, completion_keys(Status.COMPLETED))
    return (data[key] for key in keys if data[key])
