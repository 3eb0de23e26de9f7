"""Commits that revert finished work, and are not reverted themselves.

A message makes a commit a candidate. What it names counts if the branch has that commit and both
change a common file; a commit that the branch does not have (rebased, squashed) is recognised by
its patch. What a candidate undoes counts, too, where its message does not name it, as after
`git revert --no-commit` of several commits. If it is not known what a candidate reverts, the
trackers are asked which commits closed the items.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch_regressions.branch.commits import (
    Commit,
    brought_by,
    commit_ids,
    commits_by_id,
    files_of,
    patches_of,
)
from unlatch_regressions.branch.messages import (
    Reverted,
    merged_pulls,
    reverted_commits,
    reverted_pulls,
    says_revert,
)
from unlatch_regressions.cause import Cause, fingerprint_of
from unlatch_regressions.closing import closing_commits
from unlatch_regressions.request import Reader, Request, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch_regressions.branch.history import Ancestors, History
    from unlatch_regressions.branch.patches import Patch

KIND = "revert"
# Of a commit that the branch does not have.
_EARLIER = -1


def read_reverts(request: Request) -> Iterator[Cause]:
    """The reverts that hold at the end of the branch, and those on record that do not.

    Raises:
        HistoryMissing: the clone is shallow, or git cannot list the commits.
    """
    history, works = request.history, [*request.work.values()]
    reverts = Reverts(history, _commits(works), request.own.names)
    asked = [*reverts.unexplained(works, besides=request.bookkeeping)] if request.items else []
    if asked:
        closed, pulls = closing_commits(request, asked)
        works = [
            replace(work, commits=work.commits | closed.get(work.increment.id, frozenset()))
            for work in works
        ]
        reverts = Reverts(history, _commits(works), request.own.names, pulls)
    yield from reverts.untold(works)
    for work in works:
        present = {cause.fingerprint: cause for cause in reverts.causes(work)}
        yield from present.values()
        for gone in (
            reverts.by_fingerprint.get(name) for name in work.recorded.at.keys() - present
        ):
            if gone is not None and reverts.reverts(gone, work):
                last = history.commits[-1]
                yield replace(_cause(gone, work), is_gone=True, seen_at=last.at, commit=last.id)


def _commits(works: Iterable[Work]) -> Iterator[str]:
    return (name for work in works for name in work.commits)


def _cause(revert: Commit, work: Work) -> Cause:
    name, subject = revert.id, revert.subject
    return Cause(KIND, (name,), revert.at, subject, name, work.increment.id, name)


def _is_between(completed_in: str, revert: str, targets: frozenset[str], before: Ancestors) -> bool:
    """Whether a completion was made after what a later commit reverts."""
    is_after = not before.has(revert, of=completed_in)
    return is_after and (
        not targets or any(before.has(target, of=completed_in) for target in targets)
    )


class Reverts:
    """The commits of a branch that revert others, and the commits of the work that they revert.

    Args:
        work: the ids of the commits of finished work.
        repositories: the names of the project's own repository, in lower case.
        pulls: commits of its pull requests, beside those that subjects tell, by number.
    """

    def __init__(
        self,
        history: History,
        work: Iterable[str],
        repositories: frozenset[str] = frozenset(),
        pulls: Mapping[int, frozenset[str]] | None = None,
    ) -> None:
        self._root, self._history = history.root, history
        self._repositories, self._pulls = repositories, pulls or {}
        self._candidates = [commit for commit in history.commits if says_revert(commit.message)]
        self._named = self._find_named()
        self._work = self._read_work(work) if self._candidates else {}
        self._known = {commit.id: commit for commit in self._related()}
        self._patches: Mapping[str, Patch] = patches_of(self._root, self._known)
        self._by_change: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._by_file: dict[str, list[str]] = defaultdict(list)
        for name, patch in self._patches.items():
            if patch.changes:
                self._by_change[patch.old, patch.new].append(name)
            for file in patch.blobs if name in self._work else ():
                self._by_file[file].append(name)

    @cached_property
    def by_fingerprint(self) -> Mapping[str, Commit]:
        """The commits that revert something, by the fingerprints of their causes."""
        return {fingerprint_of(KIND, commit.id): commit for commit in self._candidates}

    def causes(self, work: Work) -> Iterator[Cause]:
        """A cause for each revert that breaks the work."""
        for name in self.breaking(work.commits):
            yield _cause(self._known[name], work)

    def reverts(self, revert: Commit, work: Work) -> bool:
        """Whether a commit reverted one of the work, taken back or not."""
        names = (name for name in work.commits if name in self._patches)
        copies = frozenset[str]().union(*map(self._copies, names))
        return not copies.isdisjoint(self._targets(revert))

    def unexplained(self, works: Sequence[Work], *, besides: frozenset[str]) -> Iterator[Work]:
        """The work of which other commits than the known ones may have been reverted.

        What messages explain may be the work of others as well, as their items tell. The revert
        came after the completion, and what it names before that. A revert on record that reverts
        no known commit shows that there are others.

        Args:
            besides: commits that are no work.
        """
        unknown = {
            commit.id: targets
            for commit in self._candidates
            if (targets := self._unknown_targets(commit, besides)) is not None
        }
        explained = {
            name: frozenset(targets)
            for name, targets in self._breaking_any.items()
            if name not in unknown
        }
        # Without such commits, nothing is asked of the history.
        completions = (work.completed_in for work in works) if unknown or explained else ()
        before = self._history.ancestors(of=filter(None, completions))
        for work in works:
            recorded = filter(None, map(self.by_fingerprint.get, work.recorded.at))
            is_undated = not work.completed_in and bool(unknown)
            if (
                is_undated
                or any(_is_between(work.completed_in, *pair, before) for pair in unknown.items())
                or any(
                    work.commits.isdisjoint(targets)
                    and _is_between(work.completed_in, revert, targets, before)
                    for revert, targets in explained.items()
                )
                or any(not self.reverts(revert, work) for revert in recorded)
            ):
                yield work

    def untold(self, works: Iterable[Work]) -> Iterator[Cause]:
        """The reverts after a completion whose pull requests have no commits that are known."""
        doubts = {
            commit.id: why
            for commit in self._candidates
            if (why := self._doubt(commit)) is not None
        }
        completions = [*filter(None, (work.completed_in for work in works))] if doubts else []
        before = self._history.ancestors(of=completions)
        for name, why in doubts.items():
            if any(not before.has(name, of=completion) for completion in completions):
                revert = self._known[name]
                seen = (KIND, (name,), revert.at, revert.subject, name, "", name)
                yield Cause(*seen, at_most=Reaction.IGNORE, why=why)

    def _doubt(self, revert: Commit) -> str | None:
        """Why it is not known what a commit reverts, if it names pull requests alone."""
        if self._named[revert.id] or self._targets(revert):
            return None
        for pull in reverted_pulls(revert.message):
            if not pull.is_of(self._repositories):
                return f"{pull.repository} is not known as this repository"
            return f"it cannot be told which commits pull request {pull.number} has"
        return None

    def _unknown_targets(self, revert: Commit, besides: frozenset[str]) -> frozenset[str] | None:
        """What a commit names as reverted that is no known work; None if there is nothing.

        Nothing in it: it names no commit of the branch.
        """
        named = frozenset(commit.id for commit, _ in self._named[revert.id])
        if not named:
            return None if revert.id in self._breaking_any else named
        return named - self._work.keys() - self._named.keys() - self._merges - besides or None

    @cached_property
    def _breaking_any(self) -> Mapping[str, tuple[str, ...]]:
        return self.breaking(self._work)

    @cached_property
    def _merges(self) -> frozenset[str]:
        """The commits of the main line that brought the work's."""
        return frozenset(filter(None, map(self._history.merged_by.get, self._work)))

    def breaking(self, work: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """The last reverts of some commits that hold at the end, each with those that it reverts.

        The oldest revert is first.
        """
        broken: dict[str, list[str]] = defaultdict(list)
        for name in work:
            revert = self._last_revert(name) if name in self._patches else None
            if revert is not None:
                broken[revert].append(name)
        return {name: tuple(sorted(broken[name])) for name in sorted(broken, key=self._at)}

    def _read_work(self, names: Iterable[str]) -> dict[str, Commit]:
        work = {name: self._history.find(name) for name in names}
        missing = [name for name, commit in work.items() if commit is None]
        here = {name: commit for name, commit in work.items() if commit is not None}
        return here | commits_by_id(self._root, missing)

    def _related(self) -> Iterator[Commit]:
        """The commits whose changes are compared: of the work, those in files of a candidate."""
        yield from self._candidates
        for pairs in self._named.values():
            yield from (commit for commit, _ in pairs)
        authored = {commit.authored for commit in self._work.values()}
        copies = (commit for commit in self._history.commits if commit.authored in authored)
        work = {commit.id: commit for commit in (*self._work.values(), *copies)}
        files = files_of(self._root, {*work, *self._named})
        changed = frozenset[str]().union(*(files.get(name, ()) for name in self._named))
        for name, commit in work.items():
            if not changed.isdisjoint(files.get(name, ())):
                yield commit

    def _last_revert(self, name: str) -> str | None:
        """The commit that reverts a commit of the work last, if no copy of that follows."""
        same = self._copies(name)
        undone = {revert for copy in same for revert in self._reverts_of.get(copy, ())}
        last = max(undone, key=self._at, default=None)
        is_last = last is not None and self._at(last) > max(map(self._at, same))
        return last if is_last else None

    @cached_property
    def _reverts_of(self) -> Mapping[str, set[str]]:
        """The reverts of each commit that no later revert takes back."""
        reverts: dict[str, set[str]] = defaultdict(set)
        taken_back: set[str] = set()
        for commit in reversed(self._candidates):
            if commit.id not in taken_back:
                targets = self._targets(commit)
                taken_back |= targets
                for name in targets:
                    reverts[name].add(commit.id)
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
        targets.update(self._by_change[patch.new, patch.old])
        shared = {name for file in patch.blobs for name in self._by_file.get(file, ())}
        targets.update(name for name in shared if patch.undoes(self._patches[name]))
        at = self._at(revert.id)
        return frozenset(name for name in targets & self._known.keys() if self._at(name) < at)

    def _copies(self, name: str) -> frozenset[str]:
        """A commit of the work, and those that make the same change, as a cherry-pick does."""
        patch, authored = self._patches[name], self._known[name].authored
        same = self._by_change[patch.old, patch.new] if patch.changes else ()
        return frozenset((name, *(n for n in same if self._known[n].authored == authored)))

    def _at(self, name: str) -> int:
        return self._history.index.get(name, _EARLIER)

    def _find_named(self) -> Mapping[str, list[tuple[Commit, str]]]:
        """The commits that each candidate's message names, and the parent that a revert keeps."""
        messages = {each.id: [*reverted_commits(each.message)] for each in self._candidates}
        ids = commit_ids(self._root, (name for named in messages.values() for name in _ids(named)))
        named = {
            each.id: [
                *((ids.get(name.id, ""), ids.get(name.kept, "")) for name in messages[each.id]),
                *((name, "") for name in self._of_pulls(each)),
            ]
            for each in self._candidates
        }
        there = self._history.ancestors(of=named)
        return {
            revert: [
                (commit, kept)
                for name, kept in pairs
                if (commit := self._history.find(name)) and there.has(name, of=revert)
            ]
            for revert, pairs in named.items()
        }

    def _of_pulls(self, candidate: Commit) -> Iterator[str]:
        """The commits with which the pull requests were merged that a message names."""
        for pull in reverted_pulls(candidate.message):
            if pull.is_of(self._repositories):
                told = self._pulls.get(pull.number, ())
                yield from dict.fromkeys((*self._by_pull.get(pull.number, ()), *told))

    @cached_property
    def _by_pull(self) -> Mapping[int, list[str]]:
        commits: dict[int, list[str]] = defaultdict(list)
        for commit in self._history.commits:
            for number in merged_pulls(commit.subject):
                commits[number].append(commit.id)
        return commits


def _ids(named: Iterable[Reverted]) -> Iterator[str]:
    for reverted in named:
        yield from filter(None, (reverted.id, reverted.kept))


READER = Reader((KIND,), read_reverts)
