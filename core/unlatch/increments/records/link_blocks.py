"""The blocks of metadata.json that hold links, in every shape found in real files.

This is the one module of the core that knows trackers by name, because files written by SpecWeave
name them; a tracker that it does not know is read by the shape in its manifest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.increment import Base, Link
from unlatch.worklog.record import TEXT, BadRecord, Field, Record, Type, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.spi.manifest import LinkShape

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
    item = None
    for key in item_keys(tracker, shape):
        if key in block and (item := item_in(block[key])):
            break
    if item is None:
        return None
    url = None
    for key in (shape.url, *OLD_URL_KEYS):
        if isinstance(block.get(key), str) and block[key].strip():
            url = block[key]
            break
    return Link(tracker, item, url, _base(block.get("base")), path, story_in(block))


def story_in(block: dict[str, Any]) -> str | None:
    """The user story of an item; SpecWeave writes it as the entry's id."""
    for key in STORY_KEYS:
        found = block.get(key)
        if isinstance(found, str) and _STORY.fullmatch(found):
            return found
    return None


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
