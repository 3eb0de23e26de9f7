"""Takes events and enqueues units, one write at a time for each repository."""

from __future__ import annotations

import asyncio
from collections import Counter

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from unlatch.values import dataclass
from unlatch_fleet.serve.ports import WRITERS, Queue

# GitHub gives a delivery up after 10 s, and shows it as failed; then it can be sent again.
PATIENCE = 8.0


# What came of a message: `rows.enqueue` has the words of the database.
DUPLICATE = "duplicate"


@dataclass(slots=True)
class _Batch:
    """The messages about a repository that wait for the same write.

    Args:
        deliveries: their digests.
        has_others: whether one has no id.
    """

    deliveries: set[str]
    has_others: bool
    written: asyncio.Task[str]


class Intake:
    """Enqueues units.

    Messages about a repository that come during a write share the next one. So a flood about one
    holds one of the writers, and those about others wait no longer than before.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._writers = CapacityLimiter(WRITERS)
        self._waiting: dict[str, _Batch] = {}
        self._writing: dict[str, asyncio.Task[str]] = {}
        # How many messages of each hook came to what; only those whose secret was right.
        self.counts: Counter[tuple[str, str]] = Counter()

    async def add(self, repository: str, delivery: str | None) -> str:
        """Ask for a unit; the database's answer.

        Args:
            repository: by its name.
            delivery: the message's digest; None if it has no id.

        Raises:
            UnlatchError: the database cannot be reached.
            TimeoutError: it did not answer in time.
        """
        batch = self._waiting.get(repository)
        if batch is None:
            written = asyncio.create_task(self._next(repository))
            batch = self._waiting[repository] = _Batch(set(), has_others=False, written=written)
        if delivery is None:
            batch.has_others = True
        else:
            batch.deliveries.add(delivery)
        # Who hangs up takes nothing from the others.
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(batch.written)

    async def _next(self, repository: str) -> str:
        """Write what waits when the write before has ended."""
        if before := self._writing.get(repository):
            await asyncio.wait([before])
        batch = self._waiting.pop(repository)
        self._writing[repository] = batch.written
        try:
            return await run_sync(self._write, repository, batch, limiter=self._writers)
        finally:
            if self._writing.get(repository) is batch.written:
                del self._writing[repository]

    def _write(self, repository: str, batch: _Batch) -> str:
        answer = DUPLICATE
        if batch.deliveries:
            answer = self._queue.enqueue(repository, batch.deliveries)
        if batch.has_others and answer == DUPLICATE:
            answer = self._queue.enqueue(repository, ())
        return answer
