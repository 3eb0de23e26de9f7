"""Bodies that would be longer than a tracker takes."""

from bisect import bisect_left
from collections.abc import Callable
from typing import TypeVar

from unlatch.spi.text import Block, Check, Checks, Text

_T = TypeVar("_T")


def fit_text(text: Text, render: Callable[[Text], _T], fits: Callable[[_T], bool]) -> _T:
    """A rendered text, without as many lines of its lists as it takes to fit.

    Spare lines that are ticked are left out first: those of the last list, from its beginning, then
    those of the list before. If that is not enough, the last of the other lines go. A line at the
    end of each list counts what is left out. If nothing fits, the shortest one is returned.
    """
    if fits(whole := render(text)):
        return whole
    lists: list[list[int]] = []
    lines: list[Check] = []
    for block in text:
        if isinstance(block, Checks):
            lists.append(list(range(len(lines), len(lines) + len(block.items))))
            lines += block.items
    spare = [n for numbers in lists[::-1] for n in numbers if lines[n].spare and lines[n].done]
    order = list(dict.fromkeys((*spare, *range(len(lines))[::-1])))

    def rendered(count: int) -> _T:
        return render(_without(text, frozenset(order[:count]), frozenset(spare)))

    return rendered(bisect_left(range(len(order)), True, key=lambda n: fits(rendered(n))))


def _without(text: Text, left_out: frozenset[int], spare: frozenset[int]) -> Text:
    """A text without the lines of its lists with these numbers; some of them are `spare`."""
    blocks: list[Block] = []
    first = 0
    for block in text:
        if not isinstance(block, Checks):
            blocks.append(block)
            continue
        numbers = range(first, first := first + len(block.items))
        kept = [one for n, one in zip(numbers, block.items, strict=True) if n not in left_out]
        gone = left_out.intersection(numbers)
        for kind, count in (("done", len(gone & spare)), ("more", len(gone - spare))):
            if count:
                kept.append(Check(f"and {count} {kind} in the increment's files"))
        blocks.append(Checks(tuple(kept)))
    return tuple(blocks)
