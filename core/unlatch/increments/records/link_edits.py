"""Write links into metadata.json; other keys of a block stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.records.links import (
    BASE,
    LISTS,
    NUMBER,
    OLD_URL_KEYS,
    STORY_KEYS,
    blocks_of,
    item_in,
    item_keys,
    link_in,
    same_item,
    story_in,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.increments.model.increment import Link
    from unlatch.increments.records.links import Path
    from unlatch.spi.manifest import LinkShape


def block_at(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The block of a link, to be changed in place."""
    node: Any = data
    for step in path:
        node = node[step]
    return node  # type: ignore[no-any-return]  # the reader found a dict there


def entry_for(item: str, url: str | None, shape: LinkShape) -> dict[str, Any]:
    """An item as link blocks and syncedTo write it."""
    is_number = shape.number and NUMBER.fullmatch(item)
    entry: dict[str, Any] = {shape.item: int(item) if is_number else item}
    if url:
        entry[shape.url] = url
    return entry


def add_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Write a new link: under the plain keys if it is the first, else in `items` as well.

    StoreError `metadata-invalid`: the tracker's key has another value.
    """
    block = _block_for(data, link.tracker)
    first = link_in(block, link.tracker, shape)
    if "items" not in block:
        if first is None:
            block.update(_entry(link, shape))
            return
        # From the second link on, `items` holds all of them and the plain keys repeat the first.
        block["items"] = [_entry(first, shape)]
        block.pop("base", None)
        block.pop("story", None)
    block["items"].append(_entry(link, shape))


def _block_for(data: dict[str, Any], tracker: str) -> dict[str, Any]:
    if data.get(tracker) is None:
        data[tracker] = {}
    block = data[tracker]
    if isinstance(block, dict) and isinstance(block.get("items", []), list):
        return block
    message = f"metadata.json: /{tracker} is no link block that a link could be added to"
    hint = "fix it by hand, then run the command again"
    raise StoreError("metadata-invalid", message, hint=hint)


def _entry(link: Link, shape: LinkShape) -> dict[str, Any]:
    entry = entry_for(link.item, link.url, shape)
    if link.story is not None:
        entry["story"] = link.story
    return {**entry, "base": BASE.write(link.base)} if link.base else entry


def point_link(data: dict[str, Any], link: Link, to: Link, shape: LinkShape) -> None:
    """Point a link to another item, in each block and under the keys that it has."""
    for _, block in tuple(blocks_of(data, link.tracker)):
        entries = [one for name in LISTS for one in block.get(name) or () if isinstance(one, dict)]
        for entry in (block, *entries):
            known = link_in(entry, link.tracker, shape)
            if known is not None and same_item(known, link):
                _point(entry, to, shape)


def _point(entry: dict[str, Any], to: Link, shape: LinkShape) -> None:
    key = next(key for key in item_keys(to.tracker, shape) if item_in(entry.get(key)))
    is_number = isinstance(entry[key], int) and NUMBER.fullmatch(to.item)
    entry[key] = int(to.item) if is_number else to.item
    url = next((one for one in (shape.url, *OLD_URL_KEYS) if one in entry), shape.url)
    entry[url] = to.url


def remove_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Remove a link from each block; other keys stay."""

    def is_it(entry: object) -> bool:
        found = link_in(entry, link.tracker, shape) if isinstance(entry, dict) else None
        return found is not None and same_item(link, found)

    for path, block in tuple(blocks_of(data, link.tracker)):
        for name in LISTS:
            entries = block.get(name)
            if isinstance(entries, list) and any(map(is_it, entries)):
                block[name] = [entry for entry in entries if not is_it(entry)]
        if is_it(block):
            _clear(block, link, shape)
        _settle(block, link.tracker, shape)
        if not block:
            del block_at(data, path[:-1])[str(path[-1])]


def _clear(block: dict[str, Any], link: Link, shape: LinkShape) -> None:
    for key in item_keys(link.tracker, shape):
        if item_in(block.get(key)) == link.item:
            del block[key]
    for key in (shape.url, *OLD_URL_KEYS, "base", "story"):
        block.pop(key, None)


def _settle(block: dict[str, Any], tracker: str, shape: LinkShape) -> None:
    """Rewrite a block for the links that are left in it."""
    for name in LISTS:
        if block.get(name) == []:
            del block[name]
    items = block.get("items")
    if not isinstance(items, list) or not isinstance(items[0], dict):
        return
    plain = (shape.item, shape.url)
    if link_in(block, tracker, shape) is None:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    if len(items) == 1:
        del block["items"]
        block.update({key: value for key, value in items[0].items() if key not in plain})


def old_keys(block: Mapping[str, Any], *, tracker: str, shape: LinkShape) -> dict[str, str]:
    """The canonical key for each key that a link in this block is read from instead."""
    item = next((key for key in item_keys(tracker, shape) if item_in(block.get(key))), None)
    urls = (key for key in (shape.url, *OLD_URL_KEYS) if _is_text(block.get(key)))
    story = next((key for key in STORY_KEYS if story_in({key: block.get(key)})), None)
    read = {shape.item: item, shape.url: next(urls, None), "story": story}
    return {old: key for key, old in read.items() if old is not None and key not in block}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
