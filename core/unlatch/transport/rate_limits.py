"""Rate limits: waits that a tracker asks for."""

from __future__ import annotations

import math
from contextlib import contextmanager, nullcontext
from threading import Event, Lock
from typing import TYPE_CHECKING

from unlatch.errors import Limited, TrackerError, Unreachable
from unlatch.transport.options import TransportOptions, Wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.transport.breaker import CommandLimits


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
        """Wait so many seconds for a reason that concerns the caller alone; raises as `enter`."""
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
