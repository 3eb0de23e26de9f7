"""Commits that ask for a reopen with a trailer, as `Reopens: #4`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_regressions.cause import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_regressions.commits import Commit


def trailer_causes(commits: Iterable[Commit]) -> list[Cause]:
    """A cause for each commit with trailers; its subject is the reason."""
    return [
        Cause("trailer", names, commit.id, commit.at, commit.subject)
        for commit in commits
        if (names := _names(commit.reopens))
    ]


def _names(values: Iterable[str]) -> tuple[str, ...]:
    """The increments and items in "#4, SCRUM-28", each once."""
    return tuple(
        dict.fromkeys(name for value in values for name in value.replace(",", " ").split())
    )
