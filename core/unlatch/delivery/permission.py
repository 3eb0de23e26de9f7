"""What the configuration lets be written to an item, and what is said where it does not.

`sync.write` says it for all items, `sync.write_foreign` for those that were there before their
increment was tied to them. A SpecWeave project's consents (`canUpdateStatus` and the like) are read
as these two settings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.config.sync_config import Part
from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.events import read_events
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.config.config import CoreConfig
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Operation

# SpecWeave ends the ids of stories that it imported in an E.
_IMPORTED = re.compile(r"US-?\w*\d+E", re.IGNORECASE)
_NEEDS = {Kind.CREATE: Part.CREATE, Kind.UPDATE: Part.BODY}


def writable(config: CoreConfig, increment: Increment, operation: Operation) -> frozenset[Part]:
    """The parts of an operation's item that may be written.

    Raises:
        UsageError: `write-not-permitted`; the operation may not be carried out at all.
    """
    restricted = config.sync.write_foreign is not None and operation.kind is not Kind.CREATE
    foreign = restricted and is_foreign(increment, operation)
    parts = config.sync.may_write(operation.tracker, foreign=foreign)
    needed = _NEEDS.get(operation.kind)
    if needed is not None and needed not in parts:
        raise _not_permitted(operation.tracker, needed)
    return parts


def is_foreign(increment: Increment, operation: Operation) -> bool:
    """Whether the item was there before: imported by SpecWeave, or tied by `unlatch link`."""
    link = next((one for one in increment.links if _is_on(one, operation)), None)
    story = link.story if link else operation.story
    if increment.data.get("origin") == "external" or _IMPORTED.fullmatch(story or ""):
        return True
    try:
        events = read_events(increment.folder)
    except StoreError:
        return True  # where nothing tells, the narrower permission counts
    keys = {operation.item, *((link.item, link.url) if link else ())}
    tied = [e for e in events if e.get("tracker") == operation.tracker and e.get("item") in keys]
    made = any(event.get("kind") == Kind.CREATE.value for event in tied)
    return not made and any(event["event"] == "linked" for event in tied)


def check_permitted(workspace: Workspace, tracker: str, part: Part) -> None:
    """Refuse what may not be written at all, before anything is recorded.

    Raises:
        UsageError: `write-not-permitted`.
    """
    if part not in workspace.config.sync.may_write(tracker):
        raise _not_permitted(tracker, part)


def _not_permitted(tracker: str, part: Part) -> UsageError:
    done = {Part.CREATE: "created", Part.BODY: "updated"}.get(part, f"given a {part.value}")
    return UsageError(
        "write-not-permitted",
        f"the configuration does not let items be {done}",
        where=f"[trackers.{tracker}]",
        hint=f'add "{part.value}" to write in [sync] of .unlatch/config.toml; unlatch doctor '
        "shows where it comes from",
    )


def _is_on(link: Link, operation: Operation) -> bool:
    return (link.tracker, link.key) == (operation.tracker, operation.item)
