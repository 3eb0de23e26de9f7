"""The links of an increment: the blocks of metadata.json in every shape found in real files.

This is the one module of the core that knows trackers by name, because files written by SpecWeave
name them; a tracker that it does not know is read by the shape in its manifest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.increments.model.increment import Base, Increment, Link
from unlatch.worklog.record import TEXT, BadRecord, Field, Record, Type, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.spi.manifest import LinkShape
    from unlatch.spi.operation import Operation

BASE = Record(
    "BaseRecord",
    "Both sides of a link when they were last in sync.",
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
OLD_URL_KEYS = ("issueUrl", "issue_url", "workItemUrl", "epicUrl")
LISTS = ("items", "user_story_issues")
STORY_KEYS = ("story", "userStory", "id")

_STORY = re.compile(r"US-?\w+(?:-\w+)*", re.IGNORECASE | re.ASCII)
NUMBER = re.compile(r"[0-9]{1,18}")

Path = tuple[str | int, ...]


def blocks_of(data: Mapping[str, Any], tracker: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(block := data.get(tracker), dict):
        yield (tracker,), block
    for outer in _OLD_BLOCKS:
        inner = data.get(outer)
        if isinstance(inner, dict) and isinstance(block := inner.get(tracker), dict):
            yield (outer, tracker), block


def link_in(block: dict[str, Any], tracker: str, shape: LinkShape, path: Path = ()) -> Link | None:
    """The link under the own keys of a block, or of an entry of its lists."""
    items = (item_in(block.get(key)) for key in item_keys(tracker, shape))
    if (item := next(filter(None, items), None)) is None:
        return None
    urls = (block.get(key) for key in (shape.url, *OLD_URL_KEYS))
    url = next((one for one in urls if isinstance(one, str) and one.strip()), None)
    return Link(tracker, item, url, _base(block.get("base")), path, story_in(block))


def story_in(block: dict[str, Any]) -> str | None:
    """The user story of an item; SpecWeave writes it as the entry's id."""
    found = (block.get(key) for key in STORY_KEYS)
    return next((one for one in found if isinstance(one, str) and _STORY.fullmatch(one)), None)


def item_keys(tracker: str, shape: LinkShape) -> tuple[str, ...]:
    return shape.item, *_OLD_ITEM_KEYS.get(tracker, ())


def item_in(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip().removeprefix("#") or None


def _base(value: object) -> Base | None:
    try:
        return BASE.read(value)  # type: ignore[no-any-return]  # its model
    except BadRecord:
        return None


@dataclass(frozen=True, slots=True)
class Shapes:
    """The forms of the trackers' links and syncedTo entries, by the plugins' names."""

    links: Mapping[str, LinkShape]
    synced: Mapping[str, LinkShape]


def read_links(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """The links of an increment, each item once, with the place of its block."""
    # In the order of the file, which is the order that people made them in.
    known = ((one, shapes[one]) for one in {**data, **shapes} if one in shapes)
    links = [link for one, shape in known for link in _distinct(_links_of(data, one, shape))]
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
    """The links to an item of an earlier link, by another address."""
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
    """The address of a link's item, in one spelling."""
    if not link.url:
        return None
    address = link.url.partition("#")[0].partition("://")[2] or link.url
    path, _, query = address.partition("?")
    path = path.rstrip("/").casefold()
    # Some addresses name their item in the query alone.
    return path if path.endswith(f"/{link.item.casefold()}") or not query else f"{path}?{query}"


class _OnItem(Protocol):
    """An operation or an event; `item` is the item's address, else its id."""

    @property
    def tracker(self) -> str: ...
    @property
    def item(self) -> str: ...


def link_of(increment: Increment, one: _OnItem) -> Link:
    """The link of an item in any spelling; made from the item if it was unlinked."""
    for link in increment.links:
        if (link.tracker, link.key) == (one.tracker, one.item):
            return link
    url = one.item if "://" in one.item else None
    found = Link(one.tracker, _last_part(one.item), url)
    return next((link for link in increment.links if url and same_item(link, found)), found)


def _last_part(item: str) -> str:
    if "://" not in item:
        return item
    return item.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]


def story_of(increment: Increment, operation: Operation) -> str | None:
    """The user story of an operation's item; None for the increment as a whole."""
    return operation.story or link_of(increment, operation).story


def _links_of(data: Mapping[str, Any], tracker: str, shape: LinkShape) -> Iterator[Link]:
    for path, block in blocks_of(data, tracker):
        for name in LISTS:
            entries = block.get(name)
            for number, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict) and (
                    link := link_in(entry, tracker, shape, (*path, name, number))
                ):
                    yield link
        if link := link_in(block, tracker, shape, path):
            yield link
