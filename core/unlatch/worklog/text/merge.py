"""Three versions of a text into one, piece by piece; a piece is a line or a block of lines.

The result is the same from either side, apart from the order of the two in a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from unlatch.values import dataclass
from unlatch.worklog.json_text.three_way import Clash, Side

Pieces = Sequence[str]
# The time to compare grows with the product of the lengths where lines repeat.
_MOST_COMPARED = 250_000
_MARKS = _START, _MIDDLE, _END = "<<<<<<< ours", "=======", ">>>>>>> theirs"


class UnmergeableError(ValueError):
    """A version cannot be read, or the merged file would lose something."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged file, with conflict markers around clashing values if no side is taken."""

    content: bytes
    clashes: tuple[Clash, ...] = ()


class Region(NamedTuple):
    """The pieces between two that all versions have, or one of these."""

    base: Pieces
    ours: Pieces
    theirs: Pieces

    @property
    def settled(self) -> Pieces | None:
        """The pieces if one side alone changed them, or both alike; None in a conflict."""
        if self.theirs in (self.ours, self.base):
            return self.ours
        return self.theirs if self.base == self.ours else None


def regions(base: Pieces, ours: Pieces, theirs: Pieces) -> Iterator[Region]:
    """The regions in their order; those of one piece are in all versions."""
    known = [_matches(base, side) for side in (ours, theirs)]
    last = (0, 0, 0)
    for here in range(len(base)):
        if all(here in side for side in known):
            at = (here, known[0][here], known[1][here])
            yield from _between(base, ours, theirs, last, at)
            yield Region(*(base[here : here + 1],) * 3)
            last = (at[0] + 1, at[1] + 1, at[2] + 1)
    yield from _between(base, ours, theirs, last, (len(base), len(ours), len(theirs)))


def merge_lines(base: Pieces, ours: Pieces, theirs: Pieces) -> tuple[list[str], bool]:
    """The merged lines, conflicts with git's markers, and whether there are none."""
    merged: list[str] = []
    is_clean = True
    for region in regions(base, ours, theirs):
        settled = region.settled
        if settled is None:
            is_clean = False
            settled = marked(region.ours, region.theirs)
        merged += settled
    return merged, is_clean


def marked(ours: Pieces, theirs: Pieces) -> list[str]:
    """Both sides between git's markers."""
    end = "\r\n" if "".join([*ours, *theirs]).count("\r\n") else "\n"
    sides = [
        [line if line.endswith(("\n", "\r")) else line + end for line in side]
        for side in (ours, theirs)
    ]
    return [_START + end, *sides[0], _MIDDLE + end, *sides[1], _END + end]


def taken(text: str, versions: Iterable[str], side: Side) -> str:
    """A text with `marked` parts, each with the lines of one side alone.

    Raises:
        UnmergeableError: a version has such lines itself.
    """
    if any(line.rstrip() in _MARKS for one in versions for line in one.splitlines()):
        raise UnmergeableError("it has lines like git's markers")
    found: list[str] = []
    place = ""
    for line in text.splitlines(keepends=True):
        mark = line.rstrip()
        if mark in _MARKS:
            place = "" if mark == _END else mark
        elif place in ("", _START if side is Side.OURS else _MIDDLE):
            found.append(line)
    return "".join(found)


def united(ours: Pieces, theirs: Pieces) -> list[str]:
    """The pieces of both sides, each side's in its order and common ones once."""
    first, second = sorted((list(ours), list(theirs)))
    merged: list[str] = []
    here = there = 0
    for at, place in [*sorted(_matches(first, second).items()), (len(first), len(second))]:
        merged += [*first[here:at], *second[there:place], *first[at : at + 1]]
        here, there = at + 1, place + 1
    return merged


def _matches(first: Pieces, second: Pieces) -> dict[int, int]:
    """The places in `second` of the pieces of `first` that it has, too."""
    shortest = min(len(first), len(second))
    begin = next((n for n in range(shortest) if first[n] != second[n]), shortest)
    rest = range(1, shortest - begin + 1)
    end = next((n - 1 for n in rest if first[-n] != second[-n]), len(rest))
    found = {place: place for place in range(begin)}
    middle = first[begin : len(first) - end], second[begin : len(second) - end]
    if len(middle[0]) * len(middle[1]) <= _MOST_COMPARED:
        blocks = SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks()
        for at, there, size in blocks:
            found.update({begin + at + n: begin + there + n for n in range(size)})
    found.update({len(first) - n: len(second) - n for n in range(end, 0, -1)})
    return found


def _between(
    base: Pieces,
    ours: Pieces,
    theirs: Pieces,
    last: tuple[int, int, int],
    at: tuple[int, int, int],
) -> Iterator[Region]:
    found = Region(*(side[a:b] for side, a, b in zip((base, ours, theirs), last, at, strict=True)))
    if any(found):
        yield found
