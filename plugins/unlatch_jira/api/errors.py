"""The errors for answers of Jira: the table with hints, and answers that only look like success.

The patterns are searched in the whole answer; {quote} stands for Jira's message after a colon.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
)
from unlatch.spi.text import one_line
from unlatch.transport import Row, first_error, quoted, unreadable

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.transport import Answer


_ANY = range(100, 600)
_LOG_IN = (
    "replace it, or correct the e-mail address (on Data Center, use JIRA_PAT). A scoped token "
    "works only through the gateway: set trackers.jira.gateway = true"
)
_ASK = (
    "ask for the permissions Browse Projects, Transition Issues, Edit Issues and Add Comments (to "
    "create: Create Issues) in the issue's project"
)
_MOVED = "the issue moved before its transition was taken"
_READ_AGAIN = "`unlatch sync` reads the transitions again"
_NOT_ALLOWED = "Jira does not allow this to the account{quote}"

TABLE = (
    Row(
        _ANY,
        "captcha",
        Unauthorised,
        "captcha",
        "Jira locked this login after too many wrong passwords",
        "log in once in a browser and solve the CAPTCHA",
        header="X-Authentication-Denied-Reason",
    ),
    # Jira answers a wrong credential like an anonymous request: often 200, with less content
    # (https://jira.atlassian.com/browse/JRA-41559).
    Row(
        _ANY,
        "AUTHENTICATED_FAILED|AUTHENTICATION_DENIED",
        Unauthorised,
        "credential-refused",
        "Jira did not accept the credential",
        _LOG_IN,
        header="X-Seraph-LoginReason",
    ),
    # Data Center names the user of each request; with a credential it names one or refuses.
    Row(
        _ANY,
        r"^anonymous$",
        Unauthorised,
        "credential-refused",
        "Jira treated the request as anonymous",
        _LOG_IN,
        header="X-AUSERNAME",
    ),
    Row(
        _ANY,
        r"/login\.jsp|//id\.atlassian\.com/|[?&]os_destination=",
        Unauthorised,
        "credential-refused",
        "Jira sent the request to its login page",
        _LOG_IN,
        header="Location",
    ),
    Row(
        401,
        "scope does not match",
        Forbidden,
        "scope-missing",
        "the token's scopes do not cover this",
        "make a token with the scopes read:jira-work and write:jira-work",
    ),
    Row(401, "", Unauthorised, "credential-refused", "Jira did not accept the credential", _LOG_IN),
    Row(
        404,
        "",
        NotFound,
        "item-not-found",
        "Jira shows no such issue to this credential",
        "it is gone, or hidden: check that the account may browse its project",
    ),
    Row(403, "", Forbidden, "forbidden", _NOT_ALLOWED, _ASK),
    Row(400, r"not have (?:the )?permission", Forbidden, "forbidden", _NOT_ALLOWED, _ASK),
    # The only meaning in Jira's documentation; the message is in the user's language.
    Row(
        400,
        "",
        Forbidden,
        "forbidden",
        "Jira does not let the account delete this comment{quote}",
        "ask for the permission Delete Own Comments, or Delete All Comments",
        methods=("DELETE",),
    ),
    Row(
        400,
        r'"issuetype"\s*:',
        Rejected,
        "issue-type-unknown",
        "Jira does not create issues of this type in this project{quote}",
        "set trackers.jira.issue_type, or trackers.jira.types, to a type that the project has",
        path="/issue",
    ),
    Row(
        400,
        r"Transition id '?\w*'? is not valid|tried to perform a workflow operation",
        Conflict,
        "transition-stale",
        _MOVED,
        _READ_AGAIN,
    ),
    Row(
        400,
        # Other languages have another separator in the limit.
        r"text is too long|exceeds the allowed limit|\b32\D?767\b",
        Rejected,
        "body-too-long",
        "the text is longer than Jira allows{quote}",
        remedy="--comment short",
    ),
    # The same in other languages: the transition's id in quotes, without a field.
    Row(
        400,
        r"""(?s)^(?!.*"errors"\s*:\s*\{\s*").*'\d+'""",
        Conflict,
        "transition-stale",
        f"{_MOVED}{{quote}}",
        _READ_AGAIN,
        path="/transitions",
        methods=("POST",),
    ),
    Row(
        409,
        "",
        Conflict,
        "conflict",
        "another request is changing the issue{quote}",
        "`unlatch sync` tries again",
    ),
    Row(
        410,
        "",
        Rejected,
        "api-gone",
        "Jira no longer has this part of its interface{quote}",
        "check trackers.jira.api_version, or upgrade unlatch",
    ),
    Row(
        413,
        "",
        Rejected,
        "item-full",
        "the issue has the maximum number of comments{quote}",
        "repeat with --comment none",
        remedy="--comment none",
    ),
)


def words(answer: Answer) -> str:
    """The message of an error answer, cut and without control characters."""
    if not isinstance(answer.json(), dict):
        return quoted(answer.text) if _is_plain(answer) else ""
    messages, errors = answer.fields.get("errorMessages"), answer.fields.get("errors")
    texts = [str(message) for message in messages] if isinstance(messages, list) else []
    if isinstance(errors, dict):
        texts += [f"{field}: {message}" for field, message in errors.items()]
    return quoted(" ".join(texts))


def _is_plain(answer: Answer) -> bool:
    return answer.headers.get("Content-Type", "").lower().startswith("text/plain")


