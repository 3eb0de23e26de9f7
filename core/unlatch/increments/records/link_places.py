"""The places of metadata.json that name items, in every shape found in real files.

Only this module and those that it imports know trackers by name in the core, because files written
by SpecWeave name them; other trackers are read by the shapes in their manifests.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.link import Base, Link
from unlatch.increments.records.item_address import (
    TRACKERS,
    is_at,
    is_plain,
    item_at,
    item_in,
    named_in,
    plain_item,
)
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.spi.manifest import LinkShape

OUTER_BLOCKS = ("external_sync", "externalLinks", "external_links")
ITEMS = "items"
# The keys of a block that hold further items: in a list, or by their user stories.
LISTS = (ITEMS, "user_story_issues", "issues", "userStories")
# The addresses of the plain items in a list beside it.
URL_LISTS = ("issue_urls", "issueUrls")
STORY = "story"
STORY_KEYS = (STORY, "userStory", "id")
EXTERNAL_REF, EXTERNAL_URL = "external_ref", "external_url"
# The keys of metadata.json that may name items of the trackers that SpecWeave knows.
LINK_KEYS = (*TRACKERS, *OUTER_BLOCKS, EXTERNAL_REF, EXTERNAL_URL)
_OLD_ITEM_KEYS: Mapping[str, tuple[str, ...]] = {
    "github": ("issueNumber", "issue_number", "number"),
    "ado": ("workItem", "item", "work_item_id", "featureId"),
    "jira": ("issue", "epicKey", "key"),
}
_OLD_URL_KEYS = ("url", "issueUrl", "issue_url", "workItemUrl", "epicUrl", "featureUrl")

_STORY = pattern(r"US-?\w+(?:-\w+)*", re.IGNORECASE | re.ASCII)
# The keys of an item's container.
_TARGET = {"github": ("owner", "repo"), "ado": ("organization", "project")}
_REF = pattern(r"(?P<tracker>\w+)#(?:(?P<target>[^#]*)#)?(?P<item>[^#]+)")

Path = tuple[str | int, ...]


def places_of(data: Mapping[str, Any], tracker: str, shape: LinkShape) -> Iterator[Link]:
    """Each place that names an item of a tracker, as a link; several may name one item."""
    for path, block in blocks_of(data, tracker):
        if isinstance(block, dict):
            yield from _in_block(block, tracker, shape, path)
        elif link := plain_link(block, tracker):
            yield replace(link, path=path)
    if tracker in TRACKERS:
        yield from _beside_blocks(data, tracker)


def trackers_in(data: Mapping[str, Any], trackers: Iterable[str]) -> list[str]:
    """The trackers that any key names; most files name one, and this check is quick."""
    if _all_keys(tuple(trackers)).isdisjoint(data):
        return []
    keys = {key for _, holder in holders(data) for key in holder}
    return [tracker for tracker in trackers if not keys.isdisjoint(_keys_of(tracker))]


@cache
def _all_keys(trackers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(OUTER_BLOCKS).union(*map(_keys_of, trackers))


@cache
def _keys_of(tracker: str) -> frozenset[str]:
    """The keys outside of blocks that can name items of a tracker."""
    return frozenset((tracker, *issue_keys(tracker), EXTERNAL_REF))


def blocks_of(data: Mapping[str, Any], tracker: str) -> Iterator[tuple[Path, Any]]:
    """The values under a tracker's name, at the top and in known outer blocks."""
    for path, holder in holders(data):
        if tracker in holder:
            yield (*path, tracker), holder[tracker]


def _in_block(block: dict[str, Any], tracker: str, shape: LinkShape, path: Path) -> Iterator[Link]:
    target = target_in(block, tracker)
    for name in filter(block.__contains__, LISTS):
        for key, entry, url in entries_of(block, name):
            place = (*path, name, key)
            if isinstance(entry, dict):
                link = link_in(entry, tracker, shape, place, target=target)
            else:
                link = _plain(entry, tracker, place, url=url, target=target)
            if link is not None:
                yield link
    if link := link_in(block, tracker, shape, path):
        yield link


def entries_of(block: dict[str, Any], name: str) -> Iterator[tuple[str | int, Any, str | None]]:
    """The entries of a list with their keys, and addresses from the list beside it."""
    entries = block.get(name)
    if isinstance(entries, dict):
        # A plain value under another key than a user story's may be a count.
        pairs = (
            (key, entry) for key, entry in entries.items() if isinstance(entry, dict) or _story(key)
        )
        yield from ((key, entry, None) for key, entry in pairs)
    elif isinstance(entries, list):
        lists = (block.get(key) for key in URL_LISTS)
        fitting = (
            beside for beside in lists if isinstance(beside, list) and len(beside) == len(entries)
        )
        urls = next(fitting, [None] * len(entries))
        for number, (entry, url) in enumerate(zip(entries, urls, strict=True)):
            if name != ITEMS or isinstance(entry, dict):
                yield number, entry, url if isinstance(url, str) else None


def issue_keys(tracker: str) -> tuple[str, str]:
    return f"{tracker}_issue", f"{tracker}_issues"


