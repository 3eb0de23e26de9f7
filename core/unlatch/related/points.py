"""What a briefing consists of, and the one place where its texts are cleaned.

They are words of people, models, trackers and other people's files: each becomes one line, masked,
without characters that act or hide, and cut.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

from unlatch.increments.documents.quoting import one_line
from unlatch.related.highlights import cut
from unlatch.transport.trace import Masking
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_LONGEST_SOURCE = 120
# Characters that are read of a text, because masks and spaces shorten it.
_READ, _EDGE = 1 << 12, 1 << 8
# What a source cannot be read back with, or could be taken for Markdown.
_UNSAFE = re.compile(r"[^\w.:@/#+-]+")


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to know, on one line, and where it is from: effort:auth-bug, or an increment."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of an increment.

    Args:
        reopens: when it was reopened, by whom and why.
        done: summaries of work that has ended.
        decisions: what was decided, and corrections by people.
        failed: attempts and calls that failed, and what was rejected.
        left: open tasks, criteria and questions.
        identifiers: names of files, items, commits and code; those in decisions first.
        unread: the parts of long records that are left out.
        origin: the file that entries are from, and when it was written; no section.
    """

    reopens: tuple[Point, ...] = ()
    done: tuple[Point, ...] = ()
    decisions: tuple[Point, ...] = ()
    failed: tuple[Point, ...] = ()
    left: tuple[Point, ...] = ()
    identifiers: tuple[Point, ...] = ()
    unread: tuple[Point, ...] = ()
    origin: str = ""

    def sections(self) -> dict[str, tuple[Point, ...]]:
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "origin"
        }

    def __add__(self, other: Briefing) -> Briefing:
        """Both, each text once."""
        mine, more = self.sections(), other.sections()
        both = {name: once((*mine[name], *more[name])) for name in mine}
        return Briefing(**both, origin=self.origin or other.origin)


def cleaned(briefing: Briefing) -> Briefing:
    """The briefing as it may be shown, each text once."""
    mask = Masking().text
    sections = briefing.sections()
    cleaned_sections = {name: once(_clean(points, mask)) for name, points in sections.items()}
    return Briefing(**cleaned_sections, origin=briefing.origin)


def clean_text(text: str, mask: Callable[[str], str]) -> str:
    """A text on one line, masked and cut."""
    return cut(one_line(_masked(text, mask)))


def clean_source(name: str, mask: Callable[[str], str]) -> str:
    """The name of a source as points have it."""
    return _UNSAFE.sub("-", one_line(_masked(name, mask)))[:_LONGEST_SOURCE]


def _clean(points: Iterable[Point], mask: Callable[[str], str]) -> Iterator[Point]:
    for point in points:
        yield Point(clean_text(point.text, mask), clean_source(point.source, mask))


def _masked(text: str, mask: Callable[[str], str]) -> str:
    """The beginning of a text, without half of a secret at its edge."""
    # In this order: the first letter of a secret can be the end of an escape sequence.
    masked = without_controls(mask(text[:_READ]))
    return masked if len(text) <= _READ else masked[:-_EDGE]


def once(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points with a text, each text once, where it is first."""
    by_text: dict[str, Point] = {}
    for point in points:
        if point.text:
            by_text.setdefault(point.text, point)
    return tuple(by_text.values())
