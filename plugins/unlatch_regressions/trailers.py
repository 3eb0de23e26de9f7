"""Commits that ask for a reopen with a trailer, as `Reopens: #4`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.worklog.name_matching import first_of
from unlatch_regressions.cause import Cause
from unlatch_regressions.request import Reader, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_regressions.branch.commits import Commit

KIND = "trailer"


def read_trailers(request: Request) -> Iterator[Cause]:
    """A cause for each increment that the trailers of a commit name; its subject is the reason."""
    for commit in request.history.commits:
        if commit.reopens:
            yield from _causes(request, commit)


def _causes(request: Request, commit: Commit) -> Iterator[Cause]:
    named = {
        name: [work for work in request.named(name) if work in request.work]
        for name in _names(commit.reopens)
    }
    if unknown := [name for name, works in named.items() if not works]:
        verb = "names" if len(unknown) == 1 else "name"
        why = f"{first_of(unknown)} {verb} no finished work"
        yield _cause(commit, "", Reaction.IGNORE, why)
    seen = set[str]()
    for name, works in named.items():
        for work in works:
            if work not in seen:
                several = f"{name} belongs to {len(works)} increments" if len(works) > 1 else ""
                at_most = Reaction.SUGGEST if several else Reaction.REOPEN
                yield _cause(commit, work, at_most, several)
        seen.update(works)


def _cause(commit: Commit, work: str, at_most: Reaction, why: str) -> Cause:
    place, key = commit.id, (commit.id,)
    return Cause(KIND, key, commit.at, commit.subject, place, work, place, at_most=at_most, why=why)


def _names(values: tuple[str, ...]) -> Iterator[str]:
    """The increments and items in "#4, SCRUM-28"."""
    for value in values:
        yield from value.replace(",", " ").split()


READER = Reader((KIND,), read_trailers)
