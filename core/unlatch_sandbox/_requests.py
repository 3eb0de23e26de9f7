from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


# Addresses whose POST is a query.
_READING = ("bulkfetch", "workitemsbatch", "graphql", "wiql", "workflows/preview")


@dataclass(frozen=True, slots=True)
class Request:
    """One API request as the server received it; pages for people are not counted.

    `status` is None when no answer was sent, because a fault dropped the connection.
    """

    tracker: str
    method: str
    path: str
    status: int | None
    at: datetime
    query: str = ""

    @property
    def changes(self) -> bool:
        """Whether it changes something; bulk reads and validations do not."""
        if self.method in ("GET", "HEAD", "OPTIONS"):
            return False
        path, query = self.path.lower(), self.query.lower()
        return "validateonly=true" not in query and not any(part in path for part in _READING)


class RequestLog:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Request] = []
        # The number of resets: a request from before the last reset does not count.
        self.era = 0

    def add(self, request: Request, era: int) -> None:
        with self._lock:
            if era == self.era:
                self._entries.append(request)

    def entries(self, tracker: str | None = None) -> list[Request]:
        with self._lock:
            return [entry for entry in self._entries if tracker in (None, entry.tracker)]

    def count(self, tracker: str | None = None) -> int:
        return len(self.entries(tracker))

    def begin_anew(self) -> None:
        with self._lock:
            self._entries.clear()
            self.era += 1

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
