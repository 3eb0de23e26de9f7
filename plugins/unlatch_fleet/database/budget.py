"""The budget of requests that all nodes share, in PostgreSQL."""

from __future__ import annotations

import psycopg

from unlatch.errors import Transient
from unlatch.transport.rate_limits import Kind, Pace, Turn
from unlatch.values import dataclass
from unlatch_fleet.database.connect import Line, single

# Seconds after which to ask again while the database is away.
_AGAIN = 2.0
# Of each window: a request that arrives late must not meet those that follow the window.
_MARGIN = 0.02
# Seconds; PostgreSQL's intervals know no infinity before version 17.
_LONGEST = 1e9
_RESERVE = "SELECT * FROM fleet_reserve(%s, %s, %s, %s, %s, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class SharedRows:
    """Requests of accounts, counted for all nodes by the clock of the database.

    Args:
        kept: of 1, the part of each limit that only units for events may use.
        of_event: whether an event asked for the unit that these are of.
    """

    line: Line
    kept: float
    of_event: bool = False

    def reserve(
        self,
        account: str,
        kind: Kind,
        n: int,
        pace: Pace,
        *,
        after: float,
        within: float,
    ) -> Turn:
        """Reserve `n` requests of an account in `after` seconds or later; the wait before them.

        While the database cannot be reached, nothing is granted.

        Args:
            account: a keyed digest, the same on all nodes.
            within: seconds; nothing is reserved if a limit requires a longer wait.
        """
        limits = sorted(pace.limits, key=lambda limit: limit[1])
        counts, seconds = (
            [count for count, _ in limits],
            [(1 + _MARGIN) * span for _, span in limits],
        )
        name = f"{account} {kind}"
        values = name, n, counts, seconds, after, min(within, _LONGEST), self.kept, self.of_event
        try:
            with self.line.open() as connection, connection.transaction():
                row = single(connection, _RESERVE, *values)
                turn = Turn(row.wait, is_limit=row.is_limit, granted=row.granted)
                if not turn.granted:
                    raise psycopg.Rollback
        except Transient:
            return Turn(_AGAIN, is_limit=True, granted=False)
        return turn
