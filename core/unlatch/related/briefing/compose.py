"""What is known of an increment: decisions, failed attempts, open work and identifiers.

Everything is quoted from efforts, sessions, runs and the increment's own files, masked, and never
an instruction. Where the originals are missing, a briefing.md that was committed stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors.known_secrets import MASK
from unlatch.related.identifiers import identifiers
from unlatch.related.own_work import own_work
from unlatch.related.points import Briefing, Point, cleaned

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related

_MOST_IDENTIFIERS = 60
# What every machine has, and the folders that patches make up.
_GENERAL = re.compile(
    r"(?:/(?:usr|s?bin|dev)(?:/.*)?|[ab]/|\W*)\Z|.*/\.(?:claude|codex|gemini)/", re.DOTALL
)
# Characters of a text that can be a part of another one by chance.
_SHORT = 12
# A login; other names of people on a tracker can be sentences.
_LOGIN = re.compile(r"[A-Za-z0-9][\w.@-]{0,38}", re.ASCII)


def briefing_of(
    workspace: Workspace, increment: Increment, related: Related, *, with_tool_output: bool = True
) -> Briefing:
    """The briefing of an increment from its own files and the work that belongs to it.

    The newest work is first, and in it what was said last.

    Args:
        with_tool_output: as in `Sources`.
    """
    work, name = own_work(increment), own_name(increment)
    parts, accepted, tools = [], set(), set()
    if related:
        from unlatch.related.briefing.sources import Sources  # noqa: PLC0415  (not needed by most)

        sources = Sources(workspace, work, with_tool_output=with_tool_output)
        parts, accepted = [*sources.read(related)], sources.accepted
        tools = {*sources.known}
    left = tuple(Point(text, name) for key, text in work.left if key not in accepted)
    whole = sum(parts, Briefing(reopens=(*_reopens(increment, name),)[::-1], left=left))
    # Identifiers are taken from texts that are masked.
    whole = _said_once(cleaned(whole))
    return replace(whole, identifiers=_ranked(whole, without=tools))


def _said_once(briefing: Briefing) -> Briefing:
    """The briefing without decisions, and failures, that a decision says with more words."""
    decided = [point.text.casefold() for point in briefing.decisions]

    def is_part(point: Point) -> bool:
        words = point.text.casefold().rstrip(".")
        return len(words) >= _SHORT and any(
            words in longer and len(words) + 1 < len(longer) for longer in decided
        )

    decisions, failed = (
        tuple(point for point in points if not is_part(point))
        for points in (briefing.decisions, briefing.failed)
    )
    return replace(briefing, decisions=decisions, failed=failed)


def own_name(increment: Increment) -> str:
    """The name of an increment; of the record of an item its number, for the rest is its title."""
    return increment.id.partition("-")[0] if increment.is_item else increment.id


def _reopens(increment: Increment, name: str) -> Iterator[Point]:
    for entry in increment.reopens:
        if entry.reverted_at is None:
            yield Point(_reopened(entry), name)


def _reopened(entry: ReopenEntry) -> str:
    """When, by whom and why; of a tracker or a cause no words, of a tracker's people a login."""
    is_shown = not entry.source or _LOGIN.fullmatch(entry.reopened_by)
    by = f" by {entry.reopened_by}" if is_shown else ""
    why = f", for a {entry.cause.kind}" if entry.cause else f": {entry.reason}"
    why = ", on a tracker" if entry.source else why
    return f"{entry.reopened_at:%Y-%m-%d}{by}{why}"


def _ranked(briefing: Briefing, *, without: Collection[str]) -> tuple[Point, ...]:
    """The identifiers: those in decisions, failures and open work first, then the frequent ones.

    Args:
        without: the ids of tasks, which are known from other sections, and the names of tools.
    """
    points = (*briefing.decisions, *briefing.failed, *briefing.left, *briefing.done)
    named = [
        Point(identifier, point.source)
        for point in points
        for identifier in identifiers(point.text)
    ]
    counts = Counter(point.text for point in briefing.identifiers)
    rest = sorted(briefing.identifiers, key=lambda point: -counts[point.text])
    by_identifier: dict[str, Point] = {}
    for point in (*named, *rest):
        bare = point.text.strip("`")
        if MASK not in bare and bare not in without and not _GENERAL.match(bare):
            by_identifier.setdefault(bare, point)
    return tuple(by_identifier.values())[:_MOST_IDENTIFIERS]
