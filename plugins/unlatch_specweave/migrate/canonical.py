"""Rewrite a metadata.json of any known shape in the current shape.

Keys keep their places, and unknown keys stay. If the result would be read differently or lose
values, the file is not changed.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any

from unlatch.increments.files.metadata_file import (
    ACTIVITY_KEYS,
    COMPLETED_KEYS,
    CREATED_KEYS,
    ID_KEYS,
)
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.records.contracts import TIME_PATTERN
from unlatch.increments.records.item_address import item_at, item_in
from unlatch.increments.records.link_edits import (
    add_link,
    block_at,
    is_old_place,
    old_keys,
    remove_link,
)
from unlatch.increments.records.link_places import ITEMS, LISTS, OUTER_BLOCKS, places_of
from unlatch.increments.records.links import read_links, same_item
from unlatch.increments.records.shapes import Shapes
from unlatch.spi.manifest import LinkShape
from unlatch.worklog.collection import Folder
from unlatch.worklog.json_text.document import JsonText
from unlatch.worklog.times import read_stamp, stamp

_SYNONYMS = (ID_KEYS, CREATED_KEYS, ACTIVITY_KEYS, COMPLETED_KEYS)
_TIMES = tuple(keys[0] for keys in (CREATED_KEYS, ACTIVITY_KEYS, COMPLETED_KEYS))
_LISTS = frozenset(LISTS) - {ITEMS}


def canonical(folder: Folder, text: JsonText, shapes: Shapes) -> bytes | None:
    """The content in the current shape, or None; raises StoreError if it cannot be read now."""
    before = snapshot(folder, text, shapes)
    renamed = JsonText.parse(text.with_keys(_renames(text.value, shapes)))
    data = copy.deepcopy(renamed.value)
    data["id"] = folder.name
    data["status"] = before.status.value
    _rewrite_times(data)
    if not _move_links(data, shapes):
        return None
    for tracker, shape in shapes.links.items():
        _list_all(data, tracker, shape)
    content = renamed.with_value(data)
    after = snapshot(folder, JsonText.parse(content), shapes)
    return content if _is_alike(before, after) and _has_all(before, after) else None


def _renames(data: dict[str, Any], shapes: Shapes) -> dict[tuple[str | int, ...], str]:
    renames: dict[tuple[str | int, ...], str] = {}
    for keys in _SYNONYMS:
        # A number or a truth value under such a name is another program's field.
        old = next((key for key in keys if isinstance(data.get(key), str)), keys[0])
        if old != keys[0] and keys[0] not in data:
            renames[(old,)] = keys[0]
    for link in read_links(data, shapes.links):
        if not link.has_block:
            continue
        block = block_at(data, link.path)
        old_ones = old_keys(block, tracker=link.tracker, shape=shapes.links[link.tracker])
        renames |= {(*link.path, old): new for old, new in old_ones.items()}
        outer, name = link.path[0], "".join(map(str, link.path[1:2]))
        if outer == link.tracker and name in _LISTS and _can_be_items(data[outer], name):
            renames[outer, name] = ITEMS
    return renames


def _can_be_items(block: dict[str, Any], name: str) -> bool:
    """Whether a list can be renamed to `items`: it is the only list, and has objects only."""
    entries, others = block[name], (key for key in LISTS if key in block and key != name)
    is_plain = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    return is_plain and not any(others)


def _rewrite_times(data: dict[str, Any]) -> None:
    for key in _TIMES:
        moment = read_stamp(data.get(key))
        if moment is not None and not re.search(TIME_PATTERN, data[key]):
            data[key] = stamp(moment)


def _move_links(data: dict[str, Any], shapes: Shapes) -> bool:
    """Move links from SpecWeave's outer blocks and lists to their tracker's own.

    False if the other keys of an entry cannot move with its item.
    """
    places = {*shapes.links, *OUTER_BLOCKS}
    links = [link for link in read_links(data, shapes.links) if is_old_place(link)]
    links = [link for link in links if link.path[0] in places]
    # Now, because each removal moves the entries behind it.
    facts = [_other_facts(data, link, shapes.links[link.tracker]) for link in links]
    for link in links:
        remove_link(data, link, shapes.links[link.tracker])
        add_link(data, replace(link, path=()), shapes.links[link.tracker])
        if data.get(str(link.path[0])) == {}:
            del data[str(link.path[0])]
    return all(_keep(data, link, more, shapes) for link, more in zip(links, facts, strict=True))


def _other_facts(data: dict[str, Any], link: Link, shape: LinkShape) -> list[tuple[str, Any]]:
    """The keys of other programs in the list entries of one item."""
    plain = {shape.item, shape.url, "story", "base"}
    return [
        (key, value)
        for place in places_of(data, link.tracker, shape)
        if same_item(place, link) and place.has_block and place.path[-1] != link.tracker
        for entry in [block_at(data, place.path)]
        for key, value in entry.items()
        if key not in plain | old_keys(entry, tracker=link.tracker, shape=shape).keys()
    ]


def _keep(data: dict[str, Any], link: Link, facts: list[tuple[str, Any]], shapes: Shapes) -> bool:
    """Add keys to the block of a link; False if it is unreadable or has other values."""
    links = (other for other in read_links(data, shapes.links) if same_item(other, link))
    if (moved := next(links, None)) is None:
        return False
    block = block_at(data, moved.path)
    return all(block.setdefault(key, value) == value for key, value in facts)


def _list_all(data: dict[str, Any], tracker: str, shape: LinkShape) -> None:
    """List all links of a tracker in `items`, and also the first in the plain keys."""
    block = data.get(tracker)
    items = block.get("items") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(items, list) or not items:
        return
    if not all(isinstance(item, dict) and shape.item in item for item in items):
        return
    plain = (shape.item, shape.url)
    if shape.item not in block:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    elif not any(item[shape.item] == block[shape.item] for item in items):
        own = {key: block[key] for key in (*plain, "story", "base") if key in block}
        block["items"] = [own, *items]
        block.pop("story", None)
        block.pop("base", None)


def _is_alike(before: Increment, after: Increment) -> bool:
    """Whether both describe the same increment."""
    plain = {"links": (), "warnings": ()}
    if replace(before, **plain) != replace(after, **plain):  # type: ignore[arg-type]  # as named
        return False
    facts = attrgetter("key", "story", "base")
    return len(before.links) == len(after.links) and all(
        any(facts(link) == facts(other) and same_item(link, other) for other in after.links)
        for link in before.links
    )


def _has_all(before: Increment, after: Increment) -> bool:
    """Whether all values are kept, except those that name items."""
    rewritten = {key for keys in _SYNONYMS for key in keys} | {"status"}
    data = {key: value for key, value in before.data.items() if key not in rewritten}
    lost = set(_texts(data)) - set(_texts(after.data))
    return all(any(_names(value, link) for link in before.links) for value in lost)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)


def _names(text: str, link: Link) -> bool:
    """Whether a text is the id, the story or an address of a link."""
    is_address = item_at(link.tracker, text) == link.item.casefold()
    is_same = text in (link.url, link.story) or link.item == item_in(text, link.tracker)
    return is_address or is_same
