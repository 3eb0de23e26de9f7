"""A clock whose waits take no time and are counted."""

from __future__ import annotations

import threading


class CountingClock:
    """A clock that advances only by waits, for threads that wait in parallel.

    A wait starts at the time that its thread last read, so the waits of two threads for the same
    time advance the clock once.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()
        self._read = threading.local()

    def __call__(self) -> float:
        """The time."""
        with self._lock:
            self._read.off = self._now
            return self._now

    def sleep(self, seconds: float) -> None:
        """Wait."""
        with self._lock:
            until = getattr(self._read, "off", self._now) + seconds
            self._now = max(self._now, until)
