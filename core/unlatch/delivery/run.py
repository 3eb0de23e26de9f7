"""One run of delivery: what all of its operations share."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.delivery.neighbours import Neighbours
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.records import is_in_doubt
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Operation, OperationKey


@dataclass
class Run:
    """One run of delivery.

    Args:
        workspace: the project.
        trackers: its trackers.
        options: what was asked for with this command; completed by what operations hold.
        fresh: intents that this process has just made, so that nobody else can have sent them.
        named: whether increments, or a remedy among the options, were named, so that blocked
            operations are tried again.
        tracker: deliver only what goes to this tracker; None for all.
        neighbours: the other increments; read when they are first needed.
        clock: seconds that never go back.
    """

    workspace: Workspace
    trackers: Trackers
    options: DeliveryOptions = AS_CONFIGURED
    fresh: frozenset[str] = frozenset()
    named: bool = False
    tracker: str | None = None
    neighbours: Neighbours = None  # type: ignore[assignment]  # set below
    clock: Callable[[], float] = time.monotonic
    tried: set[OperationKey] = field(default_factory=set)
    _doubts: dict[tuple[str, str], float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.neighbours = self.neighbours or Neighbours(self.workspace.manager)
        self.named = self.named or self.options != AS_CONFIGURED
        self._began = self.clock()

    def is_meant(self, operation: Operation) -> bool:
        """Whether this run is to deliver an operation."""
        return self.tracker in (None, operation.tracker) and operation.key not in self.tried

    def is_tried(self, operation: Operation) -> bool:
        """The same, without blocked operations unless they are named."""
        return self.is_meant(operation) and (self.named or not operation.is_blocked)

    def is_fresh(self, operation: Operation) -> bool:
        """Whether nobody can have sent it: this process has just made it.

        The note that an undo takes over from its reopen has the number 0.
        """
        attempt = operation.attempt
        is_tried = attempt is not None and (attempt.number > 0 or attempt.is_open)
        return operation.op in self.fresh and not is_tried

    def doubt(self, link: Link) -> None:
        """Note that something that was sent to an item just now may still take effect."""
        with self._lock:
            self._doubts[identity(link)] = self.clock()

    def unsettled(self, increment: Increment, operation: Operation) -> float:
        """Seconds until everything that was sent to an item before has had its effect.

        Wall clocks are no evidence, so what another process sent counts from this run's beginning.
        """
        link = link_of(increment, operation)
        with self._lock:
            since = self._doubts.get(identity(link))
        if since is None and (
            is_in_doubt(operation) or self.neighbours.is_in_doubt(increment, link)
        ):
            since = self._began
        if since is None:
            return 0.0
        settle = self.workspace.config.settle
        if settle is None:
            manifest = self.workspace.registry.manifests.get(operation.tracker)
            # Nothing can be sent without the plugin, so there is nothing to wait for.
            settle = manifest.settle if manifest else 0.0
        return max(0.0, since + settle - self.clock())
