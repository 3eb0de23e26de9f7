"""Rate limits: published ones, the budget that keeps to them, and waits that trackers ask for.

`Budget` is a port: the limits belong to an account, and so to all processes that use its token.
"""

from __future__ import annotations

import math
from collections import deque
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from threading import Event, Lock
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import Limited, TrackerError, Unreachable
from unlatch.transport.breaker import CommandLimits, TransportOptions, Wait
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
        """Wait until one more request may be sent, and count it.

        The space between two requests, about a second, is not shown; a wait for a limit is shown
        and charged to the budget of waits.

        Raises:
            Limited, Transient: the wait would be too long.
        """
        within = self._gate.affordable()
        turn = self._budget.reserve(self._token, self._kind, 1, within=within)
        if turn.is_limit:
            self._gate.enter_after(turn.seconds, self._why)
        elif turn.seconds > 0:
            self._gate.rest(turn.seconds)
        if not turn.granted:  # another thread has paid for the wait meanwhile
            self.turn()


class Gate:
    """Admits requests to one tracker, except during a pause that the tracker requires.

    A pause holds for all threads, and is shown and charged to the budget once. While the tracker is
    short of capacity, requests are admitted one at a time.
    """

    def __init__(self, tracker: str, options: TransportOptions) -> None:
        self._tracker = tracker
        self._budget = options.max_wait
        self._on_wait = options.on_wait
        self._clock = options.clock
        self._closed = Event()
        self._sleep = options.sleep or self._closed.wait
        self._lock = Lock()
        self._until = self._paid_until = self._serial_until = self._clock()
        self._why = ""
        self._serial = Lock()
        self._command: CommandLimits | None = options.command

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Wait until one request may be sent; Limited, Transient: that would take too long."""
        with self._lock:
            one_at_a_time = self._clock() < self._serial_until
        with self._serial if one_at_a_time else nullcontext():
            self.enter()
            yield

    def serialize(self, seconds: float) -> None:
        """Admit one request at a time for so many seconds."""
        with self._lock:
            self._serial_until = max(self._serial_until, self._clock() + seconds)

    def hold(self, seconds: float, why: str) -> None:
        """Admit nothing for so many seconds."""
        with self._lock:
            until = self._clock() + seconds
            if until > self._until:
                self._until, self._why = until, why

    def can_afford(self, seconds: float) -> bool:
        """Whether a wait of so many seconds, or a longer present pause, fits the budget."""
        with self._lock:
            until = max(self._until, self._clock() + seconds)
            return not self._closed.is_set() and self._is_allowed(until)

    def affordable(self) -> float:
        """The longest wait, in seconds, that still fits the budget."""
        with self._lock:
            return self._budget + max(0.0, self._paid_until - self._clock())

    def enter(self, moment: float | None = None, why: str = "") -> None:
        """Wait for the end of the pause, or for a moment that concerns the caller alone.

        Limited: the wait exceeds the budget; `retry_after` is its length. Unreachable: interrupted.
        Transient: it would end after the command's time.
        """
        self._refuse_when_closed()
        while (pause := self._pay(moment, why)) is not None:
            wait, is_new = pause
            if is_new and self._on_wait is not None:
                self._on_wait(wait)
            self.rest(wait.seconds)

    def enter_after(self, seconds: float, why: str) -> None:
        """Wait so many seconds for a reason that concerns the caller alone.

        Raises:
            Limited, Transient: it is too long.
        """
        self.enter(self._clock() + seconds, why)

    def rest(self, seconds: float) -> None:
        """Wait without showing it or charging it to the budget."""
        self._refuse_when_closed()
        self._sleep(seconds)
        self._refuse_when_closed()

    def close(self) -> None:
        """End every wait, and admit no further request."""
        self._closed.set()

    def _pay(self, moment: float | None, why: str) -> tuple[Wait, bool] | None:
        with self._lock:
            until, why = (self._until, self._why) if moment is None else (moment, why)
            left = until - self._clock()
            if left <= 0:
                return None
            if self._command is not None and until > self._command.ends:
                raise self._command.time_is_over()
            price = self._price(until)
            if price > self._budget:
                raise _withheld(_too_long(left, why))
            self._budget -= price
            self._paid_until = max(self._paid_until, until)
            return Wait(self._tracker, left, why), price > 0

    def _price(self, until: float) -> float:
        # Time that another thread has already paid for costs nothing.
        return max(0.0, until - max(self._clock(), self._paid_until))

    def _is_allowed(self, until: float) -> bool:
        ends = math.inf if self._command is None else self._command.ends
        return until <= ends and self._price(until) <= self._budget

    def _refuse_when_closed(self) -> None:
        if self._closed.is_set():
            message = "the request was not sent: unlatch is stopping"
            raise _withheld(Unreachable("interrupted", message))


def _withheld(error: TrackerError) -> TrackerError:
    error.withheld = True
    return error


def _too_long(seconds: float, why: str) -> Limited:
    message = f"the tracker asks to wait {seconds:.0f} s ({why}), longer than allowed"
    hint = "try again later, or allow longer waits with --max-wait"
    return Limited("rate-limited", message, retry_after=seconds, hint=hint)
