"""Effects after the connections of their requests have ended, and reads that lag behind writes."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable


class LateEffects:
    """The pending effects."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timers: list[threading.Timer] = []

    def add(self, seconds: float, act: Callable[[], object]) -> None:
        """Call `act` after so many seconds."""
        timer = threading.Timer(seconds, act)
        timer.daemon = True
        with self._lock:
            self._timers.append(timer)
        timer.start()

    def settle(self) -> None:
        """Wait for all effects."""
        for timer in self._take():
            timer.join()

    def cancel(self) -> None:
        """Cancel all effects."""
        timers = self._take()
        for timer in timers:
            timer.cancel()
        for timer in timers:
            timer.join()

    def _take(self) -> list[threading.Timer]:
        with self._lock:
            timers, self._timers = self._timers, []
        return timers


class StaleReads:
    """The state that the next reads of one tracker show, if it is not the present one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: sqlite3.Connection | None = None
        self._era = self._reads = 0
        self._until: datetime | None = None

    def begin(
        self, state: sqlite3.Connection, *, reads: int, seconds: float, era: int, now: datetime
    ) -> None:
        """Let so many reads, and those of so many seconds, show a state.

        While an earlier one is shown, it stays.
        """
        with self._lock:
            if not self._is_shown(era, now):
                self._state = state
            self._era, self._reads = era, reads
            self._until = now + timedelta(seconds=seconds)

    def take(self, era: int, now: datetime) -> sqlite3.Connection | None:
        """The state that one read shows; None for the present one."""
        with self._lock:
            if not self._is_shown(era, now):
                return None
            self._reads -= 1
            return self._state

    def _is_shown(self, era: int, now: datetime) -> bool:
        if self._until is None or era != self._era:
            return False
        return self._reads > 0 or now < self._until
