"""Tying items to increments and cutting the tie."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.store.links import add_link, point_link, read_links, remove_link, same_item
from unlatch.store.records import set_pending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Increment, Link
    from unlatch.store.events import Event
    from unlatch.store.manager import MetadataManager


def link(manager: MetadataManager, wanted: str, links: Iterable[Link], *, by: str) -> Increment:
    """Tie items to an increment; one that is tied already is left as it is."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:  # noqa: ARG001
        told = []
        for link in links:
            if not _tied(data, link, manager):
                add_link(data, link, manager.shapes.links[link.tracker])
                told.append(manager.event("linked", by=by, tracker=link.tracker, item=link.key))
        return told

    return manager.change(wanted, edit)


def unlink(manager: MetadataManager, wanted: str, link: Link, *, by: str) -> Increment:
    """Cut the tie to an item, and forget what it was owed."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not (tied := _tied(data, link, manager)):
            return []  # another process was faster
        remove_link(data, link, manager.shapes.links[link.tracker])
        owed = {(known.tracker, known.key) for known in tied}
        set_pending(data, tuple(o for o in before.pending if (o.tracker, o.item) not in owed))
        return [manager.event("unlinked", by=by, tracker=link.tracker, item=link.key)]

    return manager.change(wanted, edit)


def repoint(manager: MetadataManager, wanted: str, link: Link, to: Link, *, by: str) -> Increment:
    """Let a link follow its item to where it lies now, with all that the item is still owed."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        point_link(data, link, to, manager.shapes.links[link.tracker])
        moved = tuple(
            replace(one, item=to.key)
            if (one.tracker, one.item) == (link.tracker, link.key)
            else one
            for one in before.pending
        )
        set_pending(data, moved)
        facts = {"tracker": link.tracker, "from": link.key, "item": to.key}
        return [manager.event("repointed", by=by, **facts)]

    return manager.change(wanted, edit)


def _tied(data: dict[str, Any], link: Link, manager: MetadataManager) -> list[Link]:
    return [known for known in read_links(data, manager.shapes.links) if same_item(link, known)]
