"""The budget of requests that all nodes share, in PostgreSQL."""

from __future__ import annotations

import math
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

import psycopg

from unlatch.errors import Transient
from unlatch.transport.rate_limits import Pace, Turn
from unlatch_fleet.database.connect import connect, single, translated

if TYPE_CHECKING:
    from unlatch.transport.rate_limits import Kind

# The part of each limit that only units for events may use.
KEPT = 0.2
# Seconds after which to ask again while the database is away.
_AGAIN = 2.0
_RESERVE = "SELECT * FROM fleet_reserve(%s, %s, %s, %s, %s, %s, %s, %s, %s)"


class SharedBudget:
    """Requests of accounts, counted for all nodes by the clock of the database.

    Args:
        kept: of 1, the part of each limit that only units for events may use.
    """

    def __init__(self, address: str, *, kept: float = KEPT) -> None:
        self._address = address
        self._kept = kept
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def reserve(
        self,
        account: str,
        kind: Kind,
        n: int,
        pace: Pace,
        *,
        is_event: bool,
        after: float = 0.0,
        within: float = math.inf,
    ) -> Turn:
        """Reserve `n` requests of an account in `after` seconds or later; the wait before them.

        While the database cannot be reached, nothing is granted, for two seconds at a time.

        Args:
            account: a keyed digest, the same on all nodes.
            within: seconds; nothing is reserved if a limit requires a longer wait.
        """
        limits = sorted(pace.limits, key=lambda limit: limit[1])
        values = (
            *(account, str(kind), n),
            *([count for count, _ in limits], [seconds for _, seconds in limits]),
            *(after, min(within, 1e9), self._kept, is_event),
        )
        with self._lock:
            try:
                with translated():
                    return self._turn(values)
            except Transient:
                self.close()
                return Turn(_AGAIN, is_limit=True, granted=False)

    def close(self) -> None:
        """End the connection; the next reservation opens another."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _turn(self, values: tuple[object, ...]) -> Turn:
        if self._connection is None:
            self._connection = connect(self._address)
        with self._connection.transaction():
            row = single(self._connection, _RESERVE, *values)
            if not row.granted:
                raise psycopg.Rollback
        return Turn(row.wait, is_limit=row.is_limit, granted=row.granted)
