"""The check boxes of unlatch's sections of a description, in both of Jira's formats."""

from __future__ import annotations

import html
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.spi import KeptPart, read_checks
from unlatch_jira.api.rich_text import children, find_section, mark_of, plain, section_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BEGIN = pattern(re.escape(section_marks("\0")[0]).replace("\0", "(?P<increment>.+)"))
# People could write any number of marks, and each is searched for.
_MOST_SECTIONS = 20
# Jira reads a backslash before these signs as an escape, and entities everywhere.
_ESCAPE = pattern(r"\\(?P<sign>[{}\[\]()*_+^~?!|#%@-])|&#?\w{1,31};")


def kept_parts(body: Any) -> tuple[KeptPart, ...]:
    """The sections of a description: one for each increment that its marks name."""
    if isinstance(body, str):
        lines = body.splitlines()
        marks = [_mark_in(line.strip()) for line in lines]
        return _parts(marks, lambda place: lines[place], _without_markup)
    nodes = children(body) if isinstance(body, dict) else []
    marks = [mark_of(node) for node in nodes]
    return _parts(marks, lambda place: [line for one in nodes[place] for line in _lines(one)], str)


def _parts(
    marks: Sequence[str | None],
    lines: Callable[[slice], Sequence[str]],
    unescape: Callable[[str], str],
) -> tuple[KeptPart, ...]:
    begins = (_BEGIN.fullmatch(mark) for mark in marks if mark)
    parts = []
    names = dict.fromkeys(match["increment"] for match in begins if match)
    for name in islice(names, _MOST_SECTIONS):
        begin, end = section_marks(name)
        place = find_section([mark == begin for mark in marks], [mark == end for mark in marks])
        if place is not None:
            parts.append(KeptPart(name, read_checks(lines(place), unescape=unescape)))
    return tuple(parts)


def _mark_in(line: str) -> str | None:
    is_bold = len(line) > 1 and line[0] == line[-1] == "*"
    return _without_markup(line[1:-1]) if is_bold else None


def _without_markup(text: str) -> str:
    return _ESCAPE.sub(lambda one: one["sign"] or html.unescape(one[0]), text)


def _lines(node: dict[str, Any]) -> Iterator[str]:
    """The lines of a block; an action item of Jira's own counts by its state."""
    inner = children(node)
    if node.get("type") == "taskItem":
        state = (node.get("attrs") or {}).get("state")
        words = plain({"content": [{"type": "paragraph", "content": inner}]})
        # A box of ours, in a list that a person made action items.
        known = read_checks([words])
        text = known[0].text if known else words
        yield f"[{'x' if state == 'DONE' else ' '}] {text}"
    elif any(child.get("type") in ("text", "hardBreak") for child in inner):
        yield from plain({"content": [node]}).splitlines()
    else:
        for child in inner:
            yield from _lines(child)
