"""The commits that closed the items of finished work, as the trackers tell them.

A commit of a merged pull request is known by its id, or after a rebase by its author and time; a
commit that merged one also by its subject.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from unlatch_regressions.branch.messages import Pull

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.spi import Background, ClosingCommit
    from unlatch_regressions.request import Request, Work


class Closing(NamedTuple):
    """The commits of the branch that closed items.

    Args:
        work: by the id of the work that they made.
        pulls: by the number of the pull request in this repository that they belong to.
    """

    work: Mapping[str, frozenset[str]]
    pulls: Mapping[int, frozenset[str]]


def closing_commits(request: Request, works: Sequence[Work]) -> Closing:
    """The commits of the branch that closed items.

    As for all commits of the work, only those that came before its completion, and that changed
    more than the records of increments.
    """
    items = request.items.read(work.increment for work in works) if request.items else {}
    history = request.history
    before = history.ancestors(of=filter(None, (work.completed_in for work in works)))
    branch = _Branch(request)
    commits: dict[str, frozenset[str]] = {}
    pulls = defaultdict[int, frozenset[str]](frozenset)
    for work in works:
        seen = [item.background for item in items.get(work.increment.id, ())]
        for pull, name in branch.pulls(seen):
            if pull.is_of(request.own.names):
                pulls[pull.number] |= {name}
        commits[work.increment.id] = frozenset(
            name
            for name in branch.brought(frozenset(branch.closing(seen)))
            if name not in request.bookkeeping
            and name not in history.updates
            and (
                before.has(name, of=work.completed_in)
                if work.completed_in
                else history.is_earlier(name, work.increment.completed_at)
            )
        )
    return Closing(commits, pulls)


class _Branch:
    """The commits of the branch by what trackers tell of them."""

    def __init__(self, request: Request) -> None:
        self._history = request.history
        self._by_author = defaultdict[str, list[str]](list)
        for commit in self._history.commits:
            self._by_author[commit.authored].append(commit.id)

    def closing(self, backgrounds: Iterable[Background]) -> Iterator[str]:
        """Those that closed items."""
        for background in backgrounds:
            for told in background.commits:
                yield from self._here(told)
            for commit in self._history.commits if background.merges else ():
                if commit.subject.startswith(background.merges):
                    yield commit.id

    def pulls(self, backgrounds: Iterable[Background]) -> Iterator[tuple[Pull, str]]:
        """The same, each with the pull request that it belongs to, where that is told."""
        for background in backgrounds:
            for closing in background.commits:
                repository, _, number = closing.pull.rpartition("#")
                for name in self._here(closing) if number.isdecimal() else ():
                    if name not in self._history.updates:
                        yield Pull(repository, int(number)), name

    def _here(self, closing: ClosingCommit) -> Iterator[str]:
        """The commits of the branch that a tracker means, which may be rebased."""
        if self._history.find(closing.id):
            yield closing.id
        elif closing.author and closing.authored:
            seconds = int(closing.authored.timestamp())
            yield from self._by_author.get(f"{closing.author} {seconds}", ())

    def brought(self, names: frozenset[str]) -> frozenset[str]:
        """The same, with those that merges among them brought to the main line."""
        commits = filter(None, map(self._history.find, names))
        merges = {commit.id for commit in commits if len(commit.parents) > 1}
        if not merges:
            return names
        merged = self._history.merged_by.items()
        return names | {name for name, merge in merged if merge in merges}
