"""Time in which waiting costs nothing and is counted all the same."""

from __future__ import annotations

import threading


class CountingClock:
    """Seconds that pass only while somebody waits, for several threads that wait side by side.

    Each thread waits from the moment that it last read off, so two that wait for the same moment
    let that time pass once.
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