def link_in(
    block: dict[str, Any],
    tracker: str,
    shape: LinkShape,
    path: Path = (),
    *,
    target: str | None = None,
) -> Link | None:
    """The link under the keys of a block, or of an entry of its lists."""
    named_item = _own_item(block, tracker, shape)
    if named_item is None or _contradicted(block, tracker, named_item):
        return None
    own, item, key = named_item
    url, target = block[key] if key else None, own or target_in(block, tracker) or target
    return Link(tracker, item, url, _base(block), path, _story_at(path, block), target)


def _base(block: Mapping[str, Any]) -> Base | None:
    if "base" not in block:
        return None
    from unlatch.increments.records.bases import read_base  # noqa: PLC0415  (slow to load)

    return read_base(block["base"])


def _own_item(
    block: Mapping[str, Any], tracker: str, shape: LinkShape
) -> tuple[str | None, str, str | None] | None:
    """The container and the item under the keys of a block, and the key of its address."""
    for key in item_keys(tracker, shape):
        if key in block and (named_item := named_in(block[key], tracker)):
            return (*named_item, url_key(block, named_item[1], shape))
    return None


def contradiction(
    block: Mapping[str, Any], tracker: str, shape: LinkShape
) -> tuple[str, str] | None:
    """The item that a block names and the different one at its address; None if they agree."""
    named_item = _own_item(block, tracker, shape)
    return _contradicted(block, tracker, named_item) if named_item else None


def _contradicted(
    block: Mapping[str, Any], tracker: str, named: tuple[str | None, str, str | None]
) -> tuple[str, str] | None:
    _, item, key = named
    item_there = item_at(tracker, block[key]) if key else None
    return (item, item_there) if item_there not in (None, item.casefold()) else None


def url_key(block: Mapping[str, Any], item: str, shape: LinkShape) -> str | None:
    """The key of an item's address; an old key counts if its address names the item."""
    for key in (shape.url, *_OLD_URL_KEYS):
        url = block.get(key)
        if url and isinstance(url, str) and url.strip() and (key == shape.url or is_at(url, item)):
            return key
    return None


def item_keys(tracker: str, shape: LinkShape) -> tuple[str, ...]:
    return shape.item, *_OLD_ITEM_KEYS.get(tracker, ())


def story_in(block: Mapping[str, Any]) -> str | None:
    """The user story of an item; SpecWeave writes it as the entry's id."""
    own = block.get(STORY)
    # unlatch alone writes this key, and other tools call their stories anything.
    if isinstance(own, str) and own.strip():
        return own
    for key in STORY_KEYS:
        if key in block and (story := _story(block[key])):
            return story
    return None


def _story(value: object) -> str | None:
    return value if isinstance(value, str) and _STORY.fullmatch(value) else None


def _story_at(path: Path, block: Mapping[str, Any] | None = None) -> str | None:
    own = story_in(block) if block else None
    return own or (_story(path[-1]) if len(path) > 1 else None)


def plain_link(value: object, tracker: str) -> Link | None:
    """The link for a tracker's whole value if that is an address; other words may mean anything."""
    link = _plain(value, tracker, (tracker,)) if isinstance(value, str) else None
    return link if link and link.url else None


def _plain(
    value: object, tracker: str, path: Path, *, url: str | None = None, target: str | None = None
) -> Link | None:
    """The link for an item that is a plain number, key or address."""
    if (parts := plain_item(value, tracker, url)) is None:
        return None
    item, url = parts
    story = _story_at(path)
    return Link(tracker, item, url, path=path, story=story, target=target, has_block=False)


def holders(data: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield (), data
    for outer in OUTER_BLOCKS:
        if isinstance(inner := data.get(outer), dict):
            yield (outer,), inner


def _beside_blocks(data: Mapping[str, Any], tracker: str) -> Iterator[Link]:
    """Items outside of a tracker's blocks: `github_issues` and `external_ref`."""
    one_key, list_key = issue_keys(tracker)
    for path, holder in holders(data):
        if link := _plain(holder.get(one_key), tracker, (*path, one_key)):
            yield link
        values = holder.get(list_key)
        for number, entry in enumerate(values if isinstance(values, list) else ()):
            if link := _plain(entry, tracker, (*path, list_key, number)):
                yield link
    ref = data.get(EXTERNAL_REF)
    match = _REF.fullmatch(ref.strip()) if isinstance(ref, str) else None
    if not match or match["tracker"] != tracker or not is_plain(match["item"], tracker):
        return
    if item := item_in(match["item"], tracker):
        url, target = data.get(EXTERNAL_URL), match["target"] if tracker != "jira" else None
        url = url if isinstance(url, str) and is_at(url, item) else None
        place: Path = (EXTERNAL_REF,)
        yield Link(tracker, item, url, path=place, target=target or None, has_block=False)


def target_in(block: Mapping[str, Any], tracker: str) -> str | None:
    """The container that a block names for its items, as `octo/widgets` or `fabrikam/widgets`."""
    outer, inner = _TARGET.get(tracker, ("", ""))
    around, name = block.get(outer), block.get(inner)
    if not isinstance(name, str):
        return None
    if name.count("/") == 1:
        return name
    return f"{around}/{name}" if isinstance(around, str) else None
