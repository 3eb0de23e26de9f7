"""Options for sending, delaying and tracing requests."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.transport.breaker import CommandLimits
    from unlatch.transport.trace import Trace


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
