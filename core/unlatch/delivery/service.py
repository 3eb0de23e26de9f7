"""One increment while its operations are delivered: its lock, held only as long as it is needed."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from unlatch.delivery.course import begin
from unlatch.increments.files.locks import delivery_lock
from unlatch.increments.records.links import identity, link_of

if TYPE_CHECKING:
    from unlatch.delivery.course import Course
    from unlatch.delivery.run import Run
    from unlatch.spi.operation import Operation

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
        self.queues: dict[Item, list[Operation]] = {}
        increment = run.workspace.manager.read(name)
        for operation in increment.pending:
            if run.is_meant(operation):
                item = identity(link_of(increment, operation))
                self.queues.setdefault(item, []).append(operation)
        self._left = len(self.queues)

    def begin(self, operation: Operation, items: set[str]) -> Course | None:
        """Begin to deliver an operation as it is on disk now; None if it is pending no more.

        From here on no other process delivers for this increment, until all is `done`.

        Args:
            items: the keys that its item may have by now.

        Raises:
            StoreError: `locked`, another process is delivering.
            UnlatchError: the increment cannot be read.
        """
        workspace = self._run.workspace
        with self._lock:
            if not self._is_held:
                held = delivery_lock(workspace.layout, self.name, patience=DELIVERY_PATIENCE)
                self._held.enter_context(held)
                self._is_held = True
        increment = workspace.manager.read(self.name)
        for one in increment.pending:
            same = (one.op, one.tracker) == (operation.op, operation.tracker)
            if same and one.item in items:
                return begin(self._run, increment, one)
        return None

    def done(self) -> None:
        """One of its queues was served; after the last one others may deliver."""
        with self._lock:
            self._left -= 1
            if self._left <= 0:
                self._held.close()
