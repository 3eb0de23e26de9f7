"""The table of Jira's error answers, with hints; the first match counts.

The patterns are searched in the whole answer; {quote} stands for Jira's message after a colon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Conflict, Forbidden, NotFound, Rejected, Unauthorised
from unlatch.transport import Row, quoted

if TYPE_CHECKING:
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
    found = [str(message) for message in messages] if isinstance(messages, list) else []
    if isinstance(errors, dict):
        found += [f"{field}: {message}" for field, message in errors.items()]
    return quoted(" ".join(found))


def _is_plain(answer: Answer) -> bool:
    return answer.headers.get("Content-Type", "").lower().startswith("text/plain")
