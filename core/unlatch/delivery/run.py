"""One run of delivery: the state that its operations share, and items with several increments."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.delivery.read_ahead import ReadAhead, last_moves
from unlatch.errors import UnlatchError
from unlatch.increments.files.checkout_notes import (
    contents_of,
    familiar_contents,
    own_operations,
    seconds_since_read,
)
from unlatch.increments.files.metadata_file import read_in
from unlatch.increments.files.paths import METADATA
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.records.links import ByItem, identity, link_of, same_item
from unlatch.increments.records.pending import is_in_doubt
from unlatch.project.git.history import is_pushed
from unlatch.spi.manifest import NO_NOTIFY
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Operation, OperationKey
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.link import Link
    from unlatch.increments.records.events import Delivered
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

# Only files that contain this word have pending operations; most have none.
_PENDING = b'"pending"'


@dataclass
class SharedItems:
    """Items that several increments link to; all increments are read once, when first needed.

    Args:
        beside: the manager of the records of items, or of the increments for these.
        finished: the increments that a plan finishes, which need no item any more.
    """

    manager: MetadataManager
    beside: MetadataManager | None = None
    finished: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, workspace: Workspace) -> SharedItems:
        return cls(workspace.manager, workspace.beside)

    def needed_by(self, increment: Increment, link: Link) -> tuple[str, ...]:
        """Return the other unfinished increments that link to the same item.

        The record of an item needs nothing: a command that names the item decides alone.
        """
        if increment.is_item:
            return ()
        needed: list[str] = []
        for name in self.others(link, apart=increment.id):
            if name in self.finished:
                continue
            # These few are read again: another process may have resumed one of them meanwhile.
            with suppress(UnlatchError):
                if not self.manager.read(name).status.is_finished:
                    needed.append(name)
        return tuple(needed)

    def others(self, link: Link, *, apart: str) -> tuple[str, ...]:
        """Return the ids of all increments but `apart` that link to an item."""
        with self._lock:
            linked = self._linked.on(link)
        return tuple(name for name in linked if name != apart)

    def needed_links(self, increment: Increment) -> tuple[tuple[Link, tuple[str, ...]], ...]:
        """Return the links shared with other unfinished increments, and the ids of these."""
        needs = ((link, self.needed_by(increment, link)) for link in increment.links)
        return tuple((link, needed) for link, needed in needs if needed)

    def pending_beside(self, increment: Increment, link: Link) -> list[tuple[Increment, Operation]]:
        """Return the operations that other increments have pending on the same item."""
        with self._lock:
            pending = self._pending.on(link)
        return [(other, operation) for other, operation in pending if other.id != increment.id]

    @cached_property
    def _linked(self) -> ByItem[str]:
        linked = ByItem[str]()
        for increment in self.manager.list():
            for link in () if isinstance(increment, BrokenIncrement) else increment.links:
                linked.add(link, increment.id)
        return linked

    @cached_property
    def _pending(self) -> ByItem[tuple[Increment, Operation]]:
        pending: ByItem[tuple[Increment, Operation]] = ByItem()
        for manager in filter(None, (self.manager, self.beside)):
            for folder in manager.collection.folders():
                with suppress(OSError, UnlatchError):
                    if _PENDING in read_in(folder, METADATA):
                        increment = manager.read(folder.name)
                        for operation in increment.pending:
                            pending.add(link_of(increment, operation), (increment, operation))
        return pending


@dataclass
class DeliveryRun:
    workspace: Workspace
    trackers: Trackers
    options: DeliveryOptions = AS_CONFIGURED  # of this command; each operation adds its own
    # Intents that this process has just made, so that no other can have sent them.
    fresh: frozenset[str] = frozenset()
    named: bool = False  # by increment or remedy, so that blocked operations are tried again
    tracker: str | None = None  # deliver only to this tracker; None for all
    dry_run: bool = False  # only read
    shared: SharedItems = None  # type: ignore[assignment]  # set below
    clock: Callable[[], float] = time.monotonic  # in seconds
    attempted: set[OperationKey] = field(default_factory=set)  # in a batch
    ahead: ReadAhead = None  # type: ignore[assignment]  # set below
    _unknown_since: dict[tuple[str, str], float] = field(default_factory=dict)
    _last_moves: dict[Path, Mapping[tuple[str, str], Delivered]] = field(default_factory=dict)
    _read_for: dict[str, float] = field(default_factory=dict)
    _familiar: frozenset[str] = frozenset()
    _first_read: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.ahead = ReadAhead(self.trackers, self.clock)
        self.shared = self.shared or SharedItems.of(self.workspace)
        # Who only wants fewer notifications does not ask for what is blocked.
        asked = replace(self.options, plugin=self.options.plugin - {NO_NOTIFY.name})
        self.named = self.named or asked != AS_CONFIGURED
        self._began = self.clock()

    def includes(self, operation: Operation) -> bool:
        """Whether this run is about an operation."""
        return self.tracker in (None, operation.tracker) and operation.key not in self.attempted

    def will_attempt(self, operation: Operation) -> bool:
        """Whether this run tries an operation: blocked ones only if they are named."""
        return self.includes(operation) and (self.named or not operation.is_blocked)

    def may_send(self, increment: Increment, operation: Operation) -> bool:
        """Whether this user recorded an operation here, or agreed to what it says."""
        if operation.op in self.fresh:
            return True
        content = contents_of(increment.data)[operation.key]
        if content not in self._familiar:  # this run may have moved it to another item
            self._familiar = familiar_contents(self.workspace.paths.root)
        return content in self._familiar or self.workspace.is_of_user

    def is_fresh(self, operation: Operation) -> bool:
        """Whether no other process can have sent an operation: this one has just made it.

        The attempt that an undo takes over from its reopen has the number 0.
        """
        attempt = operation.attempt
        was_attempted = attempt is not None and (attempt.number > 0 or attempt.is_open)
        return operation.op in self.fresh and not was_attempted

    @cached_property
    def _own(self) -> frozenset[str]:
        return own_operations(self.workspace.paths.root)

    def _is_unsent(self, increment: Increment, op: str, at: datetime) -> bool:
        """Whether nobody can have sent an operation: this checkout recorded it, and pushed none."""
        if op in self.fresh:
            return True
        root = self.workspace.paths.root
        return op in self._own and not is_pushed(root, op, [increment.folder / METADATA], at)

    def _known_for(self, increment: Increment, operation: Operation) -> float | None:
        """The seconds for which this checkout has known what others may be sending to an item.

        That is an operation of another checkout, or a reopen of one that the operation undoes.
        """
        times = {operation.op: operation.at, **_undone_unsent(increment, operation)}
        foreign = {op for op, at in times.items() if not self._is_unsent(increment, op, at)}
        beside = self.shared.pending_beside(increment, link_of(increment, operation))
        foreign |= {
            operation.op
            for other, operation in beside
            if not self._is_unsent(other, operation.op, operation.at)
        }
        if not foreign:
            return None
        with self._first_read:
            if not foreign <= self._read_for.keys():
                pending = {operation.op for operation in increment.pending} - self.fresh
                ages = seconds_since_read(self.workspace.paths.root, pending | foreign)
                now = self.clock()
                self._read_for.update({op: now - age for op, age in ages.items()})
        return self.clock() - max(self._read_for[op] for op in foreign)

    def last_move(self, record: Increment, link: Link) -> Delivered | None:
        """The last delivery before this run that changed an item's state, as a record has it."""
        if record.folder not in self._last_moves:
            self._last_moves[record.folder] = last_moves(record)
        return self._last_moves[record.folder].get(identity(link))

    def mark_unknown(self, link: Link, since: float | None = None) -> None:
        """Note that a request to an item, sent just now or until `since`, may still take effect."""
        item, sent = identity(link), self.clock() if since is None else since
        self._unknown_since[item] = max(sent, self._unknown_since.get(item, sent))

    def settle_time(self, increment: Increment, operation: Operation) -> float:
        """Return the seconds until all earlier requests to an item have taken effect.

        Wall clocks may differ, so requests of other processes count from the start of this run, and
        those that another clone may have sent from when this checkout first read the operation.
        """
        link = link_of(increment, operation)
        since = self._unknown_since.get(identity(link))
        if since is None:
            beside = self.shared.pending_beside(increment, link)
            if is_in_doubt(operation) or any(is_in_doubt(operation) for _, operation in beside):
                since = self._began
            elif (known_for := self._known_for(increment, operation)) is not None:
                since = self.clock() - known_for
            else:
                return 0.0
        settle = self.workspace.config.settle
        if settle is None:
            manifest = self.workspace.registry.manifests.get(operation.tracker)
            # Without the plugin nothing can be sent, so there is nothing to wait for.
            settle = manifest.settle if manifest else 0.0
        return max(0.0, since + settle - self.clock())


def _undone_unsent(increment: Increment, operation: Operation) -> dict[str, datetime]:
    """The reopens that an operation undoes and that may not have reached its item, with times."""
    link = link_of(increment, operation)
    return {
        entry.id: entry.reopened_at
        for entry in increment.reopens
        if entry.revert == operation.op
        and not any(same_item(link, reached.link) for reached in entry.synced_to)
    }
