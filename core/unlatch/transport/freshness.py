"""Connections that were idle for a while are not used again.

A server that closes an idle connection just while a write is on its way leaves an outcome that
nobody can know. Servers keep idle connections for 5 s at least (Apache and Node by default), so
one that was used a moment ago is safe, and a new one costs little beside an unknown outcome.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST_IDLE = 4.0


class Freshness:
    """Discards pooled connections after an idle time, never beneath a request on its way."""

    def __init__(self, clock: Callable[[], float], discard: Callable[[], None]) -> None:
        self._clock = clock
        self._discard = discard
        self._lock = Lock()
        self._on_their_way = 0
        self._last = clock()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """For the time of one request."""
        with self._lock:
            if not self._on_their_way and self._clock() - self._last > _LONGEST_IDLE:
                self._discard()
            self._on_their_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._on_their_way -= 1
                self._last = self._clock()
