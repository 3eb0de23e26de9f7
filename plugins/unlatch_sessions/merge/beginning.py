"""The beginning of a session that two clones started, each for itself: there is no common version.

What both have from the start is the title and the front matter of a new session. All else of
either side was added to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.worklog.text.markdown_lines import line_ending
from unlatch.worklog.text.merge import UnmergeableError
from unlatch_sessions.merge.heads import chunks
from unlatch_sessions.merge.parts import read_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_sessions.merge.parts import Parts

_BREAK = re.compile(r"\r\n|\r|\n")
_STARTED, _TOKENS = "started", "tokens_used"
_NEW = {"status": "active", "ended": "null", "resume_point": "null"}
_EMPTY = ("null", "[]")


def with_beginning(ours: str, theirs: str) -> tuple[str, str, str]:
    """The common version that two sides would have, and the sides with the earlier start.

    Raises:
        UnmergeableError: a side is no session, or they have different titles.
    """
    end = line_ending(ours)
    if line_ending(theirs) != end:
        end = "\n"
    texts = [_BREAK.sub(end, one) for one in (ours, theirs)]
    sides = [read_parts(*one) for one in zip(texts, ("our side", "their side"), strict=True)]
    if sides[0].intro.strip() != sides[1].intro.strip():
        raise UnmergeableError("both sides added it with different titles")
    heads = [chunks(one.head) for one in sides]
    first, second = sorted(zip(sides, heads, strict=True), key=lambda one: _start(one[0]))
    started = first[1].get(_STARTED)
    for number, head in enumerate(heads):
        if started and _STARTED in head:
            texts[number] = texts[number].replace(head[_STARTED], started, 1)
    is_one_start = _start(first[0])[0] == _start(second[0])[0]
    tokens = [one.session.meta.tokens_used for one in sides]
    # Of one start, tokens that both have may be the same ones.
    new = {**_NEW, _TOKENS: str(min(tokens) if is_one_start else 0)}
    return "".join(_lines(first[1], second[1], new, end)) + first[0].intro, texts[0], texts[1]


def _start(side: Parts) -> tuple[str, str]:
    at = side.session.meta.started
    return (at.isoformat() if at else "", side.head)


def _lines(
    first: dict[str, str], second: dict[str, str], new: dict[str, str], end: str
) -> Iterator[str]:
    """The front matter: keys of one side alone, or that differ and are not empty, are left out."""
    for key, text in first.items():
        if key not in second:
            continue
        if key in new:
            yield f"{key}: {new[key]}{end}"
        elif key == _STARTED or text == second[key]:
            yield text
        else:
            empty = [f"{key}: {one}{end}" for one in _EMPTY]
            yield next((one for one in (text, second[key]) if one in empty), "")
