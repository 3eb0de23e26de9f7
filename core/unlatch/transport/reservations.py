"""The requests that the processes of this machine have sent, or will send, in an SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.transport.rate_limits import Pace, Turn
from unlatch.worklog.search_index import CacheDatabase

if TYPE_CHECKING:
    import sqlite3

# Seconds by which the clocks of two processes of a machine may differ.
_SKEW = 5.0


class Reservations(CacheDatabase):
    """Moments of requests by account and kind, in seconds since the epoch."""

    ERROR_ID = "index-unavailable"
    SUBJECT = "the budget of requests"
    VERSION = 1
    TABLES = """DROP TABLE IF EXISTS requests;
        CREATE TABLE requests (name TEXT, moment REAL, noted REAL);
        CREATE INDEX by_name ON requests (name, moment)"""
    PATIENCE = 5.0

    def reserve(
        self, name: str, n: int, pace: Pace, *, now: float, after: float, within: float
    ) -> Turn:
        """Reserve `n` requests in `after` seconds or later; none if a limit means a longer wait.

        Args:
            within: the longest wait, in seconds.
        """
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            # What was noted in the future comes from a clock that was set back.
            outdated = now - pace.window, now + _SKEW
            database.execute("DELETE FROM requests WHERE moment < ? OR noted > ?", outdated)
            moment = earliest = now + after
            for _ in range(n):
                moment = max(earliest, pace.allowed(lambda count: _latest(database, name, count)))
                database.execute("INSERT INTO requests VALUES (?, ?, ?)", (name, moment, now))
            is_limit = moment > earliest
            granted = not is_limit or moment - now <= within
            if not granted:
                database.rollback()
        return Turn(moment - now, is_limit=is_limit, granted=granted)


def _latest(database: sqlite3.Connection, name: str, count: int) -> float | None:
    row = database.execute(
        "SELECT moment FROM requests WHERE name = ? ORDER BY moment DESC LIMIT 1 OFFSET ?",
        (name, count - 1),
    ).fetchone()
    return None if row is None else float(row[0])
