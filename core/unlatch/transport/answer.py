"""Answers of trackers: document, pages and requested waits, with the limits for each."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from unlatch.errors import Rejected, TrackerError
from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json

# A page of a hundred comments of 64 KiB each, the largest that GitHub takes, is 7 MB.
MOST_BYTES = 12 * 1024 * 1024
# Only some words of an error are shown, but error tables search all of it.
MOST_ERROR_BYTES = 2 * 1024 * 1024
# A page of a hundred issues has about ten thousand values. A value takes some 100 bytes of memory,
# and two or three bytes of an answer.
MOST_VALUES = 200_000
# A hundred thousand entries, at the usual hundred a page.
MOST_PAGES = 1000
MOST_SECONDS = 900.0
# The window over which Azure DevOps sums up a user's consumption; no other tracker's is longer
# (learn.microsoft.com/azure/devops/integrate/concepts/rate-limits).
PRESSED = 300.0
# No tracker's limit lasts longer than a day. A longer wait is an error or an attack: it would put
# an update off by years, or to a time that no calendar has.
_LONGEST_WAIT = 86_400.0
_NEARLY_USED_UP = 0.1
# Trackers answer a wrong credential and a rate limit with a page, too.
_PAGES_OF_TRACKERS = (401, 429)
_SECONDS = pattern(r"\d{1,9}(\.\d+)?", re.ASCII)
_STRING = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer.

    Args:
        method: of the request, in capitals.
        url: of the request.
        status: the HTTP status.
        headers: looked up without regard to case.
        body: decoded from its transfer and content encoding, complete; at most `MOST_BYTES`, or
            `MOST_ERROR_BYTES` for an error status.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON, or None if it is invalid or too large."""
        try:
            return parse_json(self.body)
        except ValueError:
            return None

    @property
    def path(self) -> str:
        """The address of the request, without its query."""
        return self.url.partition("?")[0]

    @property
    def fields(self) -> dict[str, Any]:
        """The body as a JSON object; empty if it is none."""
        document = self.json()
        return document if isinstance(document, dict) else {}

    @property
    def is_web_page(self) -> bool:
        """Whether the body is a page for people."""
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return kind == "text/html" and self.body.lstrip().startswith(b"<")

    @property
    def is_foreign(self) -> bool:
        """Whether it is a refusal with the page of a proxy or firewall before the tracker."""
        is_refusal = 400 <= self.status < 500 and self.status not in _PAGES_OF_TRACKERS  # noqa: PLR2004
        return is_refusal and self.is_web_page

    @property
    def retry_after(self) -> float | None:
        """Seconds that the tracker asks to wait, by any of the headers known for it.

        `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3), also on a success,
        as Azure DevOps sends it; else `X-RateLimit-Reset` once `X-RateLimit-Remaining` is 0, as a
        Unix time (GitHub, Azure DevOps) or in ISO 8601 (Jira Cloud). At most a day.
        """
        wait = _retry_after(self.headers)
        if wait is None and self.headers.get("X-RateLimit-Remaining", "").strip() == "0":
            wait = _reset(self.headers)
        return None if wait is None else min(wait, _LONGEST_WAIT)


# A plugin's error table. It is called for every answer, because some trackers refuse with 200 or
# 203; None means that the general rules apply.
Explain = Callable[[Answer], TrackerError | None]


def pressed_for(headers: Mapping[str, str]) -> float | None:
    """Seconds from now for which the tracker wants fewer requests, or None.

    Signs are a `Retry-After`, an `X-RateLimit-Delay` (Azure DevOps held the request back), or
    little left in `X-RateLimit-Remaining` of `X-RateLimit-Limit`.
    """
    left = _number(headers.get("X-RateLimit-Remaining", ""))
    limit = _number(headers.get("X-RateLimit-Limit", ""))
    is_low = left is not None and limit is not None and left < limit * _NEARLY_USED_UP
    if not (is_low or _number(headers.get("X-RateLimit-Delay", "")) or "Retry-After" in headers):
        return None
    until = _reset(headers)
    return PRESSED if until is None else min(until, PRESSED)


