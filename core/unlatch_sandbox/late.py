"""Effects after the connections of their requests have ended."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
