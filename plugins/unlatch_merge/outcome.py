"""What a merge of texts or fields gives: its sides, its clashes, and the union of two texts."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import Enum, StrEnum
from typing import Any

from unlatch.values import dataclass


class Side(StrEnum):
    """The two that are merged, by git's names for them."""

    OURS = "ours"
    THEIRS = "theirs"

    @property
    def other(self) -> Side:
        return Side.THEIRS if self is Side.OURS else Side.OURS


class Absent(Enum):
    """The value of a missing member."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that both sides changed, differently; a value may be `ABSENT`.

    Args:
        place: the keys that lead to it; a record of a list has its identity as key.
    """

    place: Place
    ours: Any
    theirs: Any

    @property
    def field(self) -> str:
        return "/" + "/".join(self.place)


Pieces = Sequence[str]
# The time to compare grows with the product of the lengths where lines repeat.
_MOST_COMPARED = 250_000


class UnmergeableError(ValueError):
    """A version cannot be read, or the merged file would lose something."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged file, with conflict markers around clashing values if no side is taken."""

    content: bytes
    clashes: tuple[Clash, ...] = ()


def united(ours: Pieces, theirs: Pieces) -> list[str]:
    """The pieces of both sides, each side's in its order and common ones once."""
    first, second = sorted((list(ours), list(theirs)))
    merged: list[str] = []
    here = there = 0
    for at, place in [*sorted(matches(first, second).items()), (len(first), len(second))]:
        merged += [*first[here:at], *second[there:place], *first[at : at + 1]]
        here, there = at + 1, place + 1
    return merged


def matches(first: Pieces, second: Pieces) -> dict[int, int]:
    """The places in `second` of the pieces of `first` that it has, too."""
    shortest = min(len(first), len(second))
    begin = next((n for n in range(shortest) if first[n] != second[n]), shortest)
    rest = range(1, shortest - begin + 1)
    end = next((n - 1 for n in rest if first[-n] != second[-n]), len(rest))
    places = {place: place for place in range(begin)}
    middle = first[begin : len(first) - end], second[begin : len(second) - end]
    if len(middle[0]) * len(middle[1]) <= _MOST_COMPARED:
        blocks = SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks()
        for at, there, size in blocks:
            places.update({begin + at + n: begin + there + n for n in range(size)})
    places.update({len(first) - n: len(second) - n for n in range(end, 0, -1)})
    return places
