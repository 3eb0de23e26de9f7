"""What a tracker answered, as error tables read it, and how long it asks to wait."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from unlatch.errors import TrackerError
from unlatch.transport.parsing import parse_json

# A page of a hundred comments of 64 KiB each, the largest that GitHub takes, is 7 MB.
MOST_BYTES = 12 * 1024 * 1024
# Of an error, some words are shown, and tables look through all of it.
MOST_ERROR_BYTES = 2 * 1024 * 1024
# The window in which Azure DevOps adds up what a user consumes, and nobody else's is longer
# (learn.microsoft.com/azure/devops/integrate/concepts/rate-limits).
PRESSED = 300.0
# No tracker's limit lasts longer than a day. A longer wait is a mistake, or malice: an update would
# be put off by years, or to a time that no calendar has.
_LONGEST = 86_400.0
_NEARLY_USED_UP = 0.1
_SECONDS = re.compile(r"\d{1,9}(\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer.

    Args:
        method: of the request, in capitals.
        url: that the request went to.
        status: the HTTP status.
        headers: looked up without regard to case.
        body: decoded from its transfer and content encoding, complete; at most `MOST_BYTES`,
            or `MOST_ERROR_BYTES` where the status is one of an error.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 in it is replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON, or None if it is none that can be read."""
        try:
            return parse_json(self.body)
        except ValueError:
            return None

    @property
    def retry_after(self) -> float | None:
        """Seconds that the tracker asks to wait, by any of the headers known for it."""
        return _asked_wait(self.headers)


# A plugin's error table. It is asked about every answer, because some trackers say "no" with 200 or
# 203; None means that it has nothing of its own to say and the general rules apply.
Explain = Callable[[Answer], TrackerError | None]


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds from now that the tracker asks to wait, or None if it asks for nothing.

    `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3), also on a success, as
    Azure DevOps sends it; else `X-RateLimit-Reset` once `X-RateLimit-Remaining` is 0, as a Unix
    time (GitHub, Azure DevOps) or in ISO 8601 (Jira Cloud). A day at the most.
    """
    wait = _retry_after(headers)
    if wait is None and headers.get("X-RateLimit-Remaining", "").strip() == "0":
        wait = _reset(headers)
    return None if wait is None else min(wait, _LONGEST)


def pressed_for(headers: Mapping[str, str]) -> float | None:
    """Seconds from now for which the tracker wants fewer requests, or None if it is at ease.

    It says so by a `Retry-After`, by `X-RateLimit-Delay` (Azure DevOps has held the request back
    for so long), or by having little left in `X-RateLimit-Remaining` of `X-RateLimit-Limit`.
    """
    left = _number(headers.get("X-RateLimit-Remaining", ""))
    limit = _number(headers.get("X-RateLimit-Limit", ""))
    is_low = left is not None and limit is not None and left < limit * _NEARLY_USED_UP
    if not (is_low or _number(headers.get("X-RateLimit-Delay", "")) or "Retry-After" in headers):
        return None
    until = _reset(headers)
    return PRESSED if until is None else min(until, PRESSED)


def _number(raw: str) -> float | None:
    return float(raw.strip()) if _SECONDS.fullmatch(raw.strip()) else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    raw = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(raw):
        return float(raw)
    moment = _http_date(raw)
    return None if moment is None else max(0.0, moment - _now(headers))


def _reset(headers: Mapping[str, str]) -> float | None:
    raw = headers.get("X-RateLimit-Reset", "").strip()
    moment = float(raw) if re.fullmatch(r"\d{1,12}", raw, re.ASCII) else _iso_date(raw)
    return None if moment is None else max(0.0, moment - _now(headers))


def _now(headers: Mapping[str, str]) -> float:
    # The tracker's own clock, if it shows it: ours may be wrong by more than the wait.
    moment = _http_date(headers.get("Date", ""))
    return time.time() if moment is None else moment


def _http_date(raw: str) -> float | None:
    try:
        return _seconds(parsedate_to_datetime(raw)) if raw else None
    except (ValueError, OverflowError):
        return None


def _iso_date(raw: str) -> float | None:
    try:
        return _seconds(datetime.fromisoformat(raw)) if raw else None
    except (ValueError, OverflowError):
        return None


def _seconds(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
