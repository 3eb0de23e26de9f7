"""The default branch as this clone has it: its commits, and which of them has which others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from unlatch_regressions.branch.commits import Commit, list_commits, require_history

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path


class Ancestors:
    """Whether commits of a branch are ancestors of some of its commits.

    Args:
        commits: all of the branch, each after its parents.
        of: the ids of the commits whose ancestors are asked for.
    """

    def __init__(self, commits: Sequence[Commit], of: Iterable[str]) -> None:
        self._bits = {name: 1 << number for number, name in enumerate(dict.fromkeys(of))}
        self._had_by = dict(self._bits)
        for commit in reversed(commits) if self._bits else ():
            if bits := self._had_by.get(commit.id, 0):
                for parent in commit.parents:
                    self._had_by[parent] = self._had_by.get(parent, 0) | bits

    def has(self, name: str, *, of: str) -> bool:
        """Whether `name` is the commit `of`, or an ancestor of it."""
        return bool(self._had_by.get(name, 0) & self._bits.get(of, 0))


class History:
    """The commits of a branch.

    Args:
        branch: a commit, or a reference.
        more: others whose commits are read, too, as of a pull request.
    """

    def __init__(self, root: Path, branch: str, *more: str) -> None:
        self.root, self.branch = root, branch
        self.tips = (branch, *more)

    @cached_property
    def commits(self) -> Sequence[Commit]:
        """All commits, each after its parents.

        Raises:
            HistoryMissing: `history-missing`, in a shallow clone or outside of a repository.
        """
        require_history(self.root)
        return list_commits(self.root, self.tips)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The places of the commits in `commits`."""
        return {commit.id: place for place, commit in enumerate(self.commits)}

    def find(self, name: str) -> Commit | None:
        """A commit of the branch by its whole id."""
        place = self.index.get(name)
        return None if place is None else self.commits[place]

    def is_earlier(self, name: str, moment: datetime | None) -> bool:
        """Whether a commit of the branch is dated before a time."""
        commit = self.find(name)
        return commit is not None and moment is not None and commit.at <= moment

    def ancestors(self, *, of: Iterable[str]) -> Ancestors:
        """The ancestors of some commits, in one pass through the history."""
        return Ancestors(self.commits, of)

    @cached_property
    def merged_by(self) -> Mapping[str, str]:
        """The commit of the main line that brought each other commit to the branch.

        The main line are the first parents from the last commit on; each of them brought itself.
        """
        merged: dict[str, str] = {}
        for commit in reversed([*self._main_line()]):
            waiting = [commit.id]
            while waiting:
                name = waiting.pop()
                brought = self.find(name)
                if brought is not None and name not in merged:
                    merged[name] = commit.id
                    waiting += brought.parents
        return merged

    @cached_property
    def updates(self) -> frozenset[str]:
        """The merges on other lines that took in commits which the main line had before.

        What such a merge changed is not the work of its line ("Update branch" of the hosts).
        """
        if not any(self._is_merge(name) for name in self.merged_by):
            return frozenset()
        place = {commit.id: place for place, commit in enumerate(reversed([*self._main_line()]))}
        # The last commit of the main line that each commit has.
        last: dict[str, int] = {}
        updates = set[str]()
        for commit in self.commits:
            ours, *theirs = [last.get(name, -1) for name in commit.parents] or [-1]
            last[commit.id] = place.get(commit.id, max(ours, *theirs) if theirs else ours)
            if theirs and commit.id not in place:
                merge = self.merged_by.get(commit.id)
                is_same = all(self.merged_by.get(name) == merge for name in commit.parents[1:])
                if max(theirs) > ours or not is_same:
                    updates.add(commit.id)
        return frozenset(updates)

    def _is_merge(self, name: str) -> bool:
        commit = self.find(name)
        return commit is not None and len(commit.parents) > 1

    def _main_line(self) -> Iterable[Commit]:
        last = self.commits[-1] if self.commits else None
        commit = self.find(self.branch) or last
        while commit is not None:
            yield commit
            commit = self.find(commit.parents[0]) if commit.parents else None
