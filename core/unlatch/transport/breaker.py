"""Options for sending, delaying and tracing requests, and when sending to a tracker stops.

Both hold for one command. A server that fails is asked by one request at a time, so that few reach
it; after `MOST_FAILURES` in a row none does. What it answers about an item is no failure.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from threading import Condition, Lock
from typing import TYPE_CHECKING

from unlatch import errors
from unlatch.transport.request_context import is_finishing
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from unlatch.errors import TrackerError
    from unlatch.transport.trace import Trace


MOST_FAILURES = 3
# These say nothing about the server: it accepts the token, or no token was sent.
_NARROW = (errors.Forbidden, errors.SignOnRequired, errors.CredentialMissing)
_LATER_HINT = "the tracker may be down; run the command again later"


class CommandLimits:
    """What the transports of one command share: its end, and the servers that failed.

    Args:
        max_time: seconds from the first transport until nothing new begins; None for no end.
    """

    def __init__(self, max_time: float | None = None) -> None:
        self._max_time = max_time
        self._clock: Callable[[], float] | None = None
        self.ends = math.inf
        self._breakers: dict[Hashable, Breaker] = {}
        self._lock = Lock()

    def begin(self, clock: Callable[[], float]) -> None:
        """Let the time begin, once."""
        if self._clock is None:
            self._clock = clock
            if self._max_time is not None:
                self.ends = clock() + self._max_time

    def breaker(self, account: Hashable) -> Breaker:
        """The breaker of an account at a host."""
        with self._lock:
            return self._breakers.setdefault(account, Breaker(self))

    def check_time(self) -> None:
        """Raise `out-of-time` after the command's time, except for what is under way."""
        if self._clock and self._clock() >= self.ends and not is_finishing():
            raise self.time_is_over()

    def time_is_over(self) -> TrackerError:
        message = f"the {self._max_time:g} s of --max-time are over"
        hint = "unlatch sync"
        error = errors.Transient("out-of-time", message, hint=hint, retry_after=0.0)
        error.withheld = True
        return error


class Breaker:
    """Admits the requests of one account to one host, until the server fails several times."""

    def __init__(self, command: CommandLimits) -> None:
        self._command = command
        self._turn = Condition()
        self._under_way = 0
        # Of reads and of writes, by whether it is a write: a server may refuse all writes alone.
        self._failures = {False: 0, True: 0}
        self._is_answering = self._is_token_accepted = False
        self._refusal: Callable[[], TrackerError] | None = None
        self._is_closed = False

    @property
    def is_sound(self) -> bool:
        """Whether no request has failed since the last answer."""
        return not any(self._failures.values())

    @property
    def is_open(self) -> bool:
        """Whether nothing more is sent."""
        return self._refusal is not None

    def check(self) -> None:
        """Raise the error with which further requests are refused, if they are."""
        self._command.check_time()
        if self._refusal is not None:
            raise self._refusal()

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Wait until a request may be sent, also several times.

        Raises:
            TrackerError: its host is not asked any more, or the time of the command is over.
        """
        with self._turn:
            self._turn.wait_for(self._has_room)
            self.check()
            self._under_way += 1
        try:
            yield
        finally:
            with self._turn:
                self._under_way -= 1
                self._turn.notify_all()

    def _has_room(self) -> bool:
        is_trusted = self._is_answering and self.is_sound
        return is_trusted or self._under_way == 0 or self.is_open or self._is_closed

    def close(self) -> None:
        """Let nothing wait for its turn; for an interruption by the user."""
        with self._turn:
            self._is_closed = True
            self._turn.notify_all()

    def succeed(self, *, write: bool, accepted: bool) -> None:
        """Note an answer; `accepted` if the server took the token and the request."""
        with self._turn:
            self._is_answering = True
            self._is_token_accepted |= accepted
            self._failures[False] = 0
            if write:
                self._failures[True] = 0
            self._turn.notify_all()

    def fail(self, error: TrackerError, *, write: bool, place: str) -> None:
        """Note a failure of the server at `place`."""
        with self._turn:
            self._failures[write] += 1
            is_refused = isinstance(error, errors.Unauthorised)
            # Trackers lock a login after several bad attempts.
            if (is_refused and not self._is_token_accepted) or (
                self._failures[write] >= MOST_FAILURES
            ):
                self._refusal = self._refusal or _again(error, place)


def is_of_server(error: TrackerError) -> bool:
    """Whether an error is a failure of the server rather than its answer about an item.

    A limit of requests is neither: the gate holds all requests back until then.
    """
    if isinstance(error, errors.Limited) or error.withheld:
        return False
    if isinstance(error, errors.Unauthorised):
        return not isinstance(error, _NARROW)
    is_failure = isinstance(error, errors.Transient | errors.UnknownOutcome)
    return is_failure and (error.status in (None, 408) or (error.status or 0) >= 500)  # noqa: PLR2004


def _again(error: TrackerError, place: str) -> Callable[[], TrackerError]:
    """Errors with the same cause for the requests that are not sent."""
    kind, name, hint = type(error), error.id, error.hint
    if isinstance(error, errors.UnknownOutcome):
        kind, name, hint = errors.Transient, "tracker-unavailable", _LATER_HINT
    message, status = error.message, error.status

    def refuse() -> TrackerError:
        refusal = kind(name, message, where=place, hint=hint, status=status)
        refusal.withheld = True
        return refusal

    return refuse


def _random() -> float:
    from random import random  # noqa: PLC0415  (only for a request that is sent again)

    return random()  # noqa: S311  # it spreads requests, and is no secret


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that begins now, for `seconds`; `why` is the tracker's reason in a few words."""

    tracker: str
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """One object from the command line to the adapter."""

    on_wait: Callable[[Wait], None] | None = None  # called as a wait that the tracker asks begins
    max_wait: float = 60.0  # seconds that may be spent on such waits, in all
    trace: Trace | None = None  # where requests and answers are written to, redacted
    timeouts: tuple[float, float] = (5.0, 30.0)  # to connect, and between two pieces of an answer
    deadline: float = 60.0  # seconds from sending a request to the end of its answer
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] | None = None  # None for waits that an interruption ends
    jitter: Callable[[], float] = _random
    on_request: Callable[[], None] | None = None  # called before each request is sent
    command: CommandLimits | None = None  # shared by all transports of one command


DEFAULT_OPTIONS = TransportOptions()
