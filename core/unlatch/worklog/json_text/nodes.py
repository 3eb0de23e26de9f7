"""The places of all parts of a JSON text, which `json` has accepted before."""

import json
from collections.abc import Iterator
from typing import Any

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.json_text import MAX_DEPTH

_SPACE = pattern(r"[ \t\n\r]*")
_SCALAR = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its slice of the text; `items` is empty for a scalar."""

    start: int
    end: int
    value: Any
    items: "tuple[Item, ...]" = ()

    def walk(self) -> "Iterator[Node]":
        yield self
        for item in self.items:
            yield from item.node.walk()


@dataclass(frozen=True, slots=True)
class Item:
    """An array's element, or an object's member, which starts at its key."""

    start: int
    key: str | None
    key_end: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def read_nodes(text: str, at: int = 0) -> Node:
    start = _skip_space(text, at)
    if text[start] in "{[":
        return _read_container(text, start)
    value, end = _SCALAR.raw_decode(text, start)
    return Node(start, end, value)


def _read_container(text: str, start: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    items: list[Item] = []
    at = _skip_space(text, start + 1)
    while text[at] != close:
        items.append(_read_item(text, at, is_member=is_object))
        at = _skip_space(text, items[-1].end)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    value = (
        {one.key: one.node.value for one in items} if is_object else [i.node.value for i in items]
    )
    return Node(start, at + 1, value, tuple(items))


def _read_item(text: str, at: int, *, is_member: bool) -> Item:
    if not is_member:
        return Item(at, None, at, read_nodes(text, at))
    key, key_end = _SCALAR.raw_decode(text, at)
    return Item(at, key, key_end, read_nodes(text, _skip_space(text, key_end) + 1))


def _skip_space(text: str, at: int) -> int:
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
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        above, level = level, []
        for one in above:
            if isinstance(one, dict):
                level += one.values()
            elif isinstance(one, list | tuple):
                level += one
        if not level:
            return False
    return True
