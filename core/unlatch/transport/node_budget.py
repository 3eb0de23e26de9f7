"""The budget of a fleet: the process that started this one counts the requests of all of them.

It is asked over a Unix socket that the environment names, one JSON line each way, and knows which
account the token belongs to. So this process learns of no database and of no other token.
"""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING

from unlatch.errors import Limited
from unlatch.transport.account import Account, MachineBudget
from unlatch.transport.rate_limits import Kind, Pace, Turn

if TYPE_CHECKING:
    from unlatch.errors import TrackerError

# Seconds; the node answers from memory or a database, and never waits for a limit itself.
_PATIENCE = 30.0
_LATER = 60.0
_MOST_BYTES = 4096


class NodeBudget(MachineBudget):
    """Asks the node for the requests of all its processes; spaces out those of this one itself."""

    def __init__(self, path: str, tracker: str, account: Account, pace: Pace) -> None:
        super().__init__(account, pace)
        self._path = path
        self._tracker = tracker

    def _reserve_shared(
        self, token: str, kind: Kind, n: int, *, after: float, within: float
    ) -> Turn:
        """Reserve at the node.

        Raises:
            Limited: `budget-unavailable`: without an answer, nothing may be sent.
        """
        asked = {
            "tracker": self._tracker,
            "host": self._account.host,
            "kind": kind,
            "count": n,
            "after": after,
            "within": None if math.isinf(within) else within,
            "limits": self._pace.limits,
        }
        try:
            answer = json.loads(self._ask(f"{json.dumps(asked)}\n".encode()))
            return Turn(float(answer["seconds"]), bool(answer["limit"]), bool(answer["granted"]))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _unavailable(error) from error

    def _ask(self, line: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(self._path)
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answers:
                return answers.readline(_MOST_BYTES)


def _unavailable(error: Exception) -> TrackerError:
    message = f"the node of the fleet does not say how many requests are left: {error}"
    hint = "the fleet begins this sync again"
    unavailable = Limited("budget-unavailable", message, retry_after=_LATER, hint=hint)
    unavailable.withheld = True
    return unavailable
