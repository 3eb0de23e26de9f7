"""Tell an item that its tracker does not show in its present state yet from a changed one.

A tracker may read from a copy that lags behind its last write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError, Transient
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity, link_of
from unlatch.spi.change import seen_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.spi import RemoteItem
    from unlatch.spi.operation import SeenItem


def find_stale_read(
    increment: Increment, link: Link, item: RemoteItem, *, ended: Collection[str] | None = None
) -> Transient | None:
    """The error of an item that is shown exactly as it was before the last delivery to it.

    Nobody can bring that about: a change has a later time by the tracker's clock, or a revision of
    its own. Events that cannot be read are no evidence.

    Args:
        increment: with the deliveries to the item; or the record of an item alone.
        ended: the operations that had ended before the item was read; others, which another
            process has delivered since, are no evidence. None for all, as in a sync, which then
            leaves the item for the next one.
    """
    return stale_error(last_moves(increment, ended).get(identity(link)), item)


def stale_error(last: Delivered | None, item: RemoteItem) -> Transient | None:
    """The error of `find_stale_read`, by the last delivery that changed the item's state."""
    if last is None or not _is_as_before(last, seen_of(item)):
        return None
    return Transient(
        "not-shown-yet",
        "its tracker still shows it as it was before unlatch changed it",
        where=item.ref.url,
        hint="run the command again later",
    )


def last_moves(
    increment: Increment, ended: Collection[str] | None = None
) -> Mapping[tuple[str, str], Delivered]:
    """The last delivery that changed the state of each item, by its identity."""
    try:
        events = read_events(increment.folder)
    except StoreError:
        return {}
    delivered = (event for event in events if isinstance(event, Delivered))
    known = (event for event in delivered if ended is None or event.op in ended)
    return {identity(link_of(increment, event)): event for event in filter(_has_moved, known)}


def _has_moved(event: Delivered) -> bool:
    categories = [seen.category for seen in (event.before, event.after) if seen]
    return len({category.is_open for category in categories if category}) > 1


def _is_as_before(event: Delivered, now: SeenItem) -> bool:
    before, after = event.before, event.after
    if before is None or (now.since, now.revision) == (None, None):
        return False
    if after and (before.since, before.revision) == (after.since, after.revision):
        return False  # both within one second: a person may have changed it in the same one
    return (before.state, before.since, before.revision) == (now.state, now.since, now.revision)
