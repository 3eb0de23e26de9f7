"""Find the items that a repeated command need not change again."""

from collections.abc import Collection
from dataclasses import replace

from unlatch.increments.model.increment import Increment
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.tracker_items import ItemChange
from unlatch.project.trackers import Trackers
from unlatch.spi.operation import Kind

_OF_STATE = (Kind.REOPEN, Kind.CLOSE)


def leave_done(
    trackers: Trackers, change: ItemChange
) -> tuple[ItemChange, tuple[ItemSnapshot, ...]]:
    """Leave items out that the same change for the same reason left as they are now.

    Raises:
        UnlatchError: such an item cannot be read; its reason could be posted twice.
    """
    if change.kind not in _OF_STATE:
        return change, ()
    increment = change.increment
    pending = {
        identity(link_of(increment, one))
        for one in increment.pending
        if one.kind is not Kind.UPDATE
    }
    last = _last_changes(increment, but=pending)
    repeated = [
        link
        for one in change.operations
        if last.get(identity(link := link_of(increment, one))) == (change.kind, one.reason)
    ]
    done = []
    for seen in fetch_items(trackers, repeated) if repeated else ():
        if seen.error is not None:
            raise seen.error
        if seen.item and seen.item.category.is_open is (change.kind is Kind.REOPEN):
            done.append(replace(seen, requests=trackers.take_planning(seen.link)))
    items = {identity(one.link) for one in done}
    left = [one for one in change.operations if identity(link_of(increment, one)) not in items]
    return replace(change, operations=tuple(left)), tuple(done)


def _last_changes(
    increment: Increment, *, but: Collection[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str | None]]:
    """The kind and reason of the last change of each item's state, `but` of some."""
    found = {
        identity(link_of(increment, one)): (one.kind, one.reason)
        for one in read_events(increment.folder)
        if isinstance(one, Delivered) and one.kind != Kind.UPDATE and one.retries is None
    }
    return {item: one for item, one in found.items() if item not in but}
