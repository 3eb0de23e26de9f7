"""Results of a size that agents read whole: the longest lists are cut, and say by how much."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_mcp.calls import Document

# Bytes of the indented JSON, with room for what is added; agents cut results of about 25 KB.
MOST = 24_000
# The oldest entries stand first in these.
_NEWEST_LAST = frozenset({"events", "reopens", "reopenHistory", "log"})
_REST = MappingProxyType(
    {
        "list_increments": "call it again with skip",
        "status": "call list_increments with a status",
        "search": "search for more words",
        "expand_effort": "call it again with fewer lines",
        "item_status": "call it again with fewer items",
    }
)
_AT_A_TERMINAL = "the user can see all of it with unlatch at a terminal"
_SHORT = 200


class _List(NamedTuple):
    """A list in a document, and its member that holds it."""

    size: int
    place: str
    name: str
    entries: list[Any]


def fitted(document: Document, tool: str) -> Document:
    """The document of a tool, cut if it is too large; `leftOut` has the number of entries."""
    shorter = json.loads(json.dumps(document))
    if _size(shorter) <= MOST:
        return document
    left_out: dict[str, int] = {}
    while (size := _size(shorter)) > MOST:
        longest = max(_lists(shorter), default=None, key=lambda listed: listed.size)
        if longest is None:
            shorter = _shortened(shorter)
            break
        entries = longest.entries
        kept = len(entries) // 2 if size > 2 * MOST else len(entries) * 3 // 4
        cut = len(entries) - max(1, kept)
        if longest.name in _NEWEST_LAST:
            del entries[:cut]
        else:
            del entries[-cut:]
        left_out[longest.place] = left_out.get(longest.place, 0) + cut
    return {**shorter, "leftOut": left_out, "more": _REST.get(tool, _AT_A_TERMINAL)}


def _lists(value: Any, place: str = "", name: str = "") -> Iterator[_List]:
    """The lists that can be cut."""
    if isinstance(value, list):
        if len(value) > 1:
            yield _List(_size(value), place, name, value)
        for number, item in enumerate(value):
            yield from _lists(item, f"{place}[{number}]", name)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _lists(member, f"{place}.{key}" if place else key, key)


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _SHORT:
        return f"{value[:_SHORT]}..."
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(member) for key, member in value.items()}
    return value


def _size(value: Any) -> int:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return len(text.encode("utf-8", "surrogatepass"))
