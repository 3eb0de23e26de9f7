"""When a read is sent again. A write never is: no answer proves that it had no effect.

A tracker, or a proxy before it, may act and then answer 429, or 503 with `Retry-After`. Delivery
sends a write again, after it has looked for what the first one did.
"""

from __future__ import annotations

from unlatch.errors import Limited, TrackerError, Transient
from unlatch.transport.outcomes import CutOff

ATTEMPTS = 3
_FIRST_BACKOFF = 0.4
_GROWTH = 3.0
# GitHub asks for a minute at least where a limit names no time
# (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
_UNNAMED_LIMIT = 60.0


def may_retry(error: TrackerError, *, write: bool, attempt: int) -> bool:
    """Whether a request that failed for the `attempt`th time may be sent once more."""
    is_passing = isinstance(error, Transient) and not isinstance(error, CutOff)
    return not write and is_passing and attempt < ATTEMPTS


def backoff(attempt: int, *, jitter: float) -> float:
    """Seconds to wait after a failure for which the tracker asked for no wait.

    Args:
        attempt: how many times the request was sent.
        jitter: 0 to 1, so that many clients don't come back together.
    """
    return _FIRST_BACKOFF * _GROWTH ** (attempt - 1) * (0.5 + jitter / 2)


def retry_after(error: Transient, asked: float | None) -> float | None:
    """Seconds until the tracker may be asked again, or None if nothing limits that.

    Args:
        error: as a plugin's table or the general rules made it.
        asked: what the headers of the answer ask for.
    """
    if error.retry_after is not None:
        return error.retry_after
    if asked is None and isinstance(error, Limited):
        return _UNNAMED_LIMIT
    return asked
