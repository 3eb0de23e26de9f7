"""Links in metadata.json: every shape found in real files is read, one is written.

This is the one module of the core that knows trackers by name, because files written by SpecWeave
name them; a tracker that it does not know is read by the shape in its manifest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.model.increment import Base, Link
from unlatch.worklog.record import TEXT, BadRecord, Field, Record, Type, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.increments.model.increment import Increment
    from unlatch.spi.manifest import LinkShape
    from unlatch.spi.operation import Operation

BASE = Record(
    "BaseRecord",
    "What both sides of a link were when they were last in step.",
    Base,
    Field("local", Type("Status", text), "local", required=True),
    Field("remote", Type("Category", text), "remote", required=True),
    Field("state", TEXT, "state", required=True),
)

_OLD_BLOCKS = ("external_sync", "externalLinks")
_OLD_ITEM_KEYS: Mapping[str, tuple[str, ...]] = {
    "github": ("issueNumber", "issue_number", "number"),
    "ado": ("item", "work_item_id", "featureId"),
    "jira": ("issue", "epicKey", "key"),
}
_OLD_URL_KEYS = ("issueUrl", "issue_url", "workItemUrl", "epicUrl")
_LISTS = ("items", "user_story_issues")
_STORY_KEYS = ("story", "userStory", "id")

_STORY = re.compile(r"US-?\w+(?:-\w+)*", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,18}")

Path = tuple[str | int, ...]


def read_links(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """The links of an increment, each item once, with the place of its block."""
    links: list[Link] = []
    # In the order of the file, which is the order that people made them in.
    for tracker in {**data, **shapes}:
        if tracker in shapes:
            links += _distinct(_links_of(data, tracker, shapes[tracker]))
    if isinstance(profile := data.get("githubProfile"), str):
        links = [_in_profile(link, profile) for link in links]
    return tuple(links)


def _in_profile(link: Link, profile: str) -> Link:
    is_bare = link.tracker == "github" and link.url is None
    return replace(link, profile=profile) if is_bare else link


def _distinct(links: Iterable[Link]) -> Iterator[Link]:
    """Of links of one tracker that mean the same item (`same_item`) the first."""
    urls: set[str] = set()
    items: dict[str, bool] = {}
    for link in links:
        url = _address(link)
        if url in urls or (link.item in items and not (url and items[link.item])):
            continue
        if url:
            urls.add(url)
        items[link.item] = bool(url) and items.get(link.item, True)
        yield link


def spelled_twice(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """The links that mean an item which an earlier link means already, by another address."""
    kept = {link.path for link in read_links(data, shapes)}
    every = (link for tracker, shape in shapes.items() for link in _links_of(data, tracker, shape))
    known = {(link.tracker, link.url) for link in read_links(data, shapes)}
    return tuple(
        link
        for link in every
        if link.path not in kept and link.url and (link.tracker, link.url) not in known
    )


def same_item(one: Link, other: Link) -> bool:
    """Whether two links mean one item: by address where both have one, else by id."""
    if one.tracker != other.tracker:
        return False
    if one.url and other.url:
        return one.url == other.url or _address(one) == _address(other)
    return one.item == other.item


def identity(link: Link) -> tuple[str, str]:
    """A link's item for use as a key: links with equal identities mean the same item."""
    return link.tracker, _address(link) or link.item


def _address(link: Link) -> str | None:
    """The address of a link's item, without what differs from one way of writing it to another."""
    if not link.url:
        return None
    address = link.url.partition("#")[0].partition("://")[2] or link.url
    path, _, query = address.partition("?")
    path = path.rstrip("/").casefold()
    # Some addresses name their item in the query alone.
    return path if path.endswith(f"/{link.item.casefold()}") or not query else f"{path}?{query}"


def link_of(increment: Increment, operation: Operation) -> Link:
    """The link that an operation is about; one that was unlinked meanwhile is made from its item.

    The second spelling of an item's address leads to the link with the first.
    """
    for link in increment.links:
        if (link.tracker, link.key) == (operation.tracker, operation.item):
            return link
    url = operation.item if "://" in operation.item else None
    found = Link(operation.tracker, _last_part(operation.item), url)
    return next((link for link in increment.links if url and same_item(link, found)), found)


def _last_part(item: str) -> str:
    if "://" not in item:
        return item
    return item.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]


def story_of(increment: Increment, operation: Operation) -> str | None:
    """The user story that an operation's item is about; None for the increment as a whole."""
    return operation.story or link_of(increment, operation).story


