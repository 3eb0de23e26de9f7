"""The table of GitHub's error answers, with hints; the first match counts.

Sources: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import (
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    SignOnRequired,
    TrackerError,
    Unauthorised,
)

if TYPE_CHECKING:
    from unlatch.transport import Answer

_READS = frozenset({"GET", "HEAD"})
_WRITES = frozenset({"POST", "PATCH", "PUT", "DELETE"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Elsewhere(NotFound):
    """The issue or repository was moved to `path` below `api_url`; None if unknown.

    Host and query of the address are dropped: no request goes to another host, and their content is
    unknown.
    """

    path: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `says` and `hint` may use {said}, {moved}, {needs} and {sso}.

    Args:
        status: the statuses that it covers.
        pattern: searched in GitHub's message, in any case.
        header: a required header.
        methods: the methods that it covers.
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


RATE_LIMITED = "GitHub's rate limit is reached: {said}"
PATIENCE = "it ends by itself; --max-wait SECONDS waits longer, unlatch sync goes on later"
_GRANT = "the token needs the right to write issues (fine-grained: Issues: write){needs}"

LIMIT_WORDS = (
    r"rate limit|rate_limit|abuse detection|wait a few minutes|retry your request again later"
    r"|submitted too quickly"
)
_RELINK = "unlatch sync shows where it is now; or link it again by its new address"

TABLE = (
    Row(
        _at(403, 422, 429),
        LIMIT_WORDS,
        Limited,
        "rate-limited",
        RATE_LIMITED,
        PATIENCE,
    ),
    Row(_at(429), "", Limited, "rate-limited", RATE_LIMITED, PATIENCE),
    Row(_at(403), "", Limited, "rate-limited", RATE_LIMITED, PATIENCE, header="Retry-After"),
    Row(
        _at(401),
        "",
        Unauthorised,
        "unauthorized",
        "GitHub does not accept the token: {said}",
    ),
    Row(
        _at(403),
        "",
        SignOnRequired,
        "sso-required",
        "the organization requires single sign-on for the token",
        "open {sso}",
        header="X-GitHub-SSO",
    ),
    Row(
        _at(403),
        r"max(imum)? number of login attempts",
        Unauthorised,
        "login-attempts",
        "GitHub locks the login after wrong tokens: {said}",
        "replace it with a valid one, and wait some minutes",
    ),
    Row(
        _at(403),
        r"issue is locked",
        Rejected,
        "item-locked",
        "the issue is locked, or was converted to a discussion, and accepts no comment",
        "unlock it, or repeat with --comment none",
        remedy="--comment none",
    ),
    Row(
        _at(403),
        r"archived",
        Rejected,
        "repository-archived",
        "the repository is archived and cannot be changed",
        "unarchive it first",
    ),
    Row(_at(403), "", Forbidden, "forbidden", "GitHub refused: {said}", _GRANT),
    Row(
        _at(404),
        "",
        NotFound,
        "item-not-found",
        "GitHub does not know it, or does not show it to this token",
        "check the link, and that the token may see the repository",
    ),
    Row(
        _at(410),
        r"disabled",
        NotFound,
        "issues-disabled",
        "issues are disabled in the repository",
        "enable them in its settings, or unlink the issue",
    ),
    Row(
        _at(410),
        "",
        NotFound,
        "item-deleted",
        "the issue was deleted",
        "unlink it, and create a new one",
    ),
    Row(
        _at(422),
        r"body[^;]*too long|too long[^;]*65536",
        Rejected,
        "body-too-long",
        "GitHub refused the text: {said}",
        "shorten it, or repeat with --comment short",
        remedy="--comment short",
    ),
    Row(_at(422), "", Rejected, "tracker-rejected", "GitHub refused: {said}"),
    Row(
        _REDIRECTS,
        "",
        Elsewhere,
        "item-moved",
        "the issue or its repository has moved to {moved}",
        "open the issue in the browser and link it again by its new address",
        methods=_READS,
    ),
    Row(
        _REDIRECTS,
        "",
        Redirected,
        "redirected-write",
        "nothing was written: the issue or its repository has moved to {moved}",
        _RELINK,
        methods=_WRITES,
    ),
)
