"""One increment while its operations are delivered: its lock, held only as long as it is needed."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from unlatch.store.links import identity, link_of
from unlatch.store.locks import delivery_lock

if TYPE_CHECKING:
    from unlatch.delivery.run import Run
    from unlatch.domain.operation import Operation

# A delivery waits for another one of the same increment; that one is bounded by its deadlines.
DELIVERY_PATIENCE = 120.0

Item = tuple[str, str]


class Service:
    """An increment whose items are served, perhaps by several threads.

    Args:
        name: the increment's id.

    Raises:
        UnlatchError: it cannot be read.
    """

    def __init__(self, run: Run, name: str) -> None:
        self._run = run
        self.name = name
        self._lock = threading.Lock()
        self._held = ExitStack()
        self._is_held = False
        self.increment = run.workspace.manager.read(name)
        self.queues: dict[Item, list[Operation]] = {}
        for operation in self.increment.pending:
            if run.is_meant(operation):
                item = identity(link_of(self.increment, operation))
                self.queues.setdefault(item, []).append(operation)
        self._left = len(self.queues)

    def open(self) -> None:
        """Hold the right to deliver its operations.

        Raises:
            StoreError: `locked`, another process has it.
        """
        with self._lock:
            if not self._is_held:
                layout = self._run.workspace.layout
                self._held.enter_context(
                    delivery_lock(layout, self.name, patience=DELIVERY_PATIENCE)
                )
                self._is_held = True

    def done(self) -> None:
        """One of its queues was served; after the last one others may deliver."""
        with self._lock:
            self._left -= 1
            if self._left <= 0:
                self._held.close()

    def current(self, operation: Operation, items: set[str]) -> Operation | None:
        """An operation as it is on disk now; None if it is pending no more.

        Args:
            items: the keys that its item may have by now.

        Raises:
            UnlatchError: the increment cannot be read.
        """
        self.increment = self._run.workspace.manager.read(self.name)
        same = (operation.op, operation.tracker)
        return next(
            (
                one
                for one in self.increment.pending
                if (one.op, one.tracker) == same and one.item in items
            ),
            None,
        )
