"""Links in metadata.json: every shape found in real files is read, one is written.

This is the one module of the core that knows trackers by name, because files written by SpecWeave
name them; a tracker that it does not know is read by the shape in its manifest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import Base, Link
from unlatch.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.domain.increment import LinkShape

_OLD_BLOCKS = ("external_sync", "externalLinks")
_OLD_ITEM_KEYS: Mapping[str, tuple[str, ...]] = {
    "github": ("issueNumber", "issue_number", "number"),
    "ado": ("item", "work_item_id", "featureId"),
    "jira": ("issue", "epicKey", "key"),
}
_OLD_URL_KEYS = ("issueUrl", "issue_url", "workItemUrl", "epicUrl")
_LISTS = ("items", "user_story_issues")

_NUMBER = re.compile(r"[0-9]{1,18}")

Path = tuple[str | int, ...]


def read_links(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """The links of an increment, each item once, with the place of its block."""
    links: list[Link] = []
    # In the order of the file, which is the order that people made them in.
    for tracker in sorted(shapes, key=lambda name: _rank(data, name)):
        for path, block in _blocks(data, tracker):
            for link in _links_in(block, path, tracker=tracker, shape=shapes[tracker]):
                if not any(same_item(link, other) for other in links):
                    links.append(link)
    return tuple(links)


def _rank(data: Mapping[str, Any], tracker: str) -> int:
    return list(data).index(tracker) if tracker in data else len(data)


def same_item(one: Link, other: Link) -> bool:
    """Whether two links mean one item: by address where both have one, else by id."""
    if one.tracker != other.tracker:
        return False
    if one.url and other.url:
        return one.url.rstrip("/").casefold() == other.url.rstrip("/").casefold()
    return one.item == other.item


def _blocks(data: Mapping[str, Any], tracker: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(block := data.get(tracker), dict):
        yield (tracker,), block
    for outer in _OLD_BLOCKS:
        inner = data.get(outer)
        if isinstance(inner, dict) and isinstance(block := inner.get(tracker), dict):
            yield (outer, tracker), block


def _links_in(
    block: dict[str, Any], path: Path, *, tracker: str, shape: LinkShape
) -> Iterator[Link]:
    for name in _LISTS:
        entries = block.get(name)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                yield from _link(entry, (*path, name, number), tracker=tracker, shape=shape)
    yield from _link(block, path, tracker=tracker, shape=shape)


def _link(block: dict[str, Any], path: Path, *, tracker: str, shape: LinkShape) -> Iterator[Link]:
    keys = _item_keys(tracker, shape)
    item = next((found for key in keys if (found := _item(block.get(key)))), None)
    if item is not None:
        urls = (block.get(key) for key in (shape.url, *_OLD_URL_KEYS))
        url = next((url for url in urls if isinstance(url, str) and url.strip()), None)
        yield Link(tracker, item, url, _base(block.get("base")), path)


def _item_keys(tracker: str, shape: LinkShape) -> tuple[str, ...]:
    return shape.item, *_OLD_ITEM_KEYS.get(tracker, ())


def _item(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip().removeprefix("#") or None


def _base(value: object) -> Base | None:
    if not isinstance(value, dict):
        return None
    parts = (value.get("local"), value.get("remote"), value.get("state"))
    local, remote, state = parts
    if isinstance(local, str) and isinstance(remote, str) and isinstance(state, str):
        return Base(local, remote, state)
    return None


def block_at(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The block that a link was read from, for changing it in place."""
    node: Any = data
    for step in path:
        node = node[step]
    return node  # type: ignore[no-any-return]  # the reader found a dict there


def entry_for(item: str, url: str | None, shape: LinkShape) -> dict[str, Any]:
    """An item as link blocks and syncedTo write it."""
    is_number = shape.number and _NUMBER.fullmatch(item)
    entry: dict[str, Any] = {shape.item: int(item) if is_number else item}
    if url:
        entry[shape.url] = url
    return entry


def add_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Write a new link: under the plain keys if it is the first, else in `items` as well.

    Raises:
        StoreError: `metadata-invalid`, if something that is no link block stands in its place.
    """
    block = _block_for(data, link.tracker)
    first = next(_link(block, (), tracker=link.tracker, shape=shape), None)
    if first is None and "items" not in block:
        block.update(_entry(link, shape))
        return
    if first is not None and "items" not in block:
        # From the second link on, `items` holds all of them and the plain keys repeat the first.
        block["items"] = [_entry(first, shape)]
        block.pop("base", None)
    block["items"].append(_entry(link, shape))


def _block_for(data: dict[str, Any], tracker: str) -> dict[str, Any]:
    if data.get(tracker) is None:
        data[tracker] = {}
    block = data[tracker]
    if isinstance(block, dict) and isinstance(block.get("items", []), list):
        return block
    raise StoreError(
        "metadata-invalid",
        f"metadata.json: /{tracker} is no link block that a link could be added to",
        hint="mend it by hand, then run the command again",
    )


def _entry(link: Link, shape: LinkShape) -> dict[str, Any]:
    entry = entry_for(link.item, link.url, shape)
    return {**entry, "base": base_entry(link.base)} if link.base else entry


def remove_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Take a link out wherever it stands; what else stands in its blocks stays."""

    def is_it(entry: object) -> bool:
        found = isinstance(entry, dict) and _link(entry, (), tracker=link.tracker, shape=shape)
        return any(same_item(link, one) for one in found or ())

    for path, block in tuple(_blocks(data, link.tracker)):
        for name in _LISTS:
            entries = block.get(name)
            if isinstance(entries, list) and any(map(is_it, entries)):
                block[name] = [entry for entry in entries if not is_it(entry)]
        if is_it(block):
            _clear(block, link, shape)
        _settle(block, link.tracker, shape)
        if not block:
            del block_at(data, path[:-1])[str(path[-1])]


def _clear(block: dict[str, Any], link: Link, shape: LinkShape) -> None:
    for key in _item_keys(link.tracker, shape):
        if _item(block.get(key)) == link.item:
            del block[key]
    for key in (shape.url, *_OLD_URL_KEYS, "base"):
        block.pop(key, None)


def _settle(block: dict[str, Any], tracker: str, shape: LinkShape) -> None:
    """Bring a block that lost a link into the form that the links left in it have."""
    for name in _LISTS:
        if block.get(name) == []:
            del block[name]
    items = block.get("items")
    if not isinstance(items, list) or not isinstance(items[0], dict):
        return
    plain = (shape.item, shape.url)
    if next(_link(block, (), tracker=tracker, shape=shape), None) is None:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    if len(items) == 1:
        del block["items"]
        block.update({key: value for key, value in items[0].items() if key not in plain})


def base_entry(base: Base) -> dict[str, str]:
    """A base as link blocks write it."""
    return {"local": base.local, "remote": base.remote, "state": base.state}
