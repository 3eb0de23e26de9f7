"""How Jira says that it is asked too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.text import without_controls
from unlatch.errors import Limited

if TYPE_CHECKING:
    from unlatch.transport import Answer

_LONGEST_INTERVAL = 3600
_RATE_HINTS = {
    "jira-quota": "the site's hourly quota is used up; `unlatch sync` goes on after the reset",
    "jira-burst": "too many requests of one kind at once; `unlatch sync`, or a longer --max-wait",
    "jira-per-issue": "too many changes to one issue at once; `unlatch sync`, a little later",
}
_BUCKET_HINT = (
    "an administrator limits how fast an account may ask (Rate limiting); `unlatch sync` goes on "
    "later"
)


def limited(answer: Answer) -> Limited | None:
    """The error that a 429 means, with the time to wait, in Cloud's words or Data Center's."""
    if answer.status != 429:  # noqa: PLR2004
        return None
    reason = " ".join(without_controls(answer.headers.get("RateLimit-Reason", "")).split())[:60]
    hint = next((hint for name, hint in _RATE_HINTS.items() if reason.startswith(name)), None)
    wait = answer.retry_after
    return Limited(
        "rate-limited",
        f"Jira limits requests ({reason})" if reason else "Jira limits requests",
        retry_after=_next_token(answer) if wait is None else wait,
        hint=hint or _BUCKET_HINT,
        status=answer.status,
    )


def _next_token(answer: Answer) -> float | None:
    """Seconds until Data Center's bucket has a token again, where it names no time.

    X-RateLimit-FillRate tokens come every X-RateLimit-Interval-Seconds
    (https://confluence.atlassian.com/adminjiraserver/adjusting-your-code-for-rate-limiting-987143384.html).
    """
    names = ("X-RateLimit-Interval-Seconds", "X-RateLimit-FillRate")
    try:
        interval, rate = (float(answer.headers.get(name, "")) for name in names)
    except ValueError:
        return None
    # A bucket that is never filled again blocks the account; the general pause is as good as any.
    return interval if rate > 0 and 0 <= interval <= _LONGEST_INTERVAL else None
