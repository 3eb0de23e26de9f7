"""Keeping to a tracker's published limits before it has to say so."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.transport.waits import Gate


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast requests of one kind may be sent from this process.

    Args:
        limits: how many within how many seconds.
        apart: seconds between two of them, once there are many.
        free: how many in a row need no such space.
    """

    limits: tuple[tuple[int, float], ...]
    apart: float
    free: int


class Pacer:
    """Gives each request its moment, in the order in which they ask.

    Args:
        gate: the transport's, for waits that are shown, bounded, and end at an interruption.
        clock: seconds that never go back, the gate's own.
        why: what a wait for a limit is for, in a few words.
    """

    def __init__(self, pace: Pace, *, gate: Gate, clock: Callable[[], float], why: str) -> None:
        self._pace = pace
        self._gate = gate
        self._clock = clock
        self._why = why
        self._lock = Lock()
        # Twice as many as are looked at, as those that still wait may give theirs back.
        self._moments: deque[float] = deque(maxlen=2 * max(pace.free, max(pace.limits)[0]))

    def turn(self) -> None:
        """Wait until one more request may be sent, and count it.

        The space between two is a matter of a second and passes unseen; a wait for a limit is
        shown, and drawn on what waits may take in all.

        Raises:
            Limited: a limit is reached for longer than may be waited.
            Unreachable: `interrupted`.
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
            self._give_back(moment)
            raise

    def _spaced(self) -> float:
        """The first moment that keeps the space to the one before."""
        now = self._clock()
        if len(self._moments) < self._pace.free:
            return now
        # As many as are free may follow each other at once, as often as there was a pause.
        is_row = self._moments[-self._pace.free] > now - self._pace.apart * self._pace.free
        return max(now, self._moments[-1] + self._pace.apart) if is_row else now

    def _allowed(self) -> float:
        """The first moment at which no limit is exceeded."""
        return max(
            self._moments[-count] + seconds if len(self._moments) >= count else 0.0
            for count, seconds in self._pace.limits
        )

    def _give_back(self, moment: float) -> None:
        with self._lock:
            if moment in self._moments:
                self._moments.remove(moment)
