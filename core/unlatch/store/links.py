"""Links in metadata.json: every shape found in real files is read, one is written.

This is the one module of the core that knows trackers by name, because files written by SpecWeave
name them; a tracker that it does not know is read by the shape in its manifest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import Base, Link

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
    keys = (shape.item, *_OLD_ITEM_KEYS.get(tracker, ()))
    item = next((found for key in keys if (found := _item(block.get(key)))), None)
    if item is not None:
        urls = (block.get(key) for key in (shape.url, *_OLD_URL_KEYS))
        url = next((url for url in urls if isinstance(url, str) and url.strip()), None)
        yield Link(tracker, item, url, _base(block.get("base")), path)


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
    entry: dict[str, Any] = {shape.item: int(item) if shape.number else item}
    if url:
        entry[shape.url] = url
    return entry


def add_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Write a new link: under the plain keys if it is the first, else in `items` as well."""
    block = data.setdefault(link.tracker, {})
    entry = entry_for(link.item, link.url, shape)
    if link.base:
        entry["base"] = base_entry(link.base)
    if shape.item not in block and "items" not in block:
        block.update(entry)
        return
    if "items" not in block:
        # From the second link on, `items` holds all of them and the plain keys repeat the first.
        first = {key: block[key] for key in (shape.item, shape.url, "base") if key in block}
        block.pop("base", None)
        block["items"] = [first]
    block["items"].append(entry)


def remove_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Take a link out; what else stands in its block stays."""
    *outer, last = link.path
    if isinstance(last, int):
        siblings = block_at(data, tuple(outer))
        del siblings[last]  # type: ignore[arg-type]  # a list: the path ends in a number
        _settle_items(data, link, shape, tuple(outer))
        return
    block = block_at(data, link.path)
    for key in (shape.item, *_OLD_ITEM_KEYS.get(link.tracker, ()), shape.url, *_OLD_URL_KEYS):
        block.pop(key, None)
    block.pop("base", None)
    if not block:
        del block_at(data, tuple(outer))[str(last)]


def _settle_items(data: dict[str, Any], link: Link, shape: LinkShape, path: Path) -> None:
    *outer, name = path
    block = block_at(data, tuple(outer))
    left = block[str(name)]
    if _item(block.get(shape.item)) == link.item:
        block.pop(shape.item)
        block.pop(shape.url, None)
        if left:
            block.update({k: v for k, v in left[0].items() if k in (shape.item, shape.url)})
    if name == "items" and len(left) == 1:
        del block["items"]
        block.update(left[0])
    elif not left:
        del block[str(name)]
    if not block:
        del block_at(data, tuple(outer[:-1]))[str(outer[-1])]


def base_entry(base: Base) -> dict[str, str]:
    """A base as link blocks write it."""
    return {"local": base.local, "remote": base.remote, "state": base.state}
