"""The errors for answers of GitHub."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import Limited, TrackerError
from unlatch.patterns import pattern
from unlatch.spi import without_controls
from unlatch.transport import first_error, quoted
from unlatch_github.api.error_table import LIMIT_WORDS, PATIENCE, RATE_LIMITED, TABLE, Elsewhere

if TYPE_CHECKING:
    from unlatch.transport import Answer

_GRAPHQL = "/graphql"
# https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
_LIMITED_KINDS = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
# GitHub's advice for a limit without a time: "wait for at least one minute".
_USUAL_WAIT = 60.0
# GitHub redirects to ids, which a rename keeps.
_PLACE = pattern(r"/(?:repositories/\d+|repos/[\w.-]+/[\w.-]+)(?:/issues/\d+)?$", re.ASCII)
_ISSUE_PATH = pattern(r"/repos/([^/]+/[^/]+)(?:/issues/(\d+))?")


def explain(answer: Answer) -> TrackerError | None:
    """The error for an answer of GitHub; None for the general rules."""
    if limited := _limited_query(answer):
        return limited
    error = first_error(TABLE, answer, _message, _words)
    if error is None:
        return None
    error.where = _short(answer.url)
    if isinstance(error, Limited):
        error.retry_after = _wait(answer)
    if isinstance(error, Elsewhere):
        place = _PLACE.search(answer.headers.get("Location", "").partition("?")[0])
        error.path = place and place[0]
    return error


def _words(answer: Answer) -> dict[str, str]:
    return {"moved": _moved(answer), "needs": _needs(answer), "sso": _sso(answer)}


def _limited_query(answer: Answer) -> TrackerError | None:
    """The error for a limit in GraphQL's errors, which also come with a success status."""
    if not answer.path.endswith(_GRAPHQL):
        return None
    for error in _errors(answer):
        kind = error.get("type") if isinstance(error, dict) else None
        said = _detail(error)
        if kind in _LIMITED_KINDS or re.search(LIMIT_WORDS, said, re.IGNORECASE):
            return Limited(
                "rate-limited",
                RATE_LIMITED.format(said=quoted(said) or kind),
                hint=PATIENCE,
                retry_after=_wait(answer),
                status=answer.status,
            )
    return None


def _wait(answer: Answer) -> float:
    return _USUAL_WAIT if answer.retry_after is None else answer.retry_after


def _message(answer: Answer) -> str:
    parts = [str(answer.fields.get("message") or ""), *map(_detail, _errors(answer))]
    return quoted("; ".join(filter(None, parts)))


def _errors(answer: Answer) -> list[Any]:
    errors = answer.fields.get("errors")
    return errors if isinstance(errors, list) else []


def _detail(error: object) -> str:
    """One entry of a validation error: its message, else the field and its error code."""
    if not isinstance(error, dict):
        return str(error)
    parts = (error.get("field"), error.get("message") or error.get("code"))
    return " ".join(str(part) for part in parts if part)


def _short(url: str) -> str | None:
    """The name of the issue or repository at an API address."""
    match = _ISSUE_PATH.search(url.partition("?")[0])
    if match is None:
        return None
    return f"{match[1]}#{match[2]}" if match[2] else match[1]


def _moved(answer: Answer) -> str:
    place = answer.headers.get("Location", "")
    return quoted(_short(place) or place) or "an address that GitHub does not name"


def _needs(answer: Answer) -> str:
    needed = quoted(answer.headers.get("X-Accepted-GitHub-Permissions", ""))
    return f"; GitHub says: {needed}" if needed else ""


def _sso(answer: Answer) -> str:
    # Not cut: a shortened address would not work.
    header = without_controls(answer.headers.get("X-GitHub-SSO", ""))
    match = re.search(r"url=(https?://\S+)", header)
    return match[1] if match else "the organization's page and sign in"
