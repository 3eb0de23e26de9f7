"""Waiting because a tracker asked for it: shown, bounded, and open to interruption."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import Event, Lock
from typing import TYPE_CHECKING

from unlatch.errors import Limited, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that begins now.

    Args:
        tracker: the tracker that asked for it.
        seconds: how long it will be.
        why: what the tracker said, in a few words.
    """

    tracker: str
    seconds: float
    why: str


class Gate:
    """Lets requests to one tracker pass, unless it asked for a pause.

    A pause holds for all threads alike and is shown, and drawn on the budget, once. For a while
    after the tracker has said that it is pressed, requests pass one at a time.

    Args:
        budget: seconds that may be spent on pauses in all.
        clock: seconds, from any beginning, that never go back.
        sleep: how to let time pass; by default it ends at once when the gate is closed.
    """

    def __init__(
        self,
        tracker: str,
        *,
        budget: float,
        on_wait: Callable[[Wait], None] | None,
        clock: Callable[[], float],
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._tracker = tracker
        self._budget = budget
        self._on_wait = on_wait
        self._clock = clock
        self._closed = Event()
        self._sleep = sleep or self._closed.wait
        self._lock = Lock()
        self._until = self._paid_until = clock()
        self._why = ""
        self._narrow_until = self._until
        self._lane = Lock()

    @contextmanager
    def passage(self) -> Iterator[None]:
        """For one request: wait until it may pass, and for the one before while that is asked for.

        Raises:
            Limited, Unreachable: as `enter`.
        """
        with self._lock:
            is_narrow = self._clock() < self._narrow_until
        with self._lane if is_narrow else nullcontext():
            self.enter()
            yield

    def narrow(self, seconds: float) -> None:
        """From now on, and for so long, let one request pass at a time."""
        with self._lock:
            self._narrow_until = max(self._narrow_until, self._clock() + seconds)

    def hold(self, seconds: float, why: str) -> None:
        """From now on nothing passes for so long."""
        with self._lock:
            until = self._clock() + seconds
            if until > self._until:
                self._until, self._why = until, why

    def can_afford(self, seconds: float) -> bool:
        """Whether a wait of so long, or the present pause if it is longer, fits into the budget."""
        with self._lock:
            until = max(self._until, self._clock() + seconds)
            return not self._closed.is_set() and self._price(until) <= self._budget

    def enter(self, moment: float | None = None, why: str = "") -> None:
        """Wait until the pause is over, or a moment of the clock.

        Args:
            moment: for this request alone, others pass.
            why: what that moment is waited for, in a few words.

        Raises:
            Limited: that is longer than the budget allows; `retry_after` is its rest.
            Unreachable: `interrupted`.
        """
        while (pause := self._pay(moment, why)) is not None:
            wait, is_new = pause
            if is_new and self._on_wait is not None:
                self._on_wait(wait)
            self.rest(wait.seconds)
        self._refuse_when_closed()

    def rest(self, seconds: float) -> None:
        """Let a moment pass that nobody asked for; not drawn on the budget."""
        self._refuse_when_closed()
        self._sleep(seconds)
        self._refuse_when_closed()

    def close(self) -> None:
        """End every wait, and let no further request pass."""
        self._closed.set()

    def _pay(self, moment: float | None, why: str) -> tuple[Wait, bool] | None:
        with self._lock:
            until, why = (self._until, self._why) if moment is None else (moment, why)
            left = until - self._clock()
            if left <= 0:
                return None
            price = self._price(until)
            if price > self._budget:
                raise self._too_long(left, why)
            self._budget -= price
            self._paid_until = max(self._paid_until, until)
            return Wait(self._tracker, left, why), price > 0

    def _price(self, until: float) -> float:
        # What another thread's pause has paid for already costs nothing.
        return max(0.0, until - max(self._clock(), self._paid_until))

    def _too_long(self, left: float, why: str) -> Limited:
        return Limited(
            "rate-limited",
            f"the tracker asks to wait {left:.0f} s ({why}), longer than allowed",
            retry_after=left,
            hint="try again later, or allow longer waits with --max-wait",
        )

    def _refuse_when_closed(self) -> None:
        if self._closed.is_set():
            raise Unreachable("interrupted", "the request was not sent: unlatch is stopping")
