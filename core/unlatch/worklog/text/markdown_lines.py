"""The lines of a Markdown file without code, comments and front matter.

Follows CommonMark 0.31 where it decides where code, comments and headings begin and end: fences
(4.5), HTML comments (4.6), indented code (4.4), list items as containers (5.2). With one exception:
people nest fences (```bash in ```markdown). CommonMark ends the block at the first ``` and reads
the task after the last one as code; here nested fences are matched in pairs.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import NamedTuple

from unlatch.patterns import pattern
from unlatch.values import dataclass

_LINE = pattern(r"([^\r\n]*+)(?:\r\n?+|\n)?+")
_MARKER = pattern(r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
_FENCE = pattern(r"(?:(`{3,})[^`]*|(~{3,}+).*)\Z")
_HEADING = pattern(r"(#{1,6})(?:[ \t]+|\Z)")
# What a line begins with if it is empty, indented, an item, a heading, a fence or a comment.
_SIGNS = frozenset(("", *" \t-+*0123456789#`~<"))
_CODE_INDENT = 4
_BOM = "\ufeff"
# As far as a title is looked for, in characters.
_TOP = 4000


class Fence(NamedTuple):
    """The line that opens a block of code; a block in it is not listed.

    Args:
        start: the offset of the end of this line.
    """

    start: int
    info: str


class Line(NamedTuple):
    """One line without its ending; the number is counted from 1.

    Args:
        start: its offset in the file.
        level: the level of a heading, else 0.
        body: the offset in `text` after white space, list markers or a heading's `#`.
    """

    number: int
    start: int
    text: str
    level: int
    body: int

    @property
    def words(self) -> str:
        """The text from `body`, without the `#` that may close a heading."""
        text = self.text[self.body :].rstrip(" \t")
        if not self.level:
            return text
        opened = text.rstrip("#")
        return opened.rstrip(" \t") if opened.endswith((" ", "\t")) or not opened else text


def scan(text: str) -> "Scan":
    """Read a file, in time proportional to its length for any content."""
    return _read(_raw_lines(text))


def plain_lines(text: str) -> list[Line]:
    """All lines of a file, as if it had no Markdown: no headings, code or comments."""
    return [Line(number, at, line, 0, 0) for number, (at, line) in enumerate(_raw_lines(text), 1)]


def _raw_lines(text: str) -> list[tuple[int, str]]:
    raw = [(match.start(), match[1]) for match in _LINE.finditer(text)]
    if raw[-1] == (len(text), ""):
        raw.pop()
    if raw and raw[0][1].startswith(_BOM):
        raw[0] = (1, raw[0][1][1:])
    return raw


def _read(raw: list[tuple[int, str]]) -> "Scan":
    nested = _scan(raw, nests=True)
    if not nested.closing:
        return nested
    # A fence was left open. Where CommonMark sees none open, its reading counts.
    literal = _scan(raw, nests=False)
    if not literal.closing:
        return literal
    nested.open_at = literal.first_open
    return nested


def scan_work(text: str) -> "Scan":
    """Read a file whose tasks count: a block that is never closed hides nothing of what follows.

    Work that nobody sees would count as done. `open_at` is the line where such a block begins.
    """
    raw = _raw_lines(text)
    scan = _read(raw)
    opened = scan.open_at
    return _scan(raw, nests=False, open_at=opened) if opened is not None else scan


def first_title(text: str) -> str:
    """The words of the first heading of level 1 near the top of a file; empty if there is none.

    It stops there: lists show the titles of thousands of files.
    """
    top = text[text.startswith(_BOM) : _TOP]
    raw = [(match.start(), match[1]) for match in _LINE.finditer(top)]
    scanner = Scan(nests=True)
    first = _after_front_matter(raw)
    for number, (start, line) in enumerate(raw[first:], first + 1):
        scanner.take(number, start, line)
        if scanner.lines and scanner.lines[-1].level == 1:
            return scanner.lines[-1].words
    return ""


def is_unambiguous(text: str) -> bool:
    """Whether each way to read nested fences finds the same lines, and no block stays open.

    Such texts read the same alone and one below the other.
    """
    raw = [(match.start(), match[1]) for match in _LINE.finditer(text)]
    nested, literal = (_scan(raw, nests=nests) for nests in (True, False))
    return nested.lines == literal.lines and not nested.closing and not literal.closing


def append_lines(text: str, lines: Iterable[str], *, closes: bool = True) -> str:
    """The text with lines after an empty line at its end.

    Args:
        closes: whether an open code block is closed first; in a file whose tasks count, that would
            hide those below its beginning.
    """
    end, closing = line_ending(text), scan(text).closing if closes else ()
    added = (*closing, "", *lines) if closing else lines
    return text + _gap(text, end, is_open=bool(closing)) + "".join(line + end for line in added)


def line_ending(text: str) -> str:
    """The line ending that most lines of a file have; a newline for a file without any."""
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=counts.__getitem__)


def _gap(text: str, end: str, *, is_open: bool) -> str:
    if not text.strip(_BOM):
        return ""
    if not text.endswith(("\n", "\r")):
        return end if is_open else end * 2
    if is_open or text.endswith(("\n\n", "\n\r\n", "\r\r")):
        return ""
    # A lone carriage return at the end would become one line ending with a newline behind it.
    return end * 2 if text.endswith("\r") and end == "\n" else end


def _scan(raw: list[tuple[int, str]], *, nests: bool, open_at: int | None = None) -> "Scan":
    scanner = Scan(nests, open_at=open_at)
    first = _after_front_matter(raw)
    for number, (start, line) in enumerate(raw[first:], first + 1):
        scanner.take(number, start, line)
    return scanner


def _after_front_matter(raw: list[tuple[int, str]]) -> int:
    if not raw or raw[0][1].rstrip(" \t") != "---":
        return 0
    ends = (n for n, (_, line) in enumerate(raw) if n and line.rstrip(" \t") in ("---", "..."))
    return next(ends, -1) + 1


def _is_text(line: str) -> bool:
    """Whether a line begins with neither white space nor a sign of Markdown, except for `**`."""
    return line[:1] not in _SIGNS or line.startswith("**")


class _Hidden(NamedTuple):
    """An open block of code or comment.

    Args:
        end: what closes it.
        indent: that of the list item around it.
        number: the line where it begins.
    """

    end: str
    indent: int
    number: int


@dataclass(slots=True)
class Scan:
    """The lines that count; `closing` are those that would close the blocks that are open.

    Args:
        open_at: the line where a block begins that is never closed; from there on nothing is
            hidden.
    """

    nests: bool
    open_at: int | None = None
    lines: list[Line] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    _items: list[int] = field(default_factory=list)
    _hidden: list[_Hidden] = field(default_factory=list)
    _after_blank: bool = True
    _in_code: bool = False

    @property
    def closing(self) -> tuple[str, ...]:
        return tuple(b.end for b in reversed(self._hidden) if not self._ends_with_item(b))

    @property
    def first_open(self) -> int | None:
        """The line where the outermost open block begins."""
        return next((b.number for b in self._hidden if not self._ends_with_item(b)), None)

    def take(self, number: int, start: int, line: str) -> None:
        if not (self._items or self._hidden) and _is_text(line):
            # Most lines: nothing of what follows would find anything in it.
            self._after_blank = self._in_code = False
            self.lines.append(Line(number, start, line, 0, 0))
            return
        body = len(line) - len(line.lstrip(" \t"))
        if body == len(line):
            self._after_blank = True
            return
        indent = len(line[:body].expandtabs(_CODE_INDENT))
        if self._stays_hidden(number, line, body, indent):
            return
        while self._items and indent < self._items[-1]:
            self._items.pop()
        depth = indent - (self._items[-1] if self._items else 0)
        if self._is_indented_code(depth):
            return
        if depth < _CODE_INDENT:
            body = self._enter_items(line, body, indent)
            if self._hides(number, start, line, body):
                return
        self.lines.append(self._line(number, start, line, body))

    def _ends_with_item(self, block: _Hidden) -> bool:
        # At the next line with less indent. People who nest fences do not care about the indent.
        return bool(block.indent) and (block.end == "-->" or not self.nests)

    def _stays_hidden(self, number: int, line: str, body: int, indent: int) -> bool:
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
            self._match_fence(number, line, body, block)
        return True

    def _match_fence(self, number: int, line: str, body: int, block: _Hidden) -> None:
        fence = _FENCE.match(line, body)
        sign = (fence[1] or fence[2]) if fence else ""
        if not sign.startswith(block.end):
            return
        if not line[body + len(sign) :].strip(" \t"):
            self._hidden.pop()
        elif self.nests:
            self._hidden.append(_Hidden(sign, block.indent, number))

    def _is_indented_code(self, depth: int) -> bool:
        # Only after an empty line: elsewhere the line continues the paragraph.
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

    def _hides(self, number: int, start: int, line: str, body: int) -> bool:
        if self.open_at is not None and number >= self.open_at:
            return False
        inside = self._items[-1] if self._items else 0
        if fence := _FENCE.match(line, body):
            sign = fence[1] or fence[2]
            self._hidden.append(_Hidden(sign, inside, number))
            self.fences.append(Fence(start + len(line), line[body + len(sign) :].strip()))
            return True
        if line.startswith("<!--", body):
            if "-->" not in line[body:]:
                self._hidden.append(_Hidden("-->", inside, number))
            return True
        return False

    def _line(self, number: int, start: int, line: str, body: int) -> Line:
        heading = None if self._items else _HEADING.match(line, body)
        if heading is None or "\t" in line[:body] or body >= _CODE_INDENT:
            return Line(number, start, line, 0, body)
        return Line(number, start, line, len(heading[1]), heading.end())
