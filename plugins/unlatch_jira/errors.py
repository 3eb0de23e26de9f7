"""What Jira's error answers mean, and what to tell people: a table, first match first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.domain.text import without_controls
from unlatch.errors import (
    Conflict,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch_jira.limits import limited

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.transport import Answer

SCOPE_MISSING = "scope-missing"

_LONGEST_QUOTE = 300
_LOG_IN = (
    "check the token and the e-mail address (or JIRA_PAT on Data Center), then `unlatch auth login "
    "jira`. A scoped token works only through the gateway: set trackers.jira.gateway = true"
)
_ASK = (
    "ask for the permissions Browse Projects, Transition Issues, Edit Issues and Add Comments (to "
    "create: Create Issues) in the issue's project"
)
_UNREADABLE: Mapping[bool, tuple[type[TrackerError], str]] = {
    True: (Rejected, "answer-not-understood"),
    False: (UnknownOutcome, "unknown-outcome"),
}
_LISTS = ("/field", "/statuses")


class FieldsNotOnScreen(Rejected):
    """A write named fields that the issue's screen does not show; nothing of it was done.

    Args:
        fields: the fields that Jira named.
    """

    def __init__(self, message: str, *, fields: Collection[str], status: int) -> None:
        super().__init__(
            "field-not-on-screen",
            message,
            hint="ask an administrator to put the field on the project's screens",
            status=status,
        )
        self.fields = frozenset(fields)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: which answers it is for, and the error that they mean.

    Args:
        status: the status, or None for any.
        says: what Jira's own words, or the named header, have to contain.
        header: the header to look into instead of the words.
        path: how the request's address has to end.
        quotes: whether Jira's words are told.
    """

    kind: type[TrackerError]
    id: str
    message: str
    hint: str | None = None
    status: int | None = None
    says: re.Pattern[str] | None = None
    header: str | None = None
    path: str = ""
    quotes: bool = False

    def means(self, answer: Answer) -> bool:
        """Whether it is for this answer."""
        if self.status not in (None, answer.status) or not _path(answer).endswith(self.path):
            return False
        if self.says is None:
            return True
        text = answer.headers.get(self.header, "") if self.header else answer.text
        return self.says.search(text) is not None

    def error(self, answer: Answer) -> TrackerError:
        """The error that the answer means."""
        said = words(answer) if self.quotes else ""
        message = f"{self.message}: {said}" if said else self.message
        return self.kind(self.id, message, hint=self.hint, status=answer.status)


def _any(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


TABLE: tuple[Row, ...] = (
    Row(
        Unauthorised,
        "captcha",
        "Jira locked this login after too many wrong passwords",
        "log in once by browser and solve the puzzle that it shows",
        header="X-Authentication-Denied-Reason",
        says=_any("captcha"),
    ),
    # Jira answers a wrong credential like an anonymous request: often 200, with less in it
    # (https://jira.atlassian.com/browse/JRA-41559).
    Row(
        Unauthorised,
        "credential-refused",
        "Jira did not accept the credential",
        _LOG_IN,
        header="X-Seraph-LoginReason",
        says=_any("AUTHENTICATED_FAILED|AUTHENTICATION_DENIED"),
    ),
    # Data Center tells whom it took the request for; with a credential it is somebody, or refused.
    Row(
        Unauthorised,
        "credential-refused",
        "Jira took the request for nobody's",
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
        Unauthorised,
        SCOPE_MISSING,
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
        Unauthorised,
        "forbidden",
        "Jira does not allow this to the account",
        _ASK,
        403,
        quotes=True,
    ),
    Row(
        Unauthorised,
        "forbidden",
        "Jira does not allow this to the account",
        _ASK,
        400,
        says=_any(r"not have (?:the )?permission"),
        quotes=True,
    ),
    Row(
        Rejected,
        "issue-type-unknown",
        "Jira does not make issues of this type in this project",
        "set trackers.jira.issue_type, or trackers.jira.types, to a type that the project has",
        400,
        says=re.compile(r'"issuetype"\s*:'),
        path="/issue",
        quotes=True,
    ),
    Row(
        Conflict,
        "transition-stale",
        "the issue moved before its transition was taken",
        "`unlatch sync` finds out anew which transitions it offers",
        400,
        says=_any(r"Transition id '?\w*'? is not valid"),
    ),
    Row(
        Rejected,
        "body-too-long",
        "the text is longer than Jira takes",
        status=400,
        says=_any("text is too long|exceeds the allowed limit"),
        quotes=True,
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
    Row(
        Conflict,
        "conflict",
        "somebody else is changing the issue",
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
        "the issue holds as many comments as Jira allows",
        "delete some, or run again with `--comment none`",
        413,
        quotes=True,
    ),
)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer means, or None where Jira has nothing of its own to say."""
    if special := _off_screen(answer) or limited(answer):
        return special
    found = next((row.error(answer) for row in TABLE if row.means(answer)), None)
    return found or _no_object(answer)


def words(answer: Answer) -> str:
    """What Jira says in an error answer, cut and without control characters."""
    body = answer.json()
    if not isinstance(body, dict):
        return ""
    messages = body.get("errorMessages")
    errors = body.get("errors")
    found = [str(message) for message in messages] if isinstance(messages, list) else []
    if isinstance(errors, dict):
        found += [f"{field}: {message}" for field, message in errors.items()]
    return " ".join(without_controls(" ".join(found)).split())[:_LONGEST_QUOTE]


def _off_screen(answer: Answer) -> TrackerError | None:
    if answer.status != 400 or "not on the appropriate screen" not in answer.text:  # noqa: PLR2004
        return None
    body = answer.json()
    errors = body.get("errors") if isinstance(body, dict) else None
    fields = errors if isinstance(errors, dict) else {}
    return FieldsNotOnScreen(
        f"Jira refused the change: {words(answer)}", fields=fields, status=answer.status
    )


def _no_object(answer: Answer) -> TrackerError | None:
    """Everything that Jira answers to us is a JSON object or nothing, but for two lists.

    Pages, and JSON that breaks off, are the transport's: it asks again where that is safe.
    """
    body = answer.body.strip()
    is_page = body.startswith(b"<")
    if not 200 <= answer.status < 300 or not body or is_page:  # noqa: PLR2004
        return None
    content = answer.json()
    if isinstance(content, dict) or (content is None and _is_json(answer)):
        return None
    if isinstance(content, list) and _path(answer).endswith(_LISTS):
        return None
    kind, id_ = _UNREADABLE[answer.method in ("GET", "HEAD")]
    return kind(
        id_,
        "Jira's answer is not as documented",
        hint="check that trackers.jira.site is a Jira site",
        status=answer.status,
    )


def _is_json(answer: Answer) -> bool:
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind == "application/json" and answer.body.strip() != b"null"


def _path(answer: Answer) -> str:
    return answer.url.partition("?")[0]
