"""The table of GitHub's error answers, with hints; the first match counts.

Besides {said}, rows may use {moved}, {needs} and {sso}.

Sources: https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from __future__ import annotations

from unlatch.errors import (
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    SignOnRequired,
    Unauthorised,
)
from unlatch.transport import Row

_REDIRECTS = (301, 302, 303, 307, 308)


class Elsewhere(NotFound):
    """The issue or repository was moved to `path` below `api_url`; None if unknown.

    Host and query of the address are dropped: no request goes to another host, and their content is
    unknown.
    """

    path: str | None = None


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
        (403, 422, 429),
        LIMIT_WORDS,
        Limited,
        "rate-limited",
        RATE_LIMITED,
        PATIENCE,
    ),
    Row(429, "", Limited, "rate-limited", RATE_LIMITED, PATIENCE),
    Row(403, "", Limited, "rate-limited", RATE_LIMITED, PATIENCE, header="Retry-After"),
    Row(
        401,
        "",
        Unauthorised,
        "unauthorized",
        "GitHub does not accept the token: {said}",
    ),
    Row(
        403,
        "",
        SignOnRequired,
        "sso-required",
        "the organization requires single sign-on for the token",
        "open {sso}",
        header="X-GitHub-SSO",
    ),
    Row(
        403,
        r"max(imum)? number of login attempts",
        Unauthorised,
        "login-attempts",
        "GitHub locks the login after wrong tokens: {said}",
        "replace it with a valid one, and wait some minutes",
    ),
    Row(
        403,
        r"issue is locked",
        Rejected,
        "item-locked",
        "the issue is locked, or was converted to a discussion, and accepts no comment",
        "unlock it, or repeat with --comment none",
        remedy="--comment none",
    ),
    Row(
        403,
        r"archived",
        Rejected,
        "repository-archived",
        "the repository is archived and cannot be changed",
        "unarchive it first",
    ),
    Row(403, "", Forbidden, "forbidden", "GitHub refused: {said}", _GRANT),
    Row(
        404,
        "",
        NotFound,
        "item-not-found",
        "GitHub does not know it, or does not show it to this token",
        "check the link, and that the token may see the repository",
    ),
    Row(
        410,
        r"disabled",
        NotFound,
        "issues-disabled",
        "issues are disabled in the repository",
        "enable them in its settings, or unlink the issue",
    ),
    Row(
        410,
        "",
        NotFound,
        "item-deleted",
        "the issue was deleted",
        "unlink it, and create a new one",
    ),
    Row(
        422,
        r"body[^;]{0,99}too long|too long[^;]{0,99}65536",
        Rejected,
        "body-too-long",
        "GitHub refused the text: {said}",
        "shorten it, or repeat with --comment short",
        remedy="--comment short",
    ),
    Row(422, "", Rejected, "tracker-rejected", "GitHub refused: {said}"),
    Row(
        _REDIRECTS,
        "",
        Elsewhere,
        "item-moved",
        "the issue or its repository has moved to {moved}",
        "open the issue in the browser and link it again by its new address",
        methods=("GET", "HEAD"),
    ),
    Row(
        _REDIRECTS,
        "",
        Redirected,
        "redirected-write",
        "nothing was written: the issue or its repository has moved to {moved}",
        _RELINK,
    ),
)
