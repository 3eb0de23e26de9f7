"""The lines of a comment in Markdown that are shown as its author's own words.

Follows CommonMark 0.31; where it needs the whole document to decide, a line counts as hidden.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product
from string import ascii_lowercase, ascii_uppercase

from unlatch.patterns import pattern
from unlatch.worklog.text.markdown_lines import Scan

_ENDS = pattern(r"\r\n?|\n")
_QUOTE = pattern(r"(?:[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]))*[ \t]*>")
_RUN = pattern("`+")
_START = pattern(r"\\.|`+|<!--|<\?|<!\[CDATA\[|<!(?=[a-z])|</?[a-z][a-z0-9-]*", re.IGNORECASE)
# What is between these is not shown, empty lines included.
_UNSHOWN = {"<!--": "-->", "<?": "?>", "<![cdata[": "]]>", "<!": ">"}
# What is inline ends before and after the lines of headings and rules, and before list items.
_ALONE = pattern(r" {0,3}(?:#{1,6}(?:[ \t]|\Z)|=+[ \t]*\Z|[-*_][-*_ \t]*\Z)")
_ITEM = pattern(r" {0,3}(?:[-+*]|[0-9]{1,9}[.)])[ \t]")
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
# What is between these tags is code, a quote, or not shown.
_HIDING = frozenset({"blockquote", "code", "pre", "script", "style", "textarea"})
_HIDING_TAG = pattern(r"<(/?)([a-z]+)(?![a-z0-9-])")


def shown_lines(text: str) -> list[str | None]:
    """Each line; None for code, quotes, hidden comments, and lines that continue one of these.

    A line that follows a quote without an empty line between is part of the quote.
    """
    raw = _ENDS.split(text)
    lines: list[str | None] = [*raw]
    for number in (_hidden_blocks(raw, nests=True) | _hidden_blocks(raw, nests=False)) - _blank(
        raw
    ):
        lines[number] = None
    _hide_quotes(lines)
    _hide_inline(lines)
    return lines


def _blank(raw: list[str]) -> set[int]:
    return {number for number, line in enumerate(raw) if not line.strip(" \t")}


def _hidden_blocks(raw: list[str], *, nests: bool) -> set[int]:
    scan = Scan(nests=nests)
    for number, line in enumerate(raw):
        scan.take(number, 0, line)
    return set(range(len(raw))) - {line.number for line in scan.lines}


def _hide_quotes(lines: list[str | None]) -> None:
    quoted = False
    for number, line in enumerate(lines):
        if line is None:
            continue
        quoted = bool(_QUOTE.match(line)) or (quoted and bool(line.strip(" \t")))
        if quoted:
            lines[number] = None


def _hide_inline(lines: list[str | None]) -> None:
    """Hide the lines that begin within something inline, or within a block of HTML."""
    # An empty line in the place of a hidden one: nothing inline goes across it.
    texts = [line if line and line.strip(" \t") else "" for line in lines]
    bordered = [*map(_bordered, texts)]
    # Which blocks and tags end what is inline depends on the whole document.
    hidden: set[int] = set()
    for parts, tags in product((texts, bordered), (True, False)):
        hidden |= _begun_inline(parts, tags=tags)
    for number in hidden:
        lines[number] = None


def _bordered(line: str) -> str:
    if _ALONE.match(line):
        return f"\n{line}\n"
    return f"\n{line}" if _ITEM.match(line) else line


def _begun_inline(texts: list[str], *, tags: bool) -> set[int]:
    """The lines that begin within something inline; `tags` tells whether a tag is such."""
    spans = _spans("\n".join(texts), tags=tags)
    hidden = set()
    at = end = start = 0
    for number, line in enumerate(texts):
        while end <= at and (span := next(spans, None)):
            start, end = span
        if start < at < end and line:
            hidden.add(number)
        at += len(line) + 1
    return hidden


def _spans(text: str, *, tags: bool) -> Iterator[tuple[int, int]]:
    """Where code, tags, hidden comments and what certain tags enclose begin and end, in order.

    Args:
        tags: whether other tags are listed, too.
    """
    runs, ends = _runs(text), _Ends(text)
    at = 0
    while match := _START.search(text, at):
        begin, at = match.span()
        sign = match[0].lower()
        blank = ends.after(at, "\n\n")
        if sign.startswith("\\"):
            continue
        if sign.startswith("`"):
            of_its_length = runs.get(len(sign), [])
            place = bisect_left(of_its_length, at)
            end = of_its_length[place] + len(sign) if place < len(of_its_length) else blank + 1
        elif sign in _UNSHOWN:
            end = blank = ends.after(at, _UNSHOWN[sign])
        elif sign[1:] in _HIDING:
            end = blank = ends.after_element(at, sign[1:])
        elif not tags:
            continue
        else:
            end = ends.after(at, ">")
        if end <= blank:
            yield begin, end
            at = end


def _runs(text: str) -> dict[int, list[int]]:
    """The offsets of the runs of backticks, by their length."""
    runs: dict[int, list[int]] = {}
    for run in _RUN.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    return runs


class _Ends:
    """Finds ends from growing offsets; each is searched for once."""

    def __init__(self, text: str) -> None:
        self._text = text.translate(_LOWER)
        self._known: dict[str, int] = {}

    def after(self, at: int, end: str) -> int:
        """The offset after the next `end`; that of the text's end if there is none."""
        offset = self._known.get(end, -1)
        if offset < min(at + len(end), len(self._text)):
            place = self._text.find(end, at)
            offset = place + len(end) if place >= 0 else len(self._text)
            self._known[end] = offset
        return offset

    def after_element(self, at: int, name: str) -> int:
        """The offset after the tag that closes an element; others of its name may be in it."""
        depth = 1
        for tag in _HIDING_TAG.finditer(self._text, at):
            if tag[2] == name:
                depth += -1 if tag[1] else 1
            if not depth:
                return tag.end()
        return len(self._text)
