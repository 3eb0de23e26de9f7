from __future__ import annotations

import threading

LIMIT = 5000


class Quota:
    """The primary limit: counted and shown, but enforced only by a fault."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used = 0

    def spend(self, requests: int) -> int:
        """Count requests; returns the number used so far."""
        with self._lock:
            self._used = min(self._used + requests, LIMIT)
            return self._used
