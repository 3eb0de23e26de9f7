"""The places of the parts of a JSON text, which `json` has accepted before.

The parts of a container are looked up when they are first needed: most of a large text is unchanged
and read as a whole, by the fast decoder.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = pattern(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Node:
    """A value and its slice of the text."""

    __slots__ = ("_items", "end", "start", "text", "value")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.value, self.end = _DECODER.raw_decode(text, start)
        self._items: tuple[Item, ...] | None = None

    @property
    def is_full(self) -> bool:
        """Whether it is a container with items."""
        return bool(self.value) and isinstance(self.value, dict | list)

    @property
    def items(self) -> tuple[Item, ...]:
        if self._items is None:
            self._items = tuple(self._split()) if self.is_full else ()
        return self._items

    def _split(self) -> Iterator[Item]:
        at = _skip_space(self.text, self.start + 1)
        while at < self.end - 1:
            item = self._item(at)
            yield item
            at = _skip_space(self.text, item.end)
            if self.text[at] == ",":
                at = _skip_space(self.text, at + 1)

    def _item(self, at: int) -> Item:
        if isinstance(self.value, list):
            return Item(at, None, at, Node(self.text, at))
        key, key_end = _DECODER.raw_decode(self.text, at)
        colon = _skip_space(self.text, key_end)
        return Item(at, key, key_end, Node(self.text, _skip_space(self.text, colon + 1)))

    def walk(self) -> Iterator[Node]:
        yield self
        for item in self.items:
            yield from item.node.walk()


class Item(NamedTuple):
    """An array's element, or an object's member, which starts at its key."""

    start: int
    key: str | None
    key_end: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def read_nodes(text: str) -> Node:
    return Node(text, _skip_space(text, 0))


def _skip_space(text: str, at: int) -> int:
    if text[at] not in " \t\n\r":
        return at  # a search takes longer
    match = _SPACE.match(text, at)
    return match.end() if match else at


def duplicate_keys(node: Node, pointer: str = "") -> Iterator[str]:
    """JSON pointers of the keys that occur twice in an object, each as often as it is repeated."""
    seen: set[str] = set()
    for index, item in enumerate(node.items):
        step = str(index) if item.key is None else item.key.replace("~", "~0").replace("/", "~1")
        here = f"{pointer}/{step}"
        if step in seen:
            yield here
        seen.add(step)
        yield from duplicate_keys(item.node, here)


def copied(value: Any) -> Any:
    """A copy of a JSON value; copy.deepcopy, which knows more types, takes four times as long."""
    if isinstance(value, dict):
        return {key: copied(member) for key, member in value.items()}
    return [copied(member) for member in value] if isinstance(value, list) else value