_LISTS = ("/field", "/statuses", "/user/permission/search")
# POST requests that only read.
_QUESTIONS = ("/bulkfetch", "/preview")
_LONGEST_INTERVAL = 3600
_OFF_SCREEN = "not on the appropriate screen"
_SCREEN_HINT = "ask an administrator to put the field on the project's screens"
_RATE_HINTS = {
    "jira-quota": "the site's hourly quota is used up; `unlatch sync` goes on after the reset",
    "jira-burst": "too many requests of one kind at once; `unlatch sync` goes on later",
    "jira-per-issue": "too many changes to one issue at once; `unlatch sync`, a little later",
}
_BUCKET_HINT = (
    "an administrator limits how fast an account may ask (Rate limiting); `unlatch sync` goes on "
    "later"
)


def _set_in_jira(fields: Collection[str]) -> str:
    names = ", ".join(one_line(name)[:60] for name in sorted(fields))
    return f"set {names} on the issue in Jira, or {_SCREEN_HINT}"


class FieldsNotOnScreen(Rejected):
    """A write was refused for some fields, mostly missing on the screen; nothing was done.

    Args:
        said: Jira's message.
        fields: the fields that Jira named.
    """

    def __init__(self, said: str, *, fields: Collection[str], status: int) -> None:
        is_screen = _OFF_SCREEN in said
        super().__init__(
            "field-not-on-screen" if is_screen else "tracker-rejected",
            f"Jira refused the change: {said}",
            hint=_SCREEN_HINT if is_screen else _set_in_jira(fields),
            status=status,
        )
        self.fields = frozenset(fields)
        self.reason = "no screen of the issue shows them" if is_screen else said


class TransitionRefused(Rejected):
    """A transition was refused by its screen or a rule of the workflow; nothing was done.

    Args:
        fields: the fields that Jira named; none if it gave only words.
    """

    def __init__(self, said: str, *, fields: Collection[str], status: int) -> None:
        super().__init__(
            "transition-needs-fields" if fields else "tracker-rejected",
            f"Jira refused the transition{f': {said}' if said else ''}",
            status=status,
        )
        self.fields = frozenset(fields)


def explain(answer: Answer) -> TrackerError | None:
    """The error for an answer; None for the general rules."""
    if answer.status == 429:  # noqa: PLR2004
        return _limited(answer)
    if answer.status == 400 and _OFF_SCREEN in answer.text:  # noqa: PLR2004
        return _off_screen(answer)
    if error := first_error(TABLE, answer, words=_words):
        return error
    if answer.status == 400:  # noqa: PLR2004
        return _refused(answer)
    return _no_object(answer)


def _refused(answer: Answer) -> TrackerError | None:
    """The error for a write that Jira refused, by the fields that it names, in any language."""
    fields = _refused_fields(answer)
    if answer.method == "PUT" and fields:
        return _off_screen(answer)
    if answer.method == "POST" and answer.path.endswith("/transitions"):
        return TransitionRefused(words(answer), fields=fields, status=answer.status)
    if answer.method == "POST" and answer.path.endswith("/issue") and fields:
        lines = ", ".join(f'{json.dumps(str(name)[:60])} = "..."' for name in fields)
        return Rejected(
            "tracker-rejected",
            f"Jira refused the new issue: {words(answer)}",
            hint=f"set below [trackers.jira.fields.create]: {lines}",
            status=answer.status,
        )
    return None


def _words(answer: Answer) -> dict[str, str]:
    said = words(answer)
    return {"quote": f": {said}" if said else ""}


def _off_screen(answer: Answer) -> TrackerError:
    return FieldsNotOnScreen(words(answer), fields=_refused_fields(answer), status=answer.status)


def _refused_fields(answer: Answer) -> Collection[str]:
    errors = answer.fields.get("errors")
    return errors if isinstance(errors, dict) else {}


def _limited(answer: Answer) -> Limited:
    """The error for a 429, with the time to wait, from Cloud or Data Center."""
    reason = one_line(answer.headers.get("RateLimit-Reason", ""))[:60]
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
    """Seconds until Data Center's bucket has a token again, for an answer without a time.

    X-RateLimit-FillRate tokens come every X-RateLimit-Interval-Seconds
    (https://confluence.atlassian.com/adminjiraserver/adjusting-your-code-for-rate-limiting-987143384.html).
    """
    names = ("X-RateLimit-Interval-Seconds", "X-RateLimit-FillRate")
    try:
        interval, rate = (float(answer.headers.get(name, "")) for name in names)
    except ValueError:
        return None
    # A bucket without a refill blocks the account; the general pause applies.
    return interval if rate > 0 and 0 <= interval <= _LONGEST_INTERVAL else None


def _no_object(answer: Answer) -> TrackerError | None:
    """Refuse an answer that is not a JSON object or empty, except for three lists.

    The transport handles web pages and truncated JSON, with a retry if safe.
    """
    body = answer.body.strip()
    is_page = body.startswith(b"<")
    if not 200 <= answer.status < 300 or not body or is_page:  # noqa: PLR2004
        return None
    content = answer.json()
    if isinstance(content, dict) or (content is None and _is_json(answer)):
        return None
    if isinstance(content, list) and answer.path.endswith(_LISTS):
        return None
    is_read = answer.method in ("GET", "HEAD") or answer.path.endswith(_QUESTIONS)
    return unreadable(
        "Jira's answer is not as documented",
        write=not is_read,
        hint="check that trackers.jira.site is a Jira site",
    )


def _is_json(answer: Answer) -> bool:
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind == "application/json" and answer.body.strip() != b"null"
