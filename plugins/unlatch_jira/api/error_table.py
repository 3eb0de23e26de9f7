"""The table of Jira's error answers, with hints; the first match counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import Conflict, Forbidden, NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi.text import without_controls

if TYPE_CHECKING:
    from unlatch.transport import Answer

_LONGEST_QUOTE = 300
_LOG_IN = (
    "replace it, or correct the e-mail address (on Data Center, use JIRA_PAT). A scoped token "
    "works only through the gateway: set trackers.jira.gateway = true"
)
_ASK = (
    "ask for the permissions Browse Projects, Transition Issues, Edit Issues and Add Comments (to "
    "create: Create Issues) in the issue's project"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the answers that it covers, and their error.

    Args:
        status: the status, or None for any.
        says: a text that Jira's message, or the named header, contains.
        header: the header to search instead of the message.
        path: the end of the request's address.
        method: the request's method, or "" for any.
        quotes: whether the message quotes Jira's message.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
    """

    kind: type[TrackerError]
    id: str
    message: str
    hint: str | None = None
    status: int | None = None
    says: re.Pattern[str] | None = None
    header: str | None = None
    path: str = ""
    method: str = ""
    quotes: bool = False
    remedy: str | None = None

    def means(self, answer: Answer) -> bool:
        """Whether it covers this answer."""
        if self.status not in (None, answer.status) or self.method not in ("", answer.method):
            return False
        if self.path and not path_of(answer).endswith(self.path):
            return False
        if self.says is None:
            return True
        text = answer.headers.get(self.header, "") if self.header else answer.text
        return self.says.search(text) is not None

    def error(self, answer: Answer) -> TrackerError:
        """The error for the answer."""
        said = words(answer) if self.quotes else ""
        message = f"{self.message}: {said}" if said else self.message
        error = self.kind(self.id, message, hint=self.hint, status=answer.status)
        error.remedy = self.remedy
        return error


def _any(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_STALE = partial(
    Row,
    Conflict,
    "transition-stale",
    "the issue moved before its transition was taken",
    "`unlatch sync` reads the transitions again",
    400,
)
TABLE: tuple[Row, ...] = (
    Row(
        Unauthorised,
        "captcha",
        "Jira locked this login after too many wrong passwords",
        "log in once in a browser and solve the CAPTCHA",
        header="X-Authentication-Denied-Reason",
        says=_any("captcha"),
    ),
    # Jira answers a wrong credential like an anonymous request: often 200, with less content
    # (https://jira.atlassian.com/browse/JRA-41559).
    Row(
        Unauthorised,
        "credential-refused",
        "Jira did not accept the credential",
        _LOG_IN,
        header="X-Seraph-LoginReason",
        says=_any("AUTHENTICATED_FAILED|AUTHENTICATION_DENIED"),
    ),
    # Data Center names the user of each request; with a credential it names one or refuses.
    Row(
        Unauthorised,
        "credential-refused",
        "Jira treated the request as anonymous",
        _LOG_IN,
        header="X-AUSERNAME",
        says=_any(r"^anonymous$"),
    ),
    Row(
        Unauthorised,
        "credential-refused",
        "Jira sent the request to its login page",
        _LOG_IN,
        header="Location",
        says=_any(r"/login\.jsp|//id\.atlassian\.com/|[?&]os_destination="),
    ),
    Row(
        Forbidden,
        "scope-missing",
        "the token's scopes do not cover this",
        "make a token with the scopes read:jira-work and write:jira-work",
        401,
        says=_any("scope does not match"),
    ),
    Row(Unauthorised, "credential-refused", "Jira did not accept the credential", _LOG_IN, 401),
    Row(
        NotFound,
        "item-not-found",
        "Jira shows no such issue to this credential",
        "it is gone, or hidden: check that the account may browse its project",
        404,
    ),
    Row(
        Forbidden,
        "forbidden",
        "Jira does not allow this to the account",
        _ASK,
        403,
        quotes=True,
    ),
    Row(
        Forbidden,
        "forbidden",
        "Jira does not allow this to the account",
        _ASK,
        400,
        says=_any(r"not have (?:the )?permission"),
        quotes=True,
    ),
    # The only meaning in Jira's documentation; the message is in the user's language.
    Row(
        Forbidden,
        "forbidden",
        "Jira does not let the account delete this comment",
        "ask for the permission Delete Own Comments, or Delete All Comments",
        400,
        method="DELETE",
        quotes=True,
    ),
    Row(
        Rejected,
        "issue-type-unknown",
        "Jira does not create issues of this type in this project",
        "set trackers.jira.issue_type, or trackers.jira.types, to a type that the project has",
        400,
        says=re.compile(r'"issuetype"\s*:'),
        path="/issue",
        quotes=True,
    ),
    _STALE(
        says=_any(r"Transition id '?\w*'? is not valid|tried to perform a workflow operation"),
    ),
    Row(
        Rejected,
        "body-too-long",
        "the text is longer than Jira allows",
        status=400,
        # Other languages have another separator in the limit.
        says=_any(r"text is too long|exceeds the allowed limit|\b32\D?767\b"),
        quotes=True,
        remedy="--comment short",
    ),
    Row(
        Rejected,
        "transition-needs-fields",
        "Jira refused the transition",
        "set the field in trackers.jira.fields, take the transition in Jira, or name another in "
        "trackers.jira.transitions",
        400,
        says=re.compile(r'"errors"\s*:\s*\{\s*"'),
        path="/transitions",
        quotes=True,
    ),
    # The same in other languages: the transition's id in quotes, without a field.
    _STALE(
        says=re.compile(r"'\d+'"),
        path="/transitions",
        method="POST",
        quotes=True,
    ),
    Row(
        Conflict,
        "conflict",
        "another request is changing the issue",
        "`unlatch sync` tries again",
        409,
        quotes=True,
    ),
    Row(
        Rejected,
        "api-gone",
        "Jira no longer has this part of its interface",
        "check trackers.jira.api_version, or upgrade unlatch",
        410,
        quotes=True,
    ),
    Row(
        Rejected,
        "item-full",
        "the issue has the maximum number of comments",
        "delete some, or run again with `--comment none`",
        413,
        quotes=True,
        remedy="--comment none",
    ),
)


def words(answer: Answer) -> str:
    """The message of an error answer, cut and without control characters."""
    body = answer.json()
    if not isinstance(body, dict):
        return _clean(answer.text) if _is_plain(answer) else ""
    messages = body.get("errorMessages")
    errors = body.get("errors")
    found = [str(message) for message in messages] if isinstance(messages, list) else []
    if isinstance(errors, dict):
        found += [f"{field}: {message}" for field, message in errors.items()]
    return _clean(" ".join(found))


def _clean(text: str) -> str:
    return " ".join(without_controls(text).split())[:_LONGEST_QUOTE]


def _is_plain(answer: Answer) -> bool:
    return answer.headers.get("Content-Type", "").lower().startswith("text/plain")


def path_of(answer: Answer) -> str:
    """The requested address, without its query."""
    return answer.url.partition("?")[0]
