"""What may be sent again, and when."""

from __future__ import annotations

from dataclasses import dataclass

from unlatch.errors import TrackerError, Transient

ATTEMPTS = 3
_FIRST_BACKOFF = 0.4
_GROWTH = 3.0
# GitHub asks for a minute at least where a limit names no time
# (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
_UNNAMED_LIMIT = 60.0
_LIMITED = frozenset({403, 429})


@dataclass(frozen=True, slots=True)
class Again:
    """Send it once more.

    Args:
        seconds: to wait before.
        asked: the tracker asked for the wait, so that every request has to observe it.
    """

    seconds: float
    asked: bool


def again(error: TrackerError, *, write: bool, attempt: int, jitter: float) -> Again | None:
    """Whether a request that failed may be sent again.

    A read may, if its error is a passing one. A write may only if the tracker said that it did not
    take it: a rate limit, or 503 with a time to come back. Nothing else about a write proves that
    it had no effect.

    Args:
        error: what became of it.
        write: whether it may have changed something.
        attempt: how many times it was sent.
        jitter: 0 to 1, so that many clients don't come back together.
    """
    if not isinstance(error, Transient):
        return None
    wait = asked_by(error)
    if write and not _refused(error):
        return None
    if attempt >= ATTEMPTS:
        return None
    if wait is not None:
        return Again(wait, asked=True)
    return Again(_FIRST_BACKOFF * _GROWTH ** (attempt - 1) * (0.5 + jitter / 2), asked=False)


def asked_by(error: Transient) -> float | None:
    """Seconds that the tracker asked for, or is known to want; None if it asked for nothing."""
    if error.retry_after is not None:
        return error.retry_after
    return _UNNAMED_LIMIT if error.status in _LIMITED else None


def _refused(error: Transient) -> bool:
    # GraphQL puts its limits into a 200; only a plugin's table can have made that a Transient.
    if error.status is None or error.status in (500, 502, 504):
        return False
    return error.retry_after is not None or error.status in _LIMITED
