"""Write links into metadata.json; other keys of a block stay."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unlatch.errors import StoreError
from unlatch.increments.model.link import Base, Link
from unlatch.increments.records.bases import BASE
from unlatch.increments.records.item_address import NUMBER, item_in
from unlatch.increments.records.link_places import (
    ITEMS,
    LISTS,
    STORY_KEYS,
    URL_LISTS,
    Path,
    blocks_of,
    item_keys,
    link_in,
    places_of,
    plain_link,
    story_in,
    target_in,
    url_key,
)
from unlatch.increments.records.links import same_item
from unlatch.spi.manifest import LinkShape
from unlatch.worklog.record import OneLine


def block_at(data: dict[str, Any], path: Path) -> Any:
    """The value at a link's place: its block, which can be edited, or a plain item."""
    node: Any = data
    for step in path:
        node = node[step]
    return node


def write_base(data: dict[str, Any], link: Link, base: Base, shape: LinkShape) -> None:
    """Write the base of a link into its block; for a plain item, add a block.

    Check boxes that were not compared keep their base.
    """
    if base.boxes is None and link.base is not None:
        base = replace(base, boxes=link.base.boxes)
    if link.has_block:
        block_at(data, link.path)["base"] = _written(base)
    else:
        add_link(data, replace(link, base=base), shape)


def _written(base: Base) -> dict[str, Any]:
    entry = BASE.write(base)
    return entry if base.boxes else OneLine(entry)


def remove_base(data: dict[str, Any], link: Link) -> None:
    if link.has_block:
        block_at(data, link.path).pop("base", None)


def entry_for(item: str, url: str | None, shape: LinkShape) -> dict[str, Any]:
    """An item in the form of link blocks and syncedTo."""
    is_number = shape.number and NUMBER.fullmatch(item)
    entry: dict[str, Any] = {shape.item: int(item) if is_number else item}
    if url:
        entry[shape.url] = url
    return entry


def add_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Write a new link: under the plain keys if it is the first, else in `items` as well.

    StoreError `metadata-invalid`: the tracker's key has another value.
    """
    block = _block_for(data, link, shape)
    first = link_in(block, link.tracker, shape)
    if "items" not in block:
        if first is None:
            block.update(_entry(link, shape, block))
            return
        # From the second link on, `items` holds all of them and the plain keys repeat the first.
        block["items"] = [_entry(first, shape, block)]
        block.pop("base", None)
        block.pop("story", None)
    block["items"].append(_entry(link, shape, block))


def _block_for(data: dict[str, Any], link: Link, shape: LinkShape) -> dict[str, Any]:
    block = data.get(link.tracker)
    if not block or _means(block, link):
        block = {}
    elif own := plain_link(block, link.tracker):
        block = _entry(own, shape, {})
    if isinstance(block, dict) and isinstance(block.get("items", []), list):
        data[link.tracker] = block
        return block
    message = f"metadata.json: /{link.tracker} is no link block that a link could be added to"
    hint = f"remove /{link.tracker} from metadata.json, then run the command again"
    raise StoreError("metadata-invalid", message, hint=hint)


def _means(value: object, link: Link) -> bool:
    """Whether a plain value, or each value of a list, names only the item of a link."""
    if isinstance(value, list):
        return all(_means(entry, link) for entry in value)
    item = item_in(value, link.tracker)
    named = replace(link, item=item, url=None) if item else plain_link(value, link.tracker)
    return named is not None and same_item(named, link)


def _entry(link: Link, shape: LinkShape, block: dict[str, Any]) -> dict[str, Any]:
    is_placed = link.url or link.target == target_in(block, link.tracker)
    entry = entry_for(link.item if is_placed else link.name, link.url, shape)
    if link.story is not None:
        entry["story"] = link.story
    return {**entry, "base": _written(link.base)} if link.base else entry


def point_link(data: dict[str, Any], link: Link, to: Link, shape: LinkShape) -> None:
    """Point a link to another item, in all its places and under their keys."""
    for place in _places_of(data, link, shape):
        if place.has_block:
            _point(block_at(data, place.path), place, to, shape)
        elif isinstance(place.path[-1], int) and to.url:
            block_at(data, place.path[:-1])[place.path[-1]] = to.url
        else:
            _take_out(data, place, shape)
    if not _places_of(data, to, shape):
        add_link(data, replace(to, story=link.story), shape)


def _places_of(data: dict[str, Any], link: Link, shape: LinkShape) -> list[Link]:
    """The places that name a link's item, in reverse order."""
    return [place for place in places_of(data, link.tracker, shape) if same_item(place, link)][::-1]


