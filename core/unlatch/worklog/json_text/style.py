"""How a JSON document is laid out, and how a new value is written in that layout."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.worklog.json_text.nodes import Node

_UNIT = "  "
# That of a delete character is one: json.dumps escapes it in ASCII alone.
_NON_ASCII_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-6]|007[0-9a-eA-E])")
_INDENT = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Style:
    eol: str = "\n"
    unit: str = _UNIT
    comma: str = ", "  # between items that share a line
    colon: str = ": "
    ascii: bool = False

    @classmethod
    def of(cls, text: str, root: Node) -> Style:
        colon = next(_colons(text, root), ": ")
        return cls(
            eol="\r\n" if "\r\n" in text else "\n",
            unit=_indent_unit(text, root),
            comma=next(_commas(text, root), "," if colon == ":" else ", "),
            colon=colon,
            ascii=text.isascii() and _NON_ASCII_ESCAPE.search(text) is not None,
        )

    def render(self, value: Any, indent: str | None) -> str:
        """Write a new value; `indent` is that of the line it starts on, None means one line."""
        if isinstance(value, dict) and value:
            inner = self._deeper(indent)
            members = [self.key(k) + self.colon + self.render(v, inner) for k, v in value.items()]
            return "{" + self._lines(members, indent) + "}"
        if isinstance(value, list | tuple) and value:
            inner = self._deeper(indent)
            return "[" + self._lines([self.render(item, inner) for item in value], indent) + "]"
        return json.dumps(value, ensure_ascii=self.ascii, allow_nan=False)

    def key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(f"a JSON key must be a string, not {key!r}")
        return self.render(key, None)

    def _lines(self, parts: list[str], indent: str | None) -> str:
        if indent is None:
            return self.comma.join(parts)
        line = self.eol + indent + self.unit
        return line + f",{line}".join(parts) + self.eol + indent

    def _deeper(self, indent: str | None) -> str | None:
        return None if indent is None else indent + self.unit


def line_indent(text: str, at: int) -> str:
    """Return the white space that the line around `at` begins with."""
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return match[0] if match else ""


def _indent_unit(text: str, root: Node) -> str:
    flush = False
    for node in root.walk():
        if not node.items or "\n" not in text[node.start : node.items[0].start]:
            continue
        outer = line_indent(text, node.start)
        inner = line_indent(text, node.items[0].start)
        if inner != outer:
            return inner.removeprefix(outer)
        flush = True
    return "" if flush else _UNIT


def _colons(text: str, root: Node) -> Iterator[str]:
    for node in root.walk():
        for item in node.items:
            colon = text[item.key_end : item.node.start]
            if colon and "\n" not in colon:
                yield colon


def _commas(text: str, root: Node) -> Iterator[str]:
    for node in root.walk():
        for before, after in zip(node.items, node.items[1:], strict=False):
            comma = text[before.end : after.start]
            if "\n" not in comma:
                yield comma
