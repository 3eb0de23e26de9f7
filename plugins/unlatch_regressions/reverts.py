"""Commits that revert finished work, and are not reverted themselves.

A message makes a commit a candidate. What it names counts if the branch has that commit and both
change a common file; a commit that the branch does not have (rebased, squashed) is recognised by
its patch. A candidate also reverts what it undoes and does not name, as `git revert --no-commit` of
several commits writes it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from unlatch_regressions.cause import Cause
from unlatch_regressions.commits import (
    Commit,
    ancestors,
    brought_by,
    commit_ids,
    commits_between,
    commits_by_id,
    commits_naming,
    patches_of,
    require_history,
)
from unlatch_regressions.messages import reverted_commits, reverted_pulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch_regressions.messages import Reverted
    from unlatch_regressions.patches import Patch

# Before all commits that are looked at.
_EARLIER = -1
# Subjects of the merge or squash of a pull request on GitHub, and on Azure DevOps.
_ENDS = "(#{0})"
_BEGINS = ("Merge pull request #{0} ", "Merged PR {0}:")


def revert_causes(
    root: Path, work: Iterable[str], *, since: str | None, branch: str
) -> list[Cause]:
    """The reverts of the work's commits that hold at the end of a branch, the oldest first.

    Args:
        work: the ids of the commits of finished work.
        since: the commit that completed it: what was reverted before is no news.

    Raises:
        HistoryMissing: the clone is shallow, or git cannot list the commits.
    """
    require_history(root)
    commits = commits_between(root, since, branch)
    candidates = [commit for commit in commits if _is_candidate(commit)]
    done = commits_by_id(root, work) if candidates else {}
    if not done:
        return []
    read = _Branch(root, branch, done, commits, candidates)
    broken: dict[str, list[str]] = defaultdict(list)
    for name, revert in read.last_reverts():
        broken[revert].append(name)
    return [
        Cause("revert", tuple(sorted(broken[commit.id])), commit.id, commit.at, commit.subject)
        for commit in candidates
        if commit.id in broken
    ]


def _is_candidate(commit: Commit) -> bool:
    # Of thousands of messages, few have the word.
    message = commit.message
    return "everts" in message and any((*reverted_commits(message), *reverted_pulls(message)))


def _is_of_pull(commit: Commit, number: int) -> bool:
    begins = tuple(begin.format(number) for begin in _BEGINS)
    return commit.subject.startswith(begins) or commit.subject.endswith(_ENDS.format(number))


class _Branch:
    """The commits of a branch that revert others, with the commits that they may revert."""

    def __init__(
        self,
        root: Path,
        branch: str,
        work: Mapping[str, Commit],
        commits: Sequence[Commit],
        candidates: Sequence[Commit],
    ) -> None:
        self._root, self._branch, self._work, self._candidates = root, branch, work, candidates
        self._index = {commit.id: at for at, commit in enumerate(commits)}
        messages = {commit.id: [*reverted_commits(commit.message)] for commit in candidates}
        names = (name for named in messages.values() for name in self._names(named))
        self._ids = commit_ids(root, names)
        self._named = {
            candidate.id: [*self._find_named(candidate, messages[candidate.id])]
            for candidate in candidates
        }
        authored = {commit.authored for commit in work.values()}
        copies = [commit for commit in commits if commit.authored in authored]
        named = [commit for pairs in self._named.values() for commit, _ in pairs]
        related = (*work.values(), *copies, *candidates, *named)
        self._known = {commit.id: commit for commit in related}
        self._patches: Mapping[str, Patch] = patches_of(root, self._known)
        self._inverse: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name, patch in self._patches.items():
            if patch.changes:
                self._inverse[patch.new, patch.old].append(name)

    def last_reverts(self) -> Iterator[tuple[str, str]]:
        """Each commit of the work whose change is reverted at the end, and by which commit."""
        reverts = self._in_force()
        for name in self._work:
            same = self._copies(name)
            copied = max(self._at(copy) for copy in same)
            undone = [name for name, targets in reverts.items() if not same.isdisjoint(targets)]
            last = max(undone, key=self._at, default=None)
            if last is not None and self._at(last) > copied:
                yield name, last

    def _in_force(self) -> dict[str, frozenset[str]]:
        """The reverts that no later revert takes back, with what they revert."""
        reverts: dict[str, frozenset[str]] = {}
        taken_back: set[str] = set()
        for commit in reversed(self._candidates):
            if commit.id not in taken_back:
                reverts[commit.id] = self._targets(commit)
                taken_back |= reverts[commit.id]
        return reverts

    def _targets(self, revert: Commit) -> frozenset[str]:
        """The known commits that a commit reverts."""
        patch, targets = self._patches[revert.id], set[str]()
        for commit, kept in self._named[revert.id]:
            if not kept and patch.blobs.keys().isdisjoint(self._patches[commit.id].blobs):
                continue
            targets.add(commit.id)
            if len(commit.parents) > 1:
                targets |= brought_by(self._root, commit, kept or commit.parents[0])
        targets.update(self._inverse[patch.old, patch.new])
        targets.update(name for name in self._work if patch.undoes(self._patches[name]))
        at = self._at(revert.id)
        return frozenset(name for name in targets & self._known.keys() if self._at(name) < at)

    def _copies(self, name: str) -> frozenset[str]:
        """A commit of the work, and those that make the same change, as a cherry-pick does."""
        authored, patch = self._work[name].authored, self._patches[name]
        return frozenset(
            other.id
            for other in self._known.values()
            if other.id == name
            or (other.authored == authored and patch.is_same(self._patches[other.id]))
        )

    def _at(self, name: str) -> int:
        return self._index.get(name, _EARLIER)

    def _find_named(
        self, commit: Commit, named: Iterable[Reverted]
    ) -> Iterator[tuple[Commit, str]]:
        """The commits of the branch that a message names, and the parent that a revert keeps."""
        by_name = {name: self._ids[name] for name in self._names(named) if name in self._ids}
        there = ancestors(self._root, by_name.values(), before=commit.id)
        ids = {name: whole for name, whole in by_name.items() if whole in there}
        commits = commits_by_id(self._root, ids.values())
        for reverted in named:
            if reverted.id in ids:
                yield commits[ids[reverted.id]], ids.get(reverted.kept, "")
        for number in reverted_pulls(commit.message):
            for merged in commits_naming(self._root, commit.id, f"[# ]{number}[): ]"):
                if _is_of_pull(merged, number):
                    yield merged, ""

    @staticmethod
    def _names(named: Iterable[Reverted]) -> Iterator[str]:
        for reverted in named:
            yield from filter(None, (reverted.id, reverted.kept))
