"""What Azure DevOps' error answers mean, and what to tell people about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.errors import (
    Conflict,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)

if TYPE_CHECKING:
    from unlatch.transport import Answer

_RENEW = "make a new token and run `unlatch auth login ado`, or run `az login`"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: answers with `status` whose text has `pattern` are this error.

    A message of None stands for the tracker's own; the pattern is looked for in its type and text.
    """

    status: int
    pattern: str
    error: type[TrackerError]
    id: str
    message: str | None
    hint: str | None = None


# The codes stand in the messages in every language of the server. Sources: facts, section 6; the
# revision limit's wording: https://github.com/microsoft/onefuzz/issues/3491
TABLE: tuple[Row, ...] = (
    Row(
        401,
        r"TF400813|expired|^\s*$",
        Unauthorised,
        "credential-expired",
        "Azure DevOps does not accept the token: it is expired, revoked or malformed",
        _RENEW,
    ),
    Row(
        403,
        r"TF401289",
        Unauthorised,
        "tag-not-permitted",
        "this account may not create tags in the project",
        "ask for the permission 'Create tag definition', or create the tag by hand",
    ),
    Row(
        404,
        r"TF401232|TF401174",
        NotFound,
        "item-not-found",
        "the work item does not exist, was deleted, or is hidden from this account",
        "look in the project's recycle bin, and at the permissions of the item's area path",
    ),
    Row(
        404,
        r"TF200016|ProjectDoesNotExist",
        NotFound,
        "project-not-found",
        "the project does not exist, or is hidden from this account",
        "check `project` in [trackers.ado]",
    ),
    Row(
        404,
        r"VS402323|WorkItemTypeNotFound",
        Rejected,
        "type-not-found",
        "the project has no work item type of that name",
        "set `work_item_type` in [trackers.ado]",
    ),
    Row(412, r"", Conflict, "conflict", "somebody changed the work item in between"),
    Row(409, r"TF26071|WorkItemRevisionMismatch", Conflict, "conflict", None),
    Row(
        500,
        r"10,?000 revisions",
        Rejected,
        "revision-limit",
        "the work item has reached the number of revisions that the API may add to",
        "change it in the browser, or link the increment to a new work item",
    ),
)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer means; None leaves it to the transport's own rules.

    The transport adds where it happened, and the status.
    """
    if _is_sign_in(answer):
        message = "Azure DevOps asks to sign in: the token is expired, revoked or malformed"
        return Unauthorised("credential-expired", message, hint=_RENEW)
    if answer.status == 400:  # noqa: PLR2004
        return _broken_rule(answer)
    return next((_error(row, answer) for row in TABLE if _fits(row, answer)), None)


def _fits(row: Row, answer: Answer) -> bool:
    return row.status == answer.status and bool(
        re.search(row.pattern, _said(answer), re.IGNORECASE)
    )


def _error(row: Row, answer: Answer) -> TrackerError:
    return row.error(row.id, row.message or _message(answer), hint=row.hint)


_SIGN_IN = re.compile(r"/_signin|login\.microsoftonline\.com|login\.live\.com", re.IGNORECASE)
_SIGN_IN_PAGE = re.compile(r"sign\s?in|login", re.IGNORECASE)


def _is_sign_in(answer: Answer) -> bool:
    """A reader or poster without a valid token is taken for a browser, and shown the way in."""
    if 300 <= answer.status < 400:  # noqa: PLR2004
        return _SIGN_IN.search(answer.headers.get("Location", "")) is not None
    if not answer.headers.get("Content-Type", "").lower().startswith("text/html"):
        return False
    return answer.status == 203 or (  # noqa: PLR2004
        answer.status == 200 and _SIGN_IN_PAGE.search(answer.text) is not None  # noqa: PLR2004
    )


def _broken_rule(answer: Answer) -> TrackerError | None:
    body = _body(answer)
    said = f"{body.get('typeKey', '')} {_said(answer)}"
    if not re.search(r"RuleValidationException|TF401320", said):
        return None
    fields = _fields(body)
    named = f" ({', '.join(fields)})" if fields else ""
    return Rejected(
        "rule-broken",
        f"a rule of the work item's type refuses the change{named}: {_message(answer)}",
        hint="fill in the field, or name another state in `states` of [trackers.ado]",
    )


def _fields(body: dict[str, Any]) -> list[str]:
    properties = body.get("customProperties")
    if not isinstance(properties, dict):
        return []
    more = properties.get("RuleValidationErrors")
    errors = [properties, *(more if isinstance(more, list) else [])]
    names = [
        error.get("FieldReferenceName") or error.get("fieldReferenceName")
        for error in errors
        if isinstance(error, dict)
    ]
    return list(dict.fromkeys(str(name) for name in names if name))


def _body(answer: Answer) -> dict[str, Any]:
    body = answer.json()
    return body if isinstance(body, dict) else {}


def _message(answer: Answer) -> str:
    message = _body(answer).get("message")
    return message if isinstance(message, str) else ""


def _said(answer: Answer) -> str:
    """The message, or the whole text of an answer that is not JSON."""
    body = _body(answer)
    return f"{body.get('typeKey', '')} {_message(answer)}".strip() if body else answer.text


class NotOffered(Rejected):
    """The server is too old to know a call."""

    def __init__(self) -> None:
        super().__init__(
            "call-not-offered",
            "this Azure DevOps Server is too old to offer a call that is needed",
            hint="Azure DevOps Server 2019 or newer is needed",
        )


def unreadable(*, writing: bool) -> TrackerError:
    """An answer that says yes and cannot be read."""
    message = "Azure DevOps' answer is not of the form that it documents"
    if writing:
        return UnknownOutcome(
            "unknown-outcome", message, hint="`unlatch sync` looks before it tries again"
        )
    return Rejected("answer-not-understood", message, hint="check `organization_url`")
