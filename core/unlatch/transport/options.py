"""How the requests of a transport are sent, delayed and traced."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.transport.trace import Trace


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that begins now, for `seconds`; `why` is the tracker's reason in a few words."""

    tracker: str
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """One object from the command line to the adapter.

    Args:
        on_wait: called at the beginning of every wait that the tracker asks for.
        max_wait: seconds that may be spent on such waits, in all.
        trace: where requests and answers are written to, redacted.
        timeouts: seconds to connect, and seconds between two pieces of an answer.
        deadline: seconds from sending a request to the end of its answer.
        clock: monotonic seconds.
        sleep: waits; None for waits that an interruption ends.
        jitter: a new number from 0 to 1 each time.
    """

    on_wait: Callable[[Wait], None] | None = None
    max_wait: float = 60.0
    trace: Trace | None = None
    timeouts: tuple[float, float] = (5.0, 30.0)
    deadline: float = 120.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] | None = None
    jitter: Callable[[], float] = random.random


DEFAULT_OPTIONS = TransportOptions()
