"""Linking items to increments, unlinking them, and following items that moved."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
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
        if not (links := _links_to(data, link, manager)):
            return []  # another process did it first
        remove_link(data, link, manager.shapes.links[link.tracker])
        _drop_pending(before, data, links)
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
    keys = {(link.tracker, link.key) for link in links}
    # Nothing more is written to the item. But while the outcome of an attempt is unknown,
    # nothing else may write to it, so an operation in doubt stays.
    left = (
        replace(operation, state=False, options=replace(operation.options, comment="none"))
        if (operation.tracker, operation.item) in keys
        else operation
        for operation in before.pending
        if (operation.tracker, operation.item) not in keys or is_in_doubt(operation)
    )
    set_pending(data, left)


def repoint(manager: MetadataManager, wanted: str, link: Link, to: Link, *, by: str) -> Increment:
    """Point a link and its pending operations to the new place of an item.

    If another link has that place already, the two are merged.
    """

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        shape = manager.shapes.links[link.tracker]
        others = (other for other in before.links if not same_item(other, link))
        twin = next((other for other in others if same_item(other, to)), None)
        if twin is None:
            point_link(data, link, to, shape)
        else:
            remove_link(data, link, shape)
        key = (twin or to).key
        moved = (
            replace(operation, item=key)
            if (operation.tracker, operation.item) == (link.tracker, link.key)
            else operation
            for operation in before.pending
        )
        # Of two operations of one intent, keep the other link's.
        ordered = sorted(moved, key=lambda operation: operation not in before.pending)
        kept = {operation.key: operation for operation in reversed(ordered)}
        set_pending(
            data, tuple(operation for operation in ordered if kept[operation.key] is operation)
        )
        return [Repointed(origin=link.key, **_facts(manager, by, link.tracker, key))]

    return manager.change(wanted, edit)


def _facts(manager: MetadataManager, by: str, tracker: str, item: str) -> dict[str, Any]:
    return {**manager.event_facts(by), "tracker": tracker, "item": item}


def _links_to(data: dict[str, Any], link: Link, manager: MetadataManager) -> list[Link]:
    return [other for other in read_links(data, manager.shapes.links) if same_item(link, other)]
