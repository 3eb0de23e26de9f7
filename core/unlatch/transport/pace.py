"""The published limits of requests, and the budget that keeps to them.

`Budget` is a port: the limits belong to an account, and so to all processes that use its token.
"""

from __future__ import annotations

import math
from collections import deque
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.transport.rate_limits import Gate


class Kind(StrEnum):
    """The kinds of requests that trackers limit; a comment is also content such as an issue."""

    READ = "read"
    WRITE = "write"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Pace:
    """The maximum rate of one kind of request of one account."""

    limits: tuple[tuple[int, float], ...]  # numbers of requests, and the seconds for so many
    apart: float  # seconds between two requests of a long row of one process
    free: int  # requests at the start of a row that need no such space

    @property
    def window(self) -> float:
        """The seconds after which a request counts no more."""
        return max((seconds for _, seconds in self.limits), default=0.0)

    def allowed(self, latest: Callable[[int], float | None]) -> float:
        """The first moment at which no limit is exceeded.

        Args:
            latest: the moment of the n-th latest request, or None if there are fewer.
        """
        earlier = ((latest(count), seconds) for count, seconds in self.limits)
        return max((at + seconds for at, seconds in earlier if at is not None), default=-math.inf)


@dataclass(frozen=True, slots=True)
class Turn:
    """The wait before requests that were reserved.

    Args:
        seconds: from now until they may be sent.
        is_limit: whether a limit requires the wait, and not the space between two requests.
        granted: False if the wait is longer than was allowed, and nothing was reserved.
    """

    seconds: float
    is_limit: bool = False
    granted: bool = True


class Budget(Protocol):
    """Requests that the accounts of a machine, or a team, may still send."""

    def reserve(self, token: str, kind: Kind, n: int, *, within: float = math.inf) -> Turn:
        """Reserve `n` requests of a kind for the account of a token; the wait before them.

        Args:
            within: seconds; nothing is reserved if a limit requires a longer wait.
        """


class ProcessBudget:
    """The budget of one process, which also spaces out the requests of a long row."""

    def __init__(self, pace: Pace, clock: Callable[[], float]) -> None:
        self._pace = pace
        self._clock = clock
        self._lock = Lock()
        most = max((count for count, _ in pace.limits), default=0)
        self._moments: dict[tuple[str, Kind], deque[float]] = {}
        self._size = max(1, pace.free, most)

    def reserve(self, token: str, kind: Kind, n: int, *, within: float = math.inf) -> Turn:
        with self._lock:
            turn, moments = self._plan(token, kind, n)
            if turn.is_limit and turn.seconds > within:
                return Turn(turn.seconds, is_limit=True, granted=False)
            self._moments[token, kind] = moments
            return turn

    def foresee(self, token: str, kind: Kind, n: int) -> float:
        """The seconds that a reservation would have to wait now."""
        with self._lock:
            return self._plan(token, kind, n)[0].seconds

    def _plan(self, token: str, kind: Kind, n: int) -> tuple[Turn, deque[float]]:
        now = self._clock()
        moments = deque(self._moments.get((token, kind), ()), maxlen=self._size)
        spaced = allowed = now
        for _ in range(n):
            spaced = self._spaced(moments, now)
            allowed = self._pace.allowed(lambda count: _latest(moments, count))
            moments.append(max(spaced, allowed))
        return Turn(max(spaced, allowed) - now, is_limit=allowed > spaced), moments

    def _spaced(self, moments: deque[float], now: float) -> float:
        """The first moment that keeps the space to the previous request."""
        pace, first = self._pace, _latest(moments, self._pace.free)
        # After a pause, `free` requests may follow each other at once again.
        is_row = first is not None and first > now - pace.apart * pace.free
        return max(now, moments[-1] + pace.apart) if is_row else now


def _latest(moments: deque[float], count: int) -> float | None:
    return moments[-count] if len(moments) >= count else None


class Pacer:
    """Lets requests of one kind wait for their turn in a budget, with the waits of a gate."""

    def __init__(self, budget: Budget, token: str, kind: Kind, *, gate: Gate, why: str) -> None:
        self._budget = budget
        self._token = token
        self._kind = kind
        self._gate = gate
        self._why = why

    def turn(self) -> None:
        """Wait until one more request may be sent, and count it; raises as `Gate.enter`.

        The space between two requests, about a second, is not shown; a wait for a limit is shown
        and charged to the budget of waits.
        """
        within = self._gate.affordable()
        turn = self._budget.reserve(self._token, self._kind, 1, within=within)
        if turn.is_limit:
            self._gate.enter_after(turn.seconds, self._why)
        elif turn.seconds > 0:
            self._gate.rest(turn.seconds)
        if not turn.granted:  # another thread has paid for the wait meanwhile
            self.turn()
