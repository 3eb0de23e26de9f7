"""The table of GitHub's error answers, with hints.

Sources: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.errors import (
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    TrackerError,
    Unauthorised,
)
from unlatch.spi.text import without_controls

if TYPE_CHECKING:
    from unlatch.transport import Answer

_LONGEST = 300
_GRAPHQL = "/graphql"
# https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
_LIMITED_KINDS = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
_READS = frozenset({"GET", "HEAD"})
_WRITES = frozenset({"POST", "PATCH", "PUT", "DELETE"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# GitHub's own advice where a limit names no time: "wait for at least one minute".
_USUAL_WAIT = 60.0
# GitHub redirects by numbers, which no renaming changes.
_PLACE = re.compile(r"/(?:repositories/\d+|repos/[\w.-]+/[\w.-]+)(?:/issues/\d+)?$", re.ASCII)
_ISSUE_PATH = re.compile(r"/repos/([^/]+/[^/]+)(?:/issues/(\d+))?")


class Elsewhere(NotFound):
    """The issue or repository is elsewhere, at `path` below `api_url`; None if that is unknown.

    Host and query of the address that was named are left out: nothing is ever asked of another
    host, and their content is not known.
    """

    path: str | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table; `says` and `hint` may use {said}, {moved}, {needs} and {sso}.

    Args:
        status: the statuses that it is about.
        pattern: searched in GitHub's message, in any case.
        header: a header that has to be there.
        methods: the methods that it is about.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
    """

    status: frozenset[int]
    pattern: str
    error: type[TrackerError]
    id: str
    says: str
    hint: str | None = None
    header: str | None = None
    methods: frozenset[str] = _READS | _WRITES
    remedy: str | None = None

    def fits(self, answer: Answer, said: str) -> bool:
        return (
            answer.status in self.status
            and answer.method.upper() in self.methods
            and (self.header is None or self.header in answer.headers)
            and re.search(self.pattern, said, re.IGNORECASE) is not None
        )


def _at(*status: int) -> frozenset[int]:
    return frozenset(status)


_RATE_LIMITED = "GitHub's rate limit is reached: {said}"
_PATIENCE = "it ends by itself; --max-wait SECONDS waits longer, unlatch sync goes on later"
_GRANT = "the token needs the right to write issues (fine-grained: Issues: write){needs}"

_LIMIT_WORDS = (
    r"rate limit|rate_limit|abuse detection|wait a few minutes|retry your request again later"
    r"|submitted too quickly"
)
_RELINK = "unlatch sync shows where it is now; or link it again by its new address"

