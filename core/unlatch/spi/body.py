"""The body of an item: the generated part in it, its check boxes, and its length.

For bodies that are text and keep comments of HTML, as Markdown does. Other formats need marks that
people see, between which a plugin writes its part itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, unquote

from unlatch.patterns import pattern
from unlatch.spi.item import KeptPart
from unlatch.spi.text import Block, Check, Checks, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


# Both the boxes that `render` writes, and those that people put in their place.
_TICKED = "\u2611\u2612\u2705\u2713\u2714\U0001f5f9"
_OPEN = "\u2610\u25a1\u2b1c"
_LINE = pattern(
    r"\s*(?:(?:[-*+]{1,6}|[0-9]{1,9}[.)])\s+)?"
    rf"(?P<box>\[[ \u00a0xX]\](?=\s|\Z)|[{_TICKED}{_OPEN}])\ufe0f?(?P<text>.*)",
    re.DOTALL,
)


def read_checks(lines: Iterable[str], *, unescape: Callable[[str], str] = str) -> tuple[Check, ...]:
    """The check boxes at the beginning of lines, with or without a bullet; ignores other lines.

    Args:
        unescape: turns markup back into words.
    """
    boxes = (match for line in lines if (match := _LINE.fullmatch(line)))
    return tuple(
        Check(_words(unescape(box["text"])), box["box"] in _TICKED or box["box"] in "[x][X]")
        for box in boxes
    )


def _words(text: str) -> str:
    return " ".join(text.replace("\u200b", "").split())


_BEGIN = r"<!-- unlatch:begin (?P<increment>[^\s<>]+) -->"
_ANY_BEGIN = "<!-- unlatch:begin[ ]"
_END = "<!-- unlatch:end -->"
# From a begin to its own end; ignores a stray begin before it.
_PART = pattern(f"{_BEGIN}(?P<text>(?:(?!{_ANY_BEGIN}).)*?){_END}", re.DOTALL)

_LIKE_A_MARK = pattern(r"(?<=<!-- )unlatch(?=:(?:begin|end)[ ])")


def with_kept_part(body: str, increment: str, text: str) -> str:
    """`body` with `text` as the part of an increment; a missing part is added at the end.

    The rest of the body stays as it is. `text` is rendered, with people's words escaped. Marks in
    it are invalidated, as `defused` does with markers: they would end the part, and the next update
    would leave the rest of this one.
    """
    text = _LIKE_A_MARK.sub("un\u200blatch", text)
    part = f"<!-- unlatch:begin {quote(increment, safe='')} -->\n{text}\n{_END}"
    by_increment = dict(reversed(list(_parts(body))))
    match = by_increment.get(increment)
    if match is None:
        return f"{body.rstrip()}\n\n{part}".lstrip()
    return body[: match.start()] + part + body[match.end() :]


def kept_parts(body: str, *, unescape: Callable[[str], str] = str) -> tuple[KeptPart, ...]:
    """The parts of a body whose marks name their increments, for `RemoteItem.kept`.

    Args:
        unescape: turns a check box's markup back into words (`from_markdown`).
    """
    return tuple(
        KeptPart(name, read_checks(match["text"].splitlines(), unescape=unescape))
        for name, match in _parts(body)
    )


def _parts(body: str) -> Iterator[tuple[str, re.Match[str]]]:
    return ((unquote(match["increment"]), match) for match in _PART.finditer(body))


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
        kept = [check for n, check in zip(numbers, block.items, strict=True) if n not in left_out]
        gone = left_out.intersection(numbers)
        for kind, count in (("done", len(gone & spare)), ("more", len(gone - spare))):
            if count:
                kept.append(Check(f"and {count} {kind} in the increment's files"))
        blocks.append(Checks(tuple(kept)))
    return tuple(blocks)
