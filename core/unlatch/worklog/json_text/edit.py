"""Write a changed value over a JSON text, so that the text differs only where the value does."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.json_text.nodes import Item, Node, read_nodes
from unlatch.worklog.record import OneLine

Path = tuple[str | int, ...]
# An item of the new container: its index in the old one, if it was there, and its text.
_Piece = tuple[int | None, str]
_UNIT = "  "
# DEL counts as one: json.dumps escapes it only with ensure_ascii.
_NON_ASCII_ESCAPE = pattern(r"(?<!\\)(?:\\\\)*\\u(?!00[0-6]|007[0-9a-eA-E])")
_INDENT = pattern(r"[ \t]*")
# By whether other characters than ASCII are escaped.
_ENCODERS = {
    ascii_only: json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False)
    for ascii_only in (False, True)
}


def is_same(old: Any, new: Any) -> bool:
    """Compare as JSON does: True is not 1, 1 is not 1.0, and members have no order."""
    if isinstance(old, str):
        return isinstance(new, str) and old == new
    if isinstance(old, dict):
        alike = isinstance(new, dict) and old.keys() == new.keys()
        return alike and all(is_same(value, new[key]) for key, value in old.items())
    if isinstance(old, list):
        alike = isinstance(new, list | tuple) and len(old) == len(new)
        return alike and all(map(is_same, old, new))
    if isinstance(old, float):
        return isinstance(new, float) and repr(old) == repr(new)  # -0.0 is not 0.0
    return type(old) is type(new) and bool(old == new)


def _aligned(old: Sequence[Any], new: Sequence[Any]) -> Iterable[tuple[int | None, Any]]:
    """Each element of `new`, with the index of its counterpart in `old`, if any.

    The same elements at either end stay; those between are matched in their order.
    """
    shorter = min(len(old), len(new))
    head = _common(old, new, shorter)
    tail = _common(old[::-1], new[::-1], shorter - head)
    added = [None] * (len(new) - shorter)
    places = [*range(shorter - tail), *added, *range(len(old) - tail, len(old))]
    return zip(places, new, strict=True)


def _common(old: Sequence[Any], new: Sequence[Any], limit: int) -> int:
    """Count the equal items at the start of both."""
    differs = (n for n in range(limit) if old[n] != new[n] and not is_same(old[n], new[n]))
    return next(differs, limit)


class Style:
    """The layout of a document."""

    def __init__(self, root: Node) -> None:
        self._root, text = root, root.text
        self.eol = "\r\n" if "\r\n" in text else "\n"
        self.unit = _indent_unit(root)
        gaps = (text[item.key_end : item.node.start] for node in root.walk() for item in node.items)
        self.colon = _on_one_line(gaps) or ": "
        escapes = text.isascii() and "\\u" in text and _NON_ASCII_ESCAPE.search(text)
        self.ascii = bool(escapes)
        self._comma = ""  # looked up when it is first needed: few documents share a line

    @property
    def comma(self) -> str:
        """What is between items that share a line."""
        if not self._comma:
            pairs = (pair for node in self._root.walk() for pair in pairwise(node.items))
            gaps = (self._root.text[before.end : after.start] for before, after in pairs)
            self._comma = _on_one_line(gaps) or ("," if self.colon == ":" else ", ")
        return self._comma

    def render(self, value: Any, indent: str | None) -> str:
        """Write a new value; `indent` is that of the line it starts on, None means one line."""
        if isinstance(value, OneLine):
            indent = None
        inner = None if indent is None else indent + self.unit
        if isinstance(value, dict) and value:
            members = [self.key(k) + self.colon + self.render(v, inner) for k, v in value.items()]
            return "{" + self._lines(members, indent) + "}"
        if isinstance(value, list | tuple) and value:
            return "[" + self._lines([self.render(item, inner) for item in value], indent) + "]"
        return _ENCODERS[self.ascii].encode(value)

    def key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(f"a JSON key must be a string, not {key!r}")
        return self.render(key, None)

    def _lines(self, parts: list[str], indent: str | None) -> str:
        if indent is None:
            return self.comma.join(parts)
        line = self.eol + indent + self.unit
        return line + f",{line}".join(parts) + self.eol + indent


def _on_one_line(gaps: Iterable[str]) -> str | None:
    return next((gap for gap in gaps if gap and "\n" not in gap), None)


def _line_indent(text: str, at: int) -> str:
    """The white space that the line around `at` begins with."""
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return match[0] if match else ""


def _indent_unit(root: Node) -> str:
    """The white space of one more level."""
    unit, text = _UNIT, root.text
    for node in root.walk():
        if node.items and "\n" in text[node.start : node.items[0].start]:
            outer, inner = (_line_indent(text, at) for at in (node.start, node.items[0].start))
            if inner != outer:
                return inner.removeprefix(outer)
            unit = ""
    return unit


def edited(text: str, value: Any) -> str:
    root = read_nodes(text)
    editor = _Editor(text, Style(root))
    body = editor.rewritten(root, value, inline=editor.is_inline(root))
    return text[: root.start] + body + text[root.end :]


def renamed(text: str, renames: Mapping[Path, str]) -> str:
    for start, end, path in sorted(_keys(read_nodes(text), ()), reverse=True):
        if path in renames:
            text = f"{text[:start]}{json.dumps(renames[path])}{text[end:]}"
    return text


def _keys(node: Node, path: Path) -> Iterator[tuple[int, int, Path]]:
    for index, item in enumerate(node.items):
        here = (*path, index if item.key is None else item.key)
        if item.key is not None:
            yield item.start, item.key_end, here
        yield from _keys(item.node, here)


@dataclass(frozen=True, slots=True)
class _Editor:
    text: str
    style: Style

    def rewritten(self, node: Node, new: Any, *, inline: bool) -> str:
        """The node's text for `new`; `inline` says that its container has one line."""
        # Python finds a difference much faster than `is_same`, which few parts then need.
        if (node.value == new or not node.is_full) and is_same(node.value, new):
            return self.text[node.start : node.end]
        if node.is_full and isinstance(node.value, dict) and isinstance(new, dict):
            return self._joined(node, self._members(node, new))
        if node.is_full and isinstance(node.value, list) and isinstance(new, list | tuple):
            return self._joined(node, self._elements(node, new))
        return self.style.render(new, None if inline else _line_indent(self.text, node.start))

    def is_inline(self, node: Node) -> bool:
        return node.is_full and self.text.find("\n", node.start, node.end) < 0

    def _members(self, node: Node, new: dict[str, Any]) -> list[_Piece]:
        inline = self.is_inline(node)
        kept: list[_Piece] = [
            (index, self._kept(item, new[item.key], inline=inline))
            for index, item in enumerate(node.items)
            if item.key in new
        ]
        last = node.items[-1]
        colon = self.text[last.key_end : last.node.start]
        colon = self.style.colon if "\n" in colon else colon
        indent = self._new_indent(node)
        added: list[_Piece] = [
            (None, self.style.key(key) + colon + self.style.render(value, indent))
            for key, value in new.items()
            if key not in node.value
        ]
        return kept + added

    def _elements(self, node: Node, new: Sequence[Any]) -> list[_Piece]:
        inline, items = self.is_inline(node), node.items
        return [
            (None, self._new_element(node, value))
            if index is None
            else (index, self._kept(items[index], value, inline=inline))
            for index, value in _aligned(node.value, new)
        ]

    def _kept(self, item: Item, new: Any, *, inline: bool) -> str:
        start = self.text[item.start : item.node.start]
        return start + self.rewritten(item.node, new, inline=inline)

    def _new_element(self, node: Node, value: Any) -> str:
        kind = isinstance(value, dict)
        full = (item.node for item in reversed(node.items) if item.node.is_full)
        alike = next((node for node in full if isinstance(node.value, dict) == kind), None)
        one_line = alike is not None and self.is_inline(alike)
        return self.style.render(value, None if one_line else self._new_indent(node))

    def _joined(self, node: Node, pieces: list[_Piece]) -> str:
        first, last = node.items[0], node.items[-1]
        if not pieces:
            return self.text[node.start] + self.text[node.end - 1]
        parts = [self.text[node.start : first.start], pieces[0][1]]
        for (before, _), (after, text) in pairwise(pieces):
            parts += [self._separator(node, before, after), text]
        return "".join([*parts, self.text[last.end : node.end]])

    def _separator(self, node: Node, before: int | None, after: int | None) -> str:
        if after is None or (before is None and after == 0):
            return self._new_separator(node)
        if before is None:
            return self._gap(node, after - 1)
        # Of the gaps around removed items one stays: the widest, so that no blank line is lost.
        gaps = [self._gap(node, index) for index in range(before, after)]
        return max(gaps, key=lambda gap: gap.count("\n"))

    def _gap(self, node: Node, index: int) -> str:
        return self.text[node.items[index].end : node.items[index + 1].start]

    def _new_separator(self, node: Node) -> str:
        lead = self.text[node.start + 1 : node.items[0].start]
        if len(node.items) > 1:
            gap = self._gap(node, len(node.items) - 2)
        else:
            gap = f",{lead}" if "\n" in lead else self.style.comma
        before, newline, indent = gap.rpartition("\n")
        is_plain = newline and "," in before
        return f",{self.style.eol}{indent}" if is_plain else gap

    def _new_indent(self, node: Node) -> str | None:
        if self.is_inline(node):
            return None
        _, newline, line = self._new_separator(node).rpartition("\n")
        return _line_indent(line, 0) if newline else _line_indent(self.text, node.start)