def _blocks(data: Mapping[str, Any], tracker: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(block := data.get(tracker), dict):
        yield (tracker,), block
    for outer in _OLD_BLOCKS:
        inner = data.get(outer)
        if isinstance(inner, dict) and isinstance(block := inner.get(tracker), dict):
            yield (outer, tracker), block


def _links_of(data: Mapping[str, Any], tracker: str, shape: LinkShape) -> Iterator[Link]:
    for path, block in _blocks(data, tracker):
        for name in _LISTS:
            entries = block.get(name)
            for number, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict) and (
                    link := _link(entry, tracker, shape, (*path, name, number))
                ):
                    yield link
        if link := _link(block, tracker, shape, path):
            yield link


def _link(block: dict[str, Any], tracker: str, shape: LinkShape, path: Path = ()) -> Link | None:
    """The link that a block, or an entry of its lists, holds under its own keys."""
    item = None
    for key in _item_keys(tracker, shape):
        if key in block and (item := _item(block[key])):
            break
    if item is None:
        return None
    url = None
    for key in (shape.url, *_OLD_URL_KEYS):
        if isinstance(block.get(key), str) and block[key].strip():
            url = block[key]
            break
    return Link(tracker, item, url, _base(block.get("base")), path, _story(block))


def _story(block: dict[str, Any]) -> str | None:
    """The user story that an item is about; SpecWeave writes it as the entry's id."""
    for key in _STORY_KEYS:
        found = block.get(key)
        if isinstance(found, str) and _STORY.fullmatch(found):
            return found
    return None


def _item_keys(tracker: str, shape: LinkShape) -> tuple[str, ...]:
    return shape.item, *_OLD_ITEM_KEYS.get(tracker, ())


def _item(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip().removeprefix("#") or None


def _base(value: object) -> Base | None:
    try:
        return BASE.read(value)  # type: ignore[no-any-return]  # its model
    except BadRecord:
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
    first = _link(block, link.tracker, shape)
    if first is None and "items" not in block:
        block.update(_entry(link, shape))
        return
    if first is not None and "items" not in block:
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
    raise StoreError(
        "metadata-invalid",
        f"metadata.json: /{tracker} is no link block that a link could be added to",
        hint="mend it by hand, then run the command again",
    )


def _entry(link: Link, shape: LinkShape) -> dict[str, Any]:
    entry = entry_for(link.item, link.url, shape)
    if link.story is not None:
        entry["story"] = link.story
    return {**entry, "base": BASE.write(link.base)} if link.base else entry


def point_link(data: dict[str, Any], link: Link, to: Link, shape: LinkShape) -> None:
    """Let a link mean another item, wherever it stands; the keys that it is written by stay."""
    for _, block in tuple(_blocks(data, link.tracker)):
        entries = [one for name in _LISTS for one in block.get(name) or () if isinstance(one, dict)]
        for entry in (block, *entries):
            known = _link(entry, link.tracker, shape)
            if known is not None and same_item(known, link):
                _point(entry, to, shape)


def _point(entry: dict[str, Any], to: Link, shape: LinkShape) -> None:
    keys = _item_keys(to.tracker, shape)
    key = next(key for key in keys if _item(entry.get(key)))
    is_number = isinstance(entry[key], int) and _NUMBER.fullmatch(to.item)
    entry[key] = int(to.item) if is_number else to.item
    url = next((one for one in (shape.url, *_OLD_URL_KEYS) if one in entry), shape.url)
    entry[url] = to.url


def remove_link(data: dict[str, Any], link: Link, shape: LinkShape) -> None:
    """Take a link out wherever it stands; what else stands in its blocks stays."""

    def is_it(entry: object) -> bool:
        found = _link(entry, link.tracker, shape) if isinstance(entry, dict) else None
        return found is not None and same_item(link, found)

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
    for key in (shape.url, *_OLD_URL_KEYS, "base", "story"):
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
    if _link(block, tracker, shape) is None:
        block.update({key: items[0][key] for key in plain if key in items[0]})
    if len(items) == 1:
        del block["items"]
        block.update({key: value for key, value in items[0].items() if key not in plain})


def old_keys(block: Mapping[str, Any], *, tracker: str, shape: LinkShape) -> dict[str, str]:
    """The keys that a link in this block is read from, where they are not the canonical ones.

    Returns:
        The canonical key for each of them; none for a canonical key that stands there already.
    """
    item = next((key for key in _item_keys(tracker, shape) if _item(block.get(key))), None)
    urls = (key for key in (shape.url, *_OLD_URL_KEYS) if _is_text(block.get(key)))
    story = next((key for key in _STORY_KEYS if _story({key: block.get(key)})), None)
    read = {shape.item: item, shape.url: next(urls, None), "story": story}
    return {old: key for key, old in read.items() if old is not None and key not in block}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
