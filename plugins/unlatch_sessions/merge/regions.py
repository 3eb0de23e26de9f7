"""Three versions of a text into one, piece by piece; a piece is a line or a block of lines.

The result is the same from either side, apart from the order of the two in a conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unlatch.worklog.text.merge import Pieces, Side, UnmergeableError, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARKS = _START, _MIDDLE, _END = "<<<<<<< ours", "=======", ">>>>>>> theirs"


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
    known = [matches(base, side) for side in (ours, theirs)]
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