def _point(entry: dict[str, Any], place: Link, to: Link, shape: LinkShape) -> None:
    key = next(key for key in item_keys(to.tracker, shape) if item_in(entry.get(key), to.tracker))
    is_number = isinstance(entry[key], int) and NUMBER.fullmatch(to.item)
    url = url_key(entry, place.item, shape) or shape.url
    entry[key] = int(to.item) if is_number else to.item
    entry[url] = to.url


def remove_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Remove a link from each place; other keys stay."""
    for place in _places_of(data, link, shape):
        _take_out(data, place, shape)
    for path, block in tuple(blocks_of(data, link.tracker)):
        if isinstance(block, dict):
            _settle(block, link.tracker, shape)
            if not block:
                del block_at(data, path[:-1])[path[-1]]


def _take_out(data: dict[str, Any], place: Link, shape: LinkShape) -> None:
    """Remove one place, and a list whose last entry it was."""
    *outer, key = place.path
    around = block_at(data, tuple(outer))
    if place.has_block and key == place.tracker:
        _clear(around[key], place, shape)
        return
    del around[key]
    holder = block_at(data, tuple(outer[:-1]))
    if isinstance(key, int):
        for name in URL_LISTS:
            urls = holder.get(name)
            if isinstance(urls, list) and len(urls) == len(around) + 1:
                del urls[key]
                if not urls:
                    del holder[name]
    if not around and outer and (isinstance(around, list) or outer[-1] in LISTS):
        del holder[outer[-1]]


def _clear(block: dict[str, Any], link: Link, shape: LinkShape) -> None:
    for key in item_keys(link.tracker, shape):
        if item_in(block.get(key), link.tracker) == link.item:
            del block[key]
    url = url_key(block, link.item, shape) or shape.url
    for old in (shape.url, url, "base", "story"):
        block.pop(old, None)


def _settle(block: dict[str, Any], tracker: str, shape: LinkShape) -> None:
    """Rewrite a block for its remaining links."""
    for name in LISTS:
        if block.get(name) == []:
            del block[name]
    items = block.get(ITEMS)
    if not isinstance(items, list) or not isinstance(items[0], dict):
        return
    plain = (shape.item, shape.url)
    if link_in(block, tracker, shape) is None:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    if len(items) == 1:
        del block["items"]
        block.update({key: value for key, value in items[0].items() if key not in plain})


def is_old_place(link: Link) -> bool:
    """Whether unlatch now writes such a link elsewhere: into its tracker's block, or `items`."""
    return link.path[:1] != (link.tracker,) or (
        link.path != (link.tracker,) and link.path[1:2] != (ITEMS,)
    )


def old_keys(block: Mapping[str, Any], *, tracker: str, shape: LinkShape) -> dict[str, str]:
    """The canonical key for each old key of a link in this block."""
    item = next(
        (key for key in item_keys(tracker, shape) if item_in(block.get(key), tracker)), None
    )
    url = url_key(block, item_in(block[item], tracker) or "", shape) if item else None
    story = next((key for key in STORY_KEYS if story_in({key: block.get(key)})), None)
    read = {shape.item: item, shape.url: url, "story": story}
    return {old: key for key, old in read.items() if old is not None and key not in block}
