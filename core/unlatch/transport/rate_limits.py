"""Rate limits: waits that a tracker asks for, and its published limits.

A refused token ends the requests too: trackers lock the login after several of them.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import Event, Lock

from unlatch.errors import Limited, TrackerError, Unreachable
from unlatch.transport.options import TransportOptions, Wait
from unlatch.values import dataclass

# Azure DevOps answers 401 also where an accepted token lacks a scope, as for a check of permissions
# (https://github.com/microsoft/terraform-provider-azuredevops/issues/724).
_MOST_REFUSED = 10


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
        self._refusals_left = 0
        self._refusal: Callable[[], TrackerError] | None = None

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Wait until one request may be sent; raises as `enter`."""
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
            return not self._closed.is_set() and self._price(until) <= self._budget

    def enter(self, moment: float | None = None, why: str = "") -> None:
        """Wait for the end of the pause, or for a moment that concerns the caller alone.

        Limited: the wait exceeds the budget; `retry_after` is its length. Unreachable: interrupted.
        Unauthorised: the token was refused before.
        """
        self._refuse_when_closed()
        while (pause := self._pay(moment, why)) is not None:
            wait, is_new = pause
            if is_new and self._on_wait is not None:
                self._on_wait(wait)
            self.rest(wait.seconds)

    def rest(self, seconds: float) -> None:
        """Wait without showing it or charging it to the budget."""
        self._refuse_when_closed()
        self._sleep(seconds)
        self._refuse_when_closed()

    def close(self) -> None:
        """End every wait, and admit no further request."""
        self._closed.set()

    def accept_token(self) -> None:
        """Record that the tracker has accepted the token."""
        with self._lock:
            self._refusals_left = _MOST_REFUSED

    def refuse_token(self, error: Callable[[], TrackerError]) -> None:
        """Admit no further request, unless the token was accepted; each raises such an error."""
        with self._lock:
            self._refusals_left -= 1
            if self._refusals_left <= 0:
                self._refusal = error

    def _pay(self, moment: float | None, why: str) -> tuple[Wait, bool] | None:
        with self._lock:
            until, why = (self._until, self._why) if moment is None else (moment, why)
            left = until - self._clock()
            if left <= 0:
                return None
            price = self._price(until)
            if price > self._budget:
                message = f"the tracker asks to wait {left:.0f} s ({why}), longer than allowed"
                hint = "try again later, or allow longer waits with --max-wait"
                raise Limited("rate-limited", message, retry_after=left, hint=hint)
            self._budget -= price
            self._paid_until = max(self._paid_until, until)
            return Wait(self._tracker, left, why), price > 0

    def _price(self, until: float) -> float:
        # Time that another thread has already paid for costs nothing.
        return max(0.0, until - max(self._clock(), self._paid_until))

    def _refuse_when_closed(self) -> None:
        if self._closed.is_set():
            raise Unreachable("interrupted", "the request was not sent: unlatch is stopping")
        if self._refusal is not None:
            raise self._refusal()


@dataclass(frozen=True, slots=True)
class Pace:
    """The maximum rate of one kind of request in this process."""

    limits: tuple[tuple[int, float], ...]  # numbers of requests, and the seconds for so many
    apart: float  # seconds between two requests of a long row
    free: int  # requests at the start of a row that need no such space


class Pacer:
    """Spaces requests out, in the order of the calls to `turn`, with the waits of a gate."""

    def __init__(self, pace: Pace, *, gate: Gate, clock: Callable[[], float], why: str) -> None:
        self._pace = pace
        self._gate = gate
        self._clock = clock
        self._why = why
        self._lock = Lock()
        # Twice as many as needed, because waiting ones may be withdrawn.
        self._moments: deque[float] = deque(maxlen=2 * max(pace.free, max(pace.limits)[0]))

    def turn(self) -> None:
        """Wait until one more request may be sent, and count it; raises as `Gate.enter`.

        The space between two requests, about a second, is not shown; a wait for a limit is shown
        and charged to the budget.
        """
        with self._lock:
            spaced, allowed = self._spaced(), self._allowed()
            moment = max(spaced, allowed)
            self._moments.append(moment)
        try:
            if allowed > spaced:
                self._gate.enter(moment, self._why)
            elif (left := moment - self._clock()) > 0:
                self._gate.rest(left)
        except BaseException:
            with self._lock:
                if moment in self._moments:
                    self._moments.remove(moment)
            raise

    def _spaced(self) -> float:
        """The first moment that keeps the space to the previous request."""
        now = self._clock()
        if len(self._moments) < self._pace.free:
            return now
        # After a pause, `free` requests may follow each other at once again.
        is_row = self._moments[-self._pace.free] > now - self._pace.apart * self._pace.free
        return max(now, self._moments[-1] + self._pace.apart) if is_row else now

    def _allowed(self) -> float:
        """The first moment at which no limit is exceeded."""
        return max(
            self._moments[-count] + seconds if len(self._moments) >= count else 0.0
            for count, seconds in self._pace.limits
        )
