"""Read items with few requests before they are written, and tell a stale read from a change.

Only a write may follow from such a read, because the write's answer shows the item afterwards. What
would end or refuse an operation without a write is read again, for this item alone.

A tracker may read from a copy that lags behind its last write.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, Transient, UnlatchError
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity, link_of
from unlatch.spi import Capability, Snapshot
from unlatch.spi.change import Change, seen_of
from unlatch.spi.operation import Kind, Operation, OperationKey, SeenItem
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.spi import RemoteItem
    from unlatch.spi.item import ItemRef


# Fewer items than these are read one by one, in parallel.
MIN_TOGETHER = 3
# Seconds after which a person may well have changed the item: it is read again.
_MAX_AGE = 30.0
_KINDS = (Kind.REOPEN, Kind.CLOSE)

# Operations whose changes need the same parts of their items.
_Alike = tuple[str, Kind, bool]


@dataclass(frozen=True, slots=True)
class _Read:
    """An item as read with others, at the time before the request."""

    ref: ItemRef
    snapshot: Snapshot
    at: float


@dataclass(slots=True)
class _Items:
    """The items of operations that are alike: those not read yet, and those read."""

    waiting: dict[OperationKey, Link] = field(default_factory=dict)
    read: dict[OperationKey, _Read] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class ReadAhead:
    """Reads the next items of a run, a page at a time, when the first of them is needed."""

    def __init__(self, trackers: Trackers, clock: Callable[[], float]) -> None:
        self._trackers = trackers
        self._clock = clock
        self._items: dict[_Alike, _Items] = {}

    def expect(self, operation: Operation, link: Link) -> None:
        """Note an operation that this run will deliver, if it is the only one on its item."""
        manifest = self._trackers.registry.manifests.get(operation.tracker)
        if manifest is None or Capability.STATUS_OF_MANY not in manifest.capabilities:
            return
        if operation.kind in _KINDS:
            self._items.setdefault(_alike(operation), _Items()).waiting[operation.key] = link

    def keep(self, operation: Operation, snapshot: Snapshot, at: float) -> None:
        """Keep an item that the plan of an operation has just read, for its first write.

        Args:
            at: the time before the request, by the run's clock.
        """
        items = self._items.setdefault(_alike(operation), _Items())
        items.read[operation.key] = _Read(snapshot.item.ref, snapshot, at)

    def forget(self, operation: Operation) -> None:
        """Let an operation's item be read again."""
        if items := self._items.get(_alike(operation)):
            with items.lock:
                items.waiting.pop(operation.key, None)
                items.read.pop(operation.key, None)

    def take(
        self, operation: Operation, ref: ItemRef | None, change: Callable[[], Change]
    ) -> Snapshot | None:
        """Return an operation's item as just read with others; None if it was not.

        An item is returned once; a later use reads it again.
        """
        items = self._items.get(_alike(operation))
        if items is None:
            return None
        with items.lock:
            if operation.key in items.waiting:
                self._read_page(items, operation, change)
            entry = items.read.pop(operation.key, None)
        if entry is None or entry.ref != ref or self._clock() - entry.at > _MAX_AGE:
            return None
        return entry.snapshot

    def _read_page(self, items: _Items, operation: Operation, change: Callable[[], Change]) -> None:
        plugin = self._trackers.open(operation.tracker)
        own = {operation.key: items.waiting.pop(operation.key)}
        others = list(islice(items.waiting, max(0, plugin.reads_ahead - 1)))
        page = own | {key: items.waiting.pop(key) for key in others}
        if len(page) < MIN_TOGETHER:
            return
        at = self._clock()
        refs: dict[OperationKey, ItemRef] = {}
        for key, link in page.items():
            with suppress(UnlatchError):  # the read of this item alone reports it
                refs[key] = self._trackers.locate(link)
        try:
            answers = plugin.read_many(list(dict.fromkeys(refs.values())), change())
        except Exception:  # noqa: BLE001  # the read of each item alone reports it
            items.waiting.clear()
            return
        for key, ref in refs.items():
            if isinstance(snapshot := answers.get(ref), Snapshot):
                items.read[key] = _Read(ref, snapshot, at)


def _alike(operation: Operation) -> _Alike:
    return operation.tracker, operation.kind, operation.state


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
    ended_events = (event for event in delivered if ended is None or event.op in ended)
    return {
        identity(link_of(increment, event)): event for event in filter(_has_moved, ended_events)
    }


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
