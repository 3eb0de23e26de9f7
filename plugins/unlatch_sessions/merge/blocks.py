"""Merging the text of one phase, to which both sides may have added.

Its pieces are blocks between empty lines. Blocks that both sides added are kept, and so are tool
calls that both added to one list; another line that both changed is a conflict.
"""

from __future__ import annotations

import re
from itertools import takewhile

from unlatch.worklog.text.merge import united
from unlatch_sessions.merge.regions import Region, marked, merge_lines, regions

_LINES = re.compile(r"[^\r\n]++(?:\r\n?+|\n)?+|\r\n?+|\n")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_ITEM = re.compile(r"[-*+] +`")


def merge_blocks(base: str | None, ours: str, theirs: str) -> tuple[str, bool]:
    """The merged text, and whether it has no conflict; `base` is None for a phase that is new."""
    sides = blocks(ours), blocks(theirs)
    if base is None:
        # Both sides have it from the same start.
        known = [one for one, _ in takewhile(_is_same, zip(*sides, strict=False))]
    else:
        known = blocks(base)
    merged: list[str] = []
    is_clean = True
    for region in regions(known, *sides):
        for part in _parts(region):
            found = part.settled
            if found is None:
                found = _both(part)
            if found is None:
                found, is_plain = _opposed(part)
                is_clean = is_clean and is_plain
            merged += found
    return "".join(merged), is_clean


def _parts(region: Region) -> list[Region]:
    """The blocks of a region each on its own, if both sides have as many as before."""
    count = len(region.base)
    if not len(region.ours) == len(region.theirs) == count:
        return [region]
    return [Region(*([side[n]] for side in region)) for n in range(count)]


def lines(text: str) -> list[str]:
    """The lines with their endings, as a session is read."""
    return _LINES.findall(text)


def blocks(text: str) -> list[str]:
    """The blocks of a text, each with the empty lines before it; code is one block."""
    found: list[str] = []
    has_words = in_code = False
    for line in lines(text):
        is_empty = not line.strip() and not in_code
        if not found or (is_empty and has_words):
            found.append("")
            has_words = False
        found[-1] += line
        has_words = has_words or not is_empty
        in_code ^= _FENCE.match(line) is not None
    return found


def _opposed(region: Region) -> tuple[list[str], bool]:
    """Merge by lines; markers within a block of code would pass for code."""
    sides = [lines("".join(side)) for side in region]
    merged, is_clean = merge_lines(*sides)
    if not is_clean and any(_FENCE.match(line) for side in sides for line in side):
        return marked(region.ours, region.theirs), False
    return merged, is_clean


def _is_same(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _both(region: Region) -> list[str] | None:
    """The blocks of a region if both sides only added to it; None if not."""
    count = len(region.base)
    first = [_longer(*three) for three in zip(*region, strict=False)]
    if len(first) < count or None in first:
        return None
    return [*filter(None, first), *united(region.ours[count:], region.theirs[count:])]


def _longer(base: str, ours: str, theirs: str) -> str | None:
    """A block that one side changed, or a list to which both sides added."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if not (ours.startswith(base) and theirs.startswith(base)):
        return None
    added = lines(ours[len(base) :]), lines(theirs[len(base) :])
    is_list = all(_ITEM.match(line) for line in (lines(base)[-1], *added[0], *added[1]))
    return base + "".join(united(*added)) if is_list else None
