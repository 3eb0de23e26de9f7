"""Rename keys in a JSON text; all else stays byte by byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.worklog.json_text.nodes import Node, read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.worklog.json_text.document import JsonText

Path = tuple[str | int, ...]


def with_keys(document: JsonText, renames: Mapping[Path, str]) -> bytes:
    """The document with other names for some keys.

    Args:
        renames: the new name of each key, by its path in the document as it is.
    """
    text = document.text
    places = sorted(_places(read_nodes(text), ()), reverse=True)
    for start, end, path in places:
        if path in renames:
            text = f"{text[:start]}{json.dumps(renames[path])}{text[end:]}"
    return ("\ufeff" + text if document.bom else text).encode()


def _places(node: Node, path: Path) -> Iterator[tuple[int, int, Path]]:
    for index, item in enumerate(node.items):
        here = (*path, index if item.key is None else item.key)
        if item.key is not None:
            yield item.start, item.key_end, here
        yield from _places(item.node, here)
