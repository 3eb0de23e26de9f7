"""Tying items to increments and cutting the tie."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.records.events import Linked, Repointed, Unlinked
from unlatch.increments.records.links import (
    add_link,
    point_link,
    read_links,
    remove_link,
    same_item,
)
from unlatch.increments.records.records import is_in_doubt, set_pending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.spi.operation import Operation
    from unlatch.worklog.event_log import Event


def link(manager: MetadataManager, wanted: str, links: Iterable[Link], *, by: str) -> Increment:
    """Link items to an increment; one that is tied already is left as it is."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:  # noqa: ARG001
        told: list[Event] = []
        for link in links:
            if not _tied(data, link, manager):
                add_link(data, link, manager.shapes.links[link.tracker])
                told.append(_event(Linked, link, manager, by))
        return told

    return manager.change(wanted, edit)


def unlink(manager: MetadataManager, wanted: str, link: Link, *, by: str) -> Increment:
    """Unlink an item, and drop its pending operations."""

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        if not (tied := _tied(data, link, manager)):
            return []  # another process was faster
        remove_link(data, link, manager.shapes.links[link.tracker])
        keys = {(known.tracker, known.key) for known in tied}
        left = (
            _doubt_alone(one) if (one.tracker, one.item) in keys else one for one in before.pending
        )
        set_pending(data, tuple(one for one in left if one is not None))
        return [_event(Unlinked, link, manager, by)]

    return manager.change(wanted, edit)


def _doubt_alone(operation: Operation) -> Operation | None:
    """What stays of an operation for an unlinked item: the doubt, where there is one.

    Nothing is written to the item any more; but until it is known what was, nobody else may write.
    """
    if not is_in_doubt(operation):
        return None
    return replace(operation, state=False, options=replace(operation.options, comment="none"))


def repoint(manager: MetadataManager, wanted: str, link: Link, to: Link, *, by: str) -> Increment:
    """Let a link follow its item to where it is now, with everything that is pending for it.

    Where another link means that place already, the two become one.
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
        # The twin's own operation of the same intent stands.
        ordered = sorted(moved, key=lambda one: one not in before.pending)
        kept = {one.key: one for one in reversed(ordered)}
        set_pending(data, tuple(one for one in ordered if kept[one.key] is one))
        return [
            Repointed(
                id=manager.new_id(),
                at=manager.clock(),
                by=by,
                tracker=link.tracker,
                origin=link.key,
                item=key,
            )
        ]

    return manager.change(wanted, edit)


def _event(
    model: type[Linked | Unlinked], link: Link, manager: MetadataManager, by: str
) -> Linked | Unlinked:
    now = manager.clock()
    return model(id=manager.new_id(), at=now, by=by, tracker=link.tracker, item=link.key)


def _tied(data: dict[str, Any], link: Link, manager: MetadataManager) -> list[Link]:
    return [known for known in read_links(data, manager.shapes.links) if same_item(link, known)]
