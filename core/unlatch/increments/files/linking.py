"""Linking items to increments, unlinking them, and following items that moved."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.events import Linked, Repointed, Unlinked
from unlatch.increments.records.link_edits import add_link, point_link, remove_link
from unlatch.increments.records.links import read_links, same_item
from unlatch.increments.records.pending import is_in_doubt, set_pending
from unlatch.worklog.event_log import Event


def link(manager: MetadataManager, wanted: str, links: Iterable[Link], *, by: str) -> Increment:
    """Link items to an increment; ignore items that are linked already."""

    def edit(_before: Increment, data: dict[str, Any]) -> list[Event]:
        events: list[Event] = []
        for link in links:
            if not _links_to(data, link, manager):
                add_link(data, link, manager.shapes.links[link.tracker])
                events.append(Linked(**_facts(manager, by, link.tracker, link.key)))
        return events

    return manager.change(wanted, edit)


def unlink(manager: MetadataManager, wanted: str, link: Link, *, by: str) -> Increment:
    """Unlink an item, and drop its pending operations."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not (known := _links_to(data, link, manager)):
            return []  # another process did it first
        remove_link(data, link, manager.shapes.links[link.tracker])
        _drop_pending(before, data, known)
        return [Unlinked(**_facts(manager, by, link.tracker, link.key))]

    return manager.change(wanted, edit)


def release(manager: MetadataManager, wanted: str, link: Link, *, by: str) -> Increment:
    """Drop the pending operations of an item, and keep the link: a record of an item needs it."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not before.pending:
            return []  # another process did it first
        _drop_pending(before, data, _links_to(data, link, manager))
        return [Unlinked(**_facts(manager, by, link.tracker, link.key))]

    return manager.change(wanted, edit)


def _drop_pending(before: Increment, data: dict[str, Any], links: Iterable[Link]) -> None:
    keys = {(one.tracker, one.key) for one in links}
    # Nothing more is written to the item. But while the outcome of an attempt is unknown,
    # nothing else may write to it, so an operation in doubt stays.
    left = (
        replace(one, state=False, options=replace(one.options, comment="none"))
        if (one.tracker, one.item) in keys
        else one
        for one in before.pending
        if (one.tracker, one.item) not in keys or is_in_doubt(one)
    )
    set_pending(data, left)


def repoint(manager: MetadataManager, wanted: str, link: Link, to: Link, *, by: str) -> Increment:
    """Point a link and its pending operations to the new place of an item.

    If another link has that place already, the two are merged.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        shape = manager.shapes.links[link.tracker]
        others = (one for one in before.links if not same_item(one, link))
        twin = next((one for one in others if same_item(one, to)), None)
        if twin is None:
            point_link(data, link, to, shape)
        else:
            remove_link(data, link, shape)
        key = (twin or to).key
        moved = (
            replace(one, item=key) if (one.tracker, one.item) == (link.tracker, link.key) else one
            for one in before.pending
        )
        # Of two operations of one intent, keep the other link's.
        ordered = sorted(moved, key=lambda one: one not in before.pending)
        kept = {one.key: one for one in reversed(ordered)}
        set_pending(data, tuple(one for one in ordered if kept[one.key] is one))
        return [Repointed(origin=link.key, **_facts(manager, by, link.tracker, key))]

    return manager.change(wanted, edit)


def _facts(manager: MetadataManager, by: str, tracker: str, item: str) -> dict[str, Any]:
    return {**manager.event_facts(by), "tracker": tracker, "item": item}


def _links_to(data: dict[str, Any], link: Link, manager: MetadataManager) -> list[Link]:
    return [known for known in read_links(data, manager.shapes.links) if same_item(link, known)]
