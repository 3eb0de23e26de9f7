"""The places of metadata.json that seem to name items but give no link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.increments.records.item_address import TRACKERS
from unlatch.increments.records.link_places import (
    EXTERNAL_REF,
    LISTS,
    Path,
    blocks_of,
    contradiction,
    entries_of,
    holders,
    issue_keys,
    item_keys,
    places_of,
    story_in,
    trackers_in,
)
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from unlatch.spi.manifest import LinkShape

# Other words for a tracker, in one spelling; SpecWeave does not read them either.
_NAMES = {"ado": ("azuredevops", "azureboards")}
# Names of trackers in blocks of other programs, also at the top.
_OTHER_TRACKERS = frozenset(
    {"asana", "azure", "bitbucket", "clickup", "gitea"}
    | {"gitlab", "linear", "redmine", "shortcut", "trello", "youtrack"}
)
# Keys whose values name items; not a milestone, a project or the time of a sync.
_NAMING = pattern(
    r"(?!milestone|project|last|sync).*(?:issue|item|stor|epic|feature|key|number|url|ref)",
    re.IGNORECASE,
)
# These name an item only in the block of a known tracker.
_SHORT = pattern(r"id|num|link|href", re.IGNORECASE)


def names_any(data: Mapping[str, Any], trackers: Iterable[str]) -> bool:
    """Whether a key names one of the trackers, in any word for it."""
    keys = {key for _, holder in holders(data) for key in holder}
    return bool(trackers_in(data, trackers)) or any(
        _is_other_name(key, tracker) for tracker in trackers for key in keys
    )


def unread_places(data: Mapping[str, Any], tracker: str, shape: LinkShape) -> Iterator[Path]:
    """The unread blocks, keys and entries that seem to name items of a tracker."""
    paths = [link.path for link in places_of(data, tracker, shape)]
    read = {path[:length] for path in paths for length in range(1, len(path) + 1)}
    yield from (path for path in _naming(data, tracker, shape) if path not in read)
    for path, block in blocks_of(data, tracker):
        if path in read:
            yield from (place for place in _entry_places(block, path) if place not in read)


def unread_reason(block: object, tracker: str, shape: LinkShape) -> str:
    """The reason why no item of a tracker is read from a block."""
    if isinstance(block, dict) and (items := contradiction(block, tracker, shape)):
        return f"names {tracker} {items[0]}, and its address shows {items[1]}"
    return f"names {tracker}, but no item that unlatch can read"


def unknown_trackers(data: Mapping[str, Any], trackers: Iterable[str]) -> Iterator[Path]:
    """The blocks that seem to name items of unknown trackers."""
    names = set(trackers)
    for path, holder in holders(data):
        for key, block in holder.items():
            is_other = path or key.casefold() in _OTHER_TRACKERS
            is_known = key in names or any(_is_other_name(key, name) for name in names)
            named = filter(_NAMING.match, block) if isinstance(block, dict) else ()
            if is_other and not is_known and any(block[key] for key in named):
                yield (*path, key)


def _entry_places(block: Any, path: Path) -> Iterator[Path]:
    """The places of a block's entries, without user stories that have no item yet."""
    for name in LISTS if isinstance(block, dict) else ():
        if isinstance(block.get(name), list):
            for key, entry, _ in entries_of(block, name):
                if not (isinstance(entry, dict) and story_in(entry)):
                    yield (*path, name, key)


def _naming(data: Mapping[str, Any], tracker: str, shape: LinkShape) -> Iterator[Path]:
    own = item_keys(tracker, shape)
    for path, block in blocks_of(data, tracker):
        if isinstance(block, dict):
            # 0 names no item.
            keys = [key for key, value in block.items() if value or (key in own and value == 0)]
            is_named = any(_NAMING.match(key) or _SHORT.fullmatch(key) for key in keys)
        else:
            # SpecWeave writes null in externalLinks for a tracker without an item.
            is_named = block is not None or len(path) == 1
        if is_named:
            yield path
    if tracker not in TRACKERS:
        return
    for path, holder in holders(data):
        yield from ((*path, key) for key in holder if holder[key] and _is_other_name(key, tracker))
        yield from ((*path, key) for key in issue_keys(tracker) if holder.get(key))
    ref = data.get(EXTERNAL_REF)
    if isinstance(ref, str) and ref.strip().startswith(f"{tracker}#"):
        yield (EXTERNAL_REF,)


def _is_other_name(key: str, tracker: str) -> bool:
    word = "".join(filter(str.isalnum, key)).casefold()
    return key != tracker and word in (tracker, *_NAMES.get(tracker, ()))