def parse_json(body: bytes) -> Any:
    """Parse a JSON document within the memory of a process and the recursion of libraries.

    ValueError: not JSON in UTF-8, or more than `MOST_VALUES` values or `MAX_DEPTH` levels.
    """
    if len(body) > MOST_VALUES:
        bare = _STRING.sub(b"", body)
        if sum(map(bare.count, (b",", b"[", b"{"))) > MOST_VALUES:
            raise ValueError("too many values")
    return load_json(body, constant=_refuse)


def each_page(clock: Callable[[], float] = time.monotonic) -> Iterator[int]:
    """The numbers of the pages that may be read of one list, from 0.

    Rejected (`answer-not-understood`): the tracker announces further pages after `MOST_PAGES` pages
    or `MOST_SECONDS` seconds.
    """
    end = clock() + MOST_SECONDS
    for number in range(MOST_PAGES):
        if clock() > end:
            break
        yield number
    message = "the tracker's list does not end, or is longer than can be read"
    hint = f"it was read for {MOST_SECONDS / 60:.0f} minutes, or {MOST_PAGES} pages"
    raise Rejected("answer-not-understood", message, hint=hint)


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's extensions of JSON


def _number(raw: str) -> float | None:
    return float(raw.strip()) if _SECONDS.fullmatch(raw.strip()) else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    raw = headers.get("Retry-After", "").strip()
    if (seconds := _number(raw)) is not None:
        return seconds
    return _until(_timestamp(raw, parsedate_to_datetime), headers)


def _reset(headers: Mapping[str, str]) -> float | None:
    raw = headers.get("X-RateLimit-Reset", "").strip()
    is_unix_time = re.fullmatch(r"\d{1,12}", raw, re.ASCII)
    return _until(float(raw) if is_unix_time else _timestamp(raw, datetime.fromisoformat), headers)


def _until(moment: float | None, headers: Mapping[str, str]) -> float | None:
    if moment is None:
        return None
    # The tracker's own clock, if it shows it: ours may be wrong by more than the wait.
    now = _timestamp(headers.get("Date", ""), parsedate_to_datetime)
    return max(0.0, moment - (time.time() if now is None else now))


def _timestamp(raw: str, parse: Callable[[str], datetime]) -> float | None:
    try:
        moment = parse(raw)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


_T = TypeVar("_T")


class Misread(ValueError):
    """A part of an answer is missing or of another type: the message, then its place, reversed."""

    def __str__(self) -> str:
        message, *place = self.args
        return f"at {'.'.join(reversed(place)) or 'its top'}: {message}"


def required(raw: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> _T:
    """A field; null counts as missing."""
    if raw.get(name) is None:
        raise Misread("is missing", name)
    return _at(name, read, raw[name])


def optional(raw: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> _T | None:
    """A field; None if it is null or missing."""
    return None if raw.get(name) is None else _at(name, read, raw[name])


def each(read: Callable[[Any], _T]) -> Callable[[Any], tuple[_T, ...]]:
    """A reader of lists that reads each entry with `read`."""
    items = _of(list, "a list")
    return lambda value: tuple(_at(str(n), read, entry) for n, entry in enumerate(items(value)))


def _at(place: str, read: Callable[[Any], _T], value: Any) -> _T:
    try:
        return read(value)
    except Misread as error:
        error.args = (*error.args, place)
        raise


def _of(kind: type[_T], name: str) -> Callable[[Any], _T]:
    def read(value: Any) -> _T:
        if isinstance(value, kind):
            return value
        raise Misread(f"expected {name}")

    return read


text, whole, flag = _of(str, "a string"), _of(int, "a whole number"), _of(bool, "true or false")
table: Callable[[Any], dict[str, Any]] = _of(dict, "an object")
