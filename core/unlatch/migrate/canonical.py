"""Rewriting a metadata.json of any known shape in the shape that unlatch writes.

Keys keep their places, and unknown ones stay. Where the result would be read in another way than
before, the file is left alone.
"""

import copy
import re
from dataclasses import replace
from operator import attrgetter
from typing import Any

from unlatch.increments.files.reading import ACTIVITY_KEYS, COMPLETED_KEYS, CREATED_KEYS, ID_KEYS
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.contracts import TIME_PATTERN
from unlatch.increments.records.link_edits import (
    add_link,
    block_at,
    is_old_place,
    old_keys,
    remove_link,
)
from unlatch.increments.records.link_places import ITEMS, LISTS, OUTER_BLOCKS
from unlatch.increments.records.links import Shapes, read_links, same_item
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
    _move_links(data, shapes)
    for tracker, shape in shapes.links.items():
        _list_all(data, tracker, shape)
    made = renamed.with_value(data)
    after = snapshot(folder, JsonText.parse(made), shapes)
    return made if _is_alike(before, after) else None


def _renames(data: dict[str, Any], shapes: Shapes) -> dict[tuple[str | int, ...], str]:
    found: dict[tuple[str | int, ...], str] = {}
    for keys in _SYNONYMS:
        # A number or a truth value under such a name is another program's field.
        old = next((key for key in keys if isinstance(data.get(key), str)), keys[0])
        if old != keys[0] and keys[0] not in data:
            found[(old,)] = keys[0]
    for link in read_links(data, shapes.links):
        if not link.has_block:
            continue
        block = block_at(data, link.path)
        old_ones = old_keys(block, tracker=link.tracker, shape=shapes.links[link.tracker])
        found |= {(*link.path, old): new for old, new in old_ones.items()}
        outer, name = link.path[0], "".join(map(str, link.path[1:2]))
        if outer == link.tracker and name in _LISTS and _can_be_items(data[outer], name):
            found[outer, name] = ITEMS
    return found


def _can_be_items(block: dict[str, Any], name: str) -> bool:
    """Whether a list can be renamed to `items`: it is the only one, and of objects."""
    entries, others = block[name], (key for key in LISTS if key in block and key != name)
    is_plain = isinstance(entries, list) and all(isinstance(one, dict) for one in entries)
    return is_plain and not any(others)


def _rewrite_times(data: dict[str, Any]) -> None:
    for key in _TIMES:
        moment = read_stamp(data.get(key))
        if moment is not None and not re.search(TIME_PATTERN, data[key]):
            data[key] = stamp(moment)


def _move_links(data: dict[str, Any], shapes: Shapes) -> None:
    """Move links from SpecWeave's outer blocks and lists to their tracker's own."""
    for link in read_links(data, shapes.links):
        outer = str(link.path[0])
        if is_old_place(link) and outer in (link.tracker, *OUTER_BLOCKS):
            shape = shapes.links[link.tracker]
            more = _other_facts(block_at(data, link.path), link, shape)
            remove_link(data, link, shape)
            add_link(data, replace(link, path=()), shape)
            _place_of(data, link, shapes).update(more)
            if data.get(outer) == {}:
                del data[outer]


def _other_facts(entry: Any, link: Link, shape: LinkShape) -> dict[str, Any]:
    """The facts of another program in an entry of a list."""
    if not link.has_block or link.path[-1] == link.tracker:
        return {}
    own = {
        shape.item,
        shape.url,
        "story",
        "base",
        *old_keys(entry, tracker=link.tracker, shape=shape),
    }
    return {key: value for key, value in entry.items() if key not in own}


def _place_of(data: dict[str, Any], link: Link, shapes: Shapes) -> dict[str, Any]:
    found = (one for one in read_links(data, shapes.links) if same_item(one, link))
    return block_at(data, next(found).path)  # type: ignore[no-any-return]  # it was added


def _list_all(data: dict[str, Any], tracker: str, shape: LinkShape) -> None:
    """List all of a tracker's links in `items`, and the first in the plain keys as well."""
    block = data.get(tracker)
    items = block.get("items") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(items, list) or not items:
        return
    if not all(isinstance(one, dict) and shape.item in one for one in items):
        return
    plain = (shape.item, shape.url)
    if shape.item not in block:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    elif not any(one[shape.item] == block[shape.item] for one in items):
        own = {key: block[key] for key in (*plain, "story", "base") if key in block}
        block["items"] = [own, *items]
        block.pop("story", None)
        block.pop("base", None)


def _is_alike(before: Increment, after: Increment) -> bool:
    """Whether both are the same increment, however they are written."""
    plain = {"raw_status": "", "links": (), "warnings": ()}
    if replace(before, **plain) != replace(after, **plain):  # type: ignore[arg-type]  # as named
        return False
    facts = attrgetter("url", "story", "base", "target")
    return len(before.links) == len(after.links) and all(
        any(facts(one) == facts(other) and same_item(one, other) for other in after.links)
        for one in before.links
    )
