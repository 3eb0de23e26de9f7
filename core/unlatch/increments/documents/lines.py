"""A Markdown file as lines that speak: what is quoted as code or commented out is left out.

Follows CommonMark 0.31 as far as it decides where code, comments and headings begin and end: fences
(4.5), HTML comments (4.6), indented code (4.4), list items as containers (5.2). In one thing it
reads what people mean instead: they put fences into fences (```bash into ```markdown), which
CommonMark ends at the first ```, and takes the task behind the last one for code. Front matter is
not Markdown; it is left out too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
_FENCE = re.compile(r"(?:(`{3,})[^`]*|(~{3,}).*)\Z")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
_CODE_INDENT = 4
_BOM = "\ufeff"


class Line(NamedTuple):
    """One line.

    Args:
        number: counted from 1.
        start: where in the file it begins.
        text: without its line ending.
        level: of the heading that it is, else 0.
        body: where in `text` its words begin: behind white space, list markers or a heading's `#`.
    """

    number: int
    start: int
    text: str
    level: int
    body: int

    @property
    def words(self) -> str:
        """What it says; a heading without the `#` that may close it."""
        said = self.text[self.body :].rstrip(" \t")
        if not self.level:
            return said
        opened = said.rstrip("#")
        return opened.rstrip(" \t") if opened.endswith((" ", "\t")) or not opened else said


class Scan(NamedTuple):
    """The lines that speak, and what would end the code or comment that the file ends within."""

    lines: tuple[Line, ...]
    closing: tuple[str, ...]


def scan(text: str) -> Scan:
    """Read a file; takes time in proportion to its length, whatever is in it."""
    raw = _raw(text)
    meant = _scanned(raw, nests=True)
    if not meant.closing:
        return meant
    # A fence was forgotten somewhere: if CommonMark gets along with it, its word counts.
    literal = _scanned(raw, nests=False)
    return meant if literal.closing else literal


def _scanned(raw: list[tuple[int, str]], *, nests: bool) -> Scan:
    scanner = _Scanner(nests)
    first = _after_front_matter(raw)
    for number, (start, line) in enumerate(raw[first:], first + 1):
        scanner.take(number, start, line)
    return Scan(tuple(scanner.lines), scanner.closing)


def _raw(text: str) -> list[tuple[int, str]]:
    found = [(match.start(), match[1]) for match in _LINE.finditer(text)]
    if found[-1] == (len(text), ""):
        found.pop()
    if found and found[0][1].startswith(_BOM):
        found[0] = (1, found[0][1][1:])
    return found


def _after_front_matter(raw: list[tuple[int, str]]) -> int:
    if not raw or raw[0][1].rstrip(" \t") != "---":
        return 0
    ends = (n for n, (_, line) in enumerate(raw) if n and line.rstrip(" \t") in ("---", "..."))
    return next(ends, -1) + 1


class _Hidden(NamedTuple):
    """A block of code or a comment: what ends it, and the indent of the list item it is in."""

    end: str
    indent: int


@dataclass(slots=True)
class _Scanner:
    nests: bool
    lines: list[Line] = field(default_factory=list)
    _items: list[int] = field(default_factory=list)
    _hidden: list[_Hidden] = field(default_factory=list)
    _after_blank: bool = True
    _in_code: bool = False

    @property
    def closing(self) -> tuple[str, ...]:
        return tuple(b.end for b in reversed(self._hidden) if not self._ends_with_item(b))

    def take(self, number: int, start: int, line: str) -> None:
        body = len(line) - len(line.lstrip(" \t"))
        if body == len(line):
            self._after_blank = True
            return
        indent = len(line[:body].expandtabs(_CODE_INDENT))
        if self._stays_hidden(line, body, indent):
            return
        self._leave_items(indent)
        depth = indent - (self._items[-1] if self._items else 0)
        if self._is_indented_code(depth):
            return
        if depth < _CODE_INDENT:
            body = self._enter_items(line, body, indent)
            if self._hides(line, body):
                return
        self.lines.append(self._line(number, start, line, body))

    def _ends_with_item(self, block: _Hidden) -> bool:
        # At the next line that is not indented. People who nest fences do not mind the indent.
        return bool(block.indent) and (block.end == "-->" or not self.nests)

    def _stays_hidden(self, line: str, body: int, indent: int) -> bool:
        if not self._hidden:
            return False
        block = self._hidden[-1]
        if indent < block.indent and self._ends_with_item(block):
            self._hidden.clear()
            return False
        self._after_blank = False
        if block.end == "-->":
            if "-->" in line:
                self._hidden.pop()
        elif indent - block.indent < _CODE_INDENT or self.nests:
            self._look_for_fence(line, body, block)
        return True

    def _look_for_fence(self, line: str, body: int, block: _Hidden) -> None:
        fence = _FENCE.match(line, body)
        sign = (fence[1] or fence[2]) if fence else ""
        if not sign.startswith(block.end):
            return
        if not line[body + len(sign) :].strip(" \t"):
            self._hidden.pop()
        elif self.nests:
            self._hidden.append(_Hidden(sign, block.indent))

    def _leave_items(self, indent: int) -> None:
        while self._items and indent < self._items[-1]:
            self._items.pop()

    def _is_indented_code(self, depth: int) -> bool:
        # Only behind an empty line: elsewhere it goes on with the paragraph before it.
        self._in_code = depth >= _CODE_INDENT and (self._after_blank or self._in_code)
        self._after_blank = False
        return self._in_code

    def _enter_items(self, line: str, body: int, indent: int) -> int:
        while marker := _MARKER.match(line, body):
            width = len(marker[0].expandtabs(_CODE_INDENT))
            bare = len(marker[0].rstrip(" \t"))
            indent += width if width - bare <= _CODE_INDENT else bare + 1
            self._items.append(indent)
            body = marker.end()
        return body

    def _hides(self, line: str, body: int) -> bool:
        inside = self._items[-1] if self._items else 0
        if fence := _FENCE.match(line, body):
            self._hidden.append(_Hidden(fence[1] or fence[2], inside))
            return True
        if line.startswith("<!--", body):
            if "-->" not in line[body:]:
                self._hidden.append(_Hidden("-->", inside))
            return True
        return False

    def _line(self, number: int, start: int, line: str, body: int) -> Line:
        heading = None if self._items else _HEADING.match(line, body)
        if heading is None or "\t" in line[:body] or body >= _CODE_INDENT:
            return Line(number, start, line, 0, body)
        return Line(number, start, line, len(heading[1]), heading.end())
