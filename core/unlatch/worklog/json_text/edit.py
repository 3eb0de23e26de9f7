"""Write a changed value over a JSON text, so that the text differs only where the value does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.worklog.json_text.compare import aligned, is_same
from unlatch.worklog.json_text.nodes import Node, read_nodes
from unlatch.worklog.json_text.style import Style, line_indent

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Piece(NamedTuple):
    """An item of the new container: where it stood in the old one, if it did, and its text."""

    origin: int | None
    text: str


def edited(text: str, value: Any) -> str:
    root = read_nodes(text)
    editor = _Editor(text, Style.of(text, root))
    body = editor.rewritten(root, value, inline=editor.is_inline(root))
    return text[: root.start] + body + text[root.end :]


@dataclass(frozen=True, slots=True)
class _Editor:
    text: str
    style: Style

    def rewritten(self, node: Node, new: Any, *, inline: bool) -> str:
        """Return the node's text for `new`; `inline` says that its container has one line."""
        if is_same(node.value, new):
            return self.text[node.start : node.end]
        if node.items and isinstance(node.value, dict) and isinstance(new, dict):
            return self._joined(node, self._members(node, new))
        if node.items and isinstance(node.value, list) and isinstance(new, list | tuple):
            return self._joined(node, self._elements(node, new))
        return self.style.render(new, None if inline else line_indent(self.text, node.start))

    def is_inline(self, node: Node) -> bool:
        return bool(node.items) and "\n" not in self.text[node.start : node.end]

    def _members(self, node: Node, new: dict[str, Any]) -> list[_Piece]:
        kept = [
            self._kept(node, index, new[item.key])
            for index, item in enumerate(node.items)
            if item.key in new
        ]
        last = node.items[-1]
        colon = self.text[last.key_end : last.node.start]
        colon = self.style.colon if "\n" in colon else colon
        indent = self._new_indent(node)
        added = [
            _Piece(None, self.style.key(key) + colon + self.style.render(value, indent))
            for key, value in new.items()
            if key not in node.value
        ]
        return kept + added

    def _elements(self, node: Node, new: Sequence[Any]) -> list[_Piece]:
        return [
            self._new_element(node, value) if index is None else self._kept(node, index, value)
            for index, value in aligned(node.value, new)
        ]

    def _kept(self, node: Node, index: int, new: Any) -> _Piece:
        item = node.items[index]
        start = self.text[item.start : item.node.start]
        return _Piece(index, start + self.rewritten(item.node, new, inline=self.is_inline(node)))

    def _new_element(self, node: Node, value: Any) -> _Piece:
        alike = [item.node for item in node.items if item.node.items and _is_alike(item, value)]
        one_line = bool(alike) and self.is_inline(alike[-1])
        return _Piece(None, self.style.render(value, None if one_line else self._new_indent(node)))

    def _joined(self, node: Node, pieces: list[_Piece]) -> str:
        first, last = node.items[0], node.items[-1]
        if not pieces:
            return self.text[node.start] + self.text[node.end - 1]
        parts = [self.text[node.start : first.start], pieces[0].text]
        for before, after in pairwise(pieces):
            parts += [self._separator(node, before.origin, after.origin), after.text]
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
        if not newline:
            return line_indent(self.text, node.start)
        return line_indent(line, 0)


def _is_alike(item: Any, value: Any) -> bool:
    return isinstance(item.node.value, dict) == isinstance(value, dict)