# The first row that fits counts.
_TABLE = (
    _Row(
        _at(403, 422, 429),
        _LIMIT_WORDS,
        Limited,
        "rate-limited",
        _RATE_LIMITED,
        _PATIENCE,
    ),
    _Row(_at(429), "", Limited, "rate-limited", _RATE_LIMITED, _PATIENCE),
    _Row(_at(403), "", Limited, "rate-limited", _RATE_LIMITED, _PATIENCE, header="Retry-After"),
    _Row(
        _at(401),
        "",
        Unauthorised,
        "unauthorized",
        "GitHub does not accept the token: {said}",
    ),
    _Row(
        _at(403),
        "",
        Unauthorised,
        "sso-required",
        "the organization wants the token to be authorized by single sign-on",
        "open {sso}",
        header="X-GitHub-SSO",
    ),
    _Row(
        _at(403),
        r"max(imum)? number of login attempts",
        Unauthorised,
        "login-attempts",
        "GitHub locks the login after wrong tokens: {said}",
        "replace it with a valid one, and wait some minutes",
    ),
    _Row(
        _at(403),
        r"issue is locked",
        Rejected,
        "item-locked",
        "the issue is locked, or was made a discussion, and takes no comment",
        "unlock it, or repeat with --comment none",
        remedy="--comment none",
    ),
    _Row(
        _at(403),
        r"archived",
        Rejected,
        "repository-archived",
        "the repository is archived and cannot be changed",
        "unarchive it first",
    ),
    _Row(_at(403), "", Forbidden, "forbidden", "GitHub refused: {said}", _GRANT),
    _Row(
        _at(404),
        "",
        NotFound,
        "item-not-found",
        "GitHub does not know it, or does not show it to this token",
        "check the link, and that the token may see the repository",
    ),
    _Row(
        _at(410),
        r"disabled",
        NotFound,
        "issues-disabled",
        "issues are switched off in the repository",
        "switch them on in its settings, or unlink the issue",
    ),
    _Row(
        _at(410),
        "",
        NotFound,
        "item-deleted",
        "the issue was deleted",
        "unlink it, and create a new one",
    ),
    _Row(
        _at(422),
        r"body[^;]*too long|too long[^;]*65536",
        Rejected,
        "body-too-long",
        "GitHub refused the text: {said}",
        "shorten it, or repeat with --comment short",
        remedy="--comment short",
    ),
    _Row(_at(422), "", Rejected, "tracker-rejected", "GitHub refused: {said}"),
    _Row(
        _REDIRECTS,
        "",
        Elsewhere,
        "item-moved",
        "the issue or its repository has moved to {moved}",
        "open the issue in the browser and link it again by its new address",
        methods=_READS,
    ),
    _Row(
        _REDIRECTS,
        "",
        Redirected,
        "redirected-write",
        "nothing was written: the issue or its repository has moved to {moved}",
        _RELINK,
        methods=_WRITES,
    ),
)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer of GitHub's means, or None if it is none of ours."""
    if limited := _limited_query(answer):
        return limited
    if answer.status < 300:  # noqa: PLR2004
        return None
    said = _message(answer)
    row = next((row for row in _TABLE if row.fits(answer, said)), None)
    if row is None:
        return None
    words = {
        "said": said or f"HTTP {answer.status}",
        "moved": _moved(answer),
        "needs": _needs(answer),
        "sso": _sso(answer),
    }
    common: dict[str, Any] = {
        "where": _short(answer.url),
        "hint": row.hint.format_map(words) if row.hint else None,
        "status": answer.status,
    }
    if row.error is Limited:
        common["retry_after"] = _wait(answer)
    error = row.error(row.id, row.says.format_map(words), **common)
    error.remedy = row.remedy
    if isinstance(error, Elsewhere):
        place = _PLACE.search(answer.headers.get("Location", "").partition("?")[0])
        error.path = place and place[0]
    return error


def _limited_query(answer: Answer) -> TrackerError | None:
    """GraphQL says among its errors that a limit was reached, on a success too."""
    if not answer.url.partition("?")[0].endswith(_GRAPHQL):
        return None
    body = answer.json()
    errors = body.get("errors") if isinstance(body, dict) else None
    if not isinstance(errors, list):
        return None
    for error in errors:
        kind = error.get("type") if isinstance(error, dict) else None
        said = _detail(error)
        if kind in _LIMITED_KINDS or re.search(_LIMIT_WORDS, said, re.IGNORECASE):
            return Limited(
                "rate-limited",
                _RATE_LIMITED.format(said=_clean(said) or kind),
                hint=_PATIENCE,
                retry_after=_wait(answer),
                status=answer.status,
            )
    return None


def _wait(answer: Answer) -> float:
    return _USUAL_WAIT if answer.retry_after is None else answer.retry_after


def _message(answer: Answer) -> str:
    body = answer.json()
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    details = [_detail(error) for error in errors] if isinstance(errors, list) else []
    return _clean("; ".join(filter(None, [str(body.get("message") or ""), *details])))


def _detail(error: object) -> str:
    """One entry of a validation error: its message, else the field and its error code."""
    if not isinstance(error, dict):
        return str(error)
    parts = (error.get("field"), error.get("message") or error.get("code"))
    return " ".join(str(part) for part in parts if part)


def _clean(text: str) -> str:
    return " ".join(without_controls(text).split())[:_LONGEST]


def _short(url: str) -> str | None:
    """The issue or repository that an API address means, as people name it."""
    match = _ISSUE_PATH.search(url.partition("?")[0])
    if match is None:
        return None
    return f"{match[1]}#{match[2]}" if match[2] else match[1]


def _moved(answer: Answer) -> str:
    place = answer.headers.get("Location", "")
    return _clean(_short(place) or place) or "an address that GitHub does not name"


def _needs(answer: Answer) -> str:
    needed = _clean(answer.headers.get("X-Accepted-GitHub-Permissions", ""))
    return f"; GitHub says: {needed}" if needed else ""


def _sso(answer: Answer) -> str:
    # Not cut: a shortened address would lead nowhere.
    header = without_controls(answer.headers.get("X-GitHub-SSO", ""))
    match = re.search(r"url=(https?://\S+)", header)
    return match[1] if match else "the organization's page and sign in"
