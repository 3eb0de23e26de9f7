"""The errors for Azure DevOps' answers, with hints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import Conflict, Forbidden, NotFound, Rejected, TrackerError, Unauthorised
from unlatch.patterns import pattern
from unlatch.spi.text import one_line
from unlatch.transport import Row, first_error
from unlatch.transport import unreadable as not_understood

if TYPE_CHECKING:
    from unlatch.transport import Answer

_STATE = "System.State"
_BUSY = (
    "another program keeps changing the work item: see its history in Azure DevOps, then run "
    "`unlatch sync`"
)
_GONE = "the work item does not exist, was deleted, or is hidden from this account"
_GONE_HINT = "look in the project's recycle bin, and at the permissions of the item's area path"

# Anonymous requests have an id of equal digits in place of a name.
_KNOWN_USER = r"(?!([0-9a-f])\1{7}-)[^']+"

# The messages contain the codes in every language of the server. Sources: facts, section 6; the
# revision limit's wording: https://github.com/microsoft/onefuzz/issues/3491
TABLE = (
    Row(
        401,
        rf"TF400813: The user '{_KNOWN_USER}' is not authorized",
        Forbidden,
        "user-not-authorized",
        "{message}",
        "ask an administrator to give this user access to the organization and the project, or "
        "use another user's token",
    ),
    Row(
        401,
        r"TF400813|expired|^\s*$",
        Unauthorised,
        "credential-expired",
        "Azure DevOps does not accept the token: it is expired, revoked or malformed",
    ),
    Row(
        403,
        r"TF401289",
        Forbidden,
        "tag-not-permitted",
        "this account may not create tags in the project",
        "ask for the permission 'Create tag definition', or create the tag by hand",
    ),
    Row(
        (400, 403),
        r"TF237111",
        Forbidden,
        "area-not-permitted",
        "this account may not change work items in this area",
        "ask for the permission 'Edit work items in this node' on its area path",
    ),
    Row(
        400,
        r"TF401347",
        Rejected,
        "tree-path-not-found",
        "{message}",
        "correct `area_path` or `iteration_path` of [trackers.ado], or the increment's own",
    ),
    Row(
        400,
        r"TF51535",
        Rejected,
        "field-not-found",
        "{message}",
        "correct the field's reference name in [trackers.ado.fields]",
    ),
    Row(
        400,
        r"TF201036",
        Rejected,
        "link-refused",
        "{message}",
        "correct the increment's `parent`, or link the work items by hand",
    ),
    Row(
        400,
        r"VssVersionOutOfRangeException",
        Rejected,
        "version-not-offered",
        "{message}",
        "set `api_version` in [trackers.ado] to the version that the server names",
    ),
    Row(404, r"TF401232|TF401174", NotFound, "item-not-found", _GONE, _GONE_HINT),
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
    Row(412, r"", Conflict, "conflict", "the work item was changed in between", _BUSY),
    Row(409, r"TF26071|WorkItemRevisionMismatch", Conflict, "conflict", "{message}", _BUSY),
    Row(
        500,
        r"10,?000 revisions",
        Rejected,
        "revision-limit",
        "the work item has the maximum number of revisions that the API allows",
        "change it in the browser, or link the increment to a new work item",
    ),
    Row(
        400,
        r"RuleValidationException|TF401320",
        Rejected,
        "rule-broken",
        "a rule of the work item's type refuses the change{fields}: {message}",
        "{remedy}",
    ),
)
_PLAIN_HINT = (
    "check `organization_url` and `project` in [trackers.ado]; if they are right, the work item "
    "is gone or hidden"
)
_LONGEST_WORDS = 100
_SIGN_IN = pattern(r"/_signin|login\.microsoftonline\.com|login\.live\.com", re.IGNORECASE)
_SIGN_IN_PAGE = pattern(r"sign\s?in|login", re.IGNORECASE)


def explain(answer: Answer) -> TrackerError | None:
    """The error for an answer; None for the transport's own rules.

    The transport adds the place and the status.
    """
    if _is_sign_in(answer):
        message = "Azure DevOps asks to sign in: the token is expired, revoked or malformed"
        return Unauthorised("credential-expired", message)
    if answer.status == 404 and _is_words(answer):  # noqa: PLR2004
        # Not from the work item service, but a wrong address, or a proxy: no word about the item.
        return NotFound("project-not-found", _plainly(answer), hint=_PLAIN_HINT)
    return first_error(TABLE, answer, _said, _words)


def _is_words(answer: Answer) -> bool:
    return not answer.fields and not answer.text.lstrip().startswith("<")


def _plainly(answer: Answer) -> str:
    words = one_line(answer.text)[:_LONGEST_WORDS]
    return f"there is nothing at that address{f': {words}' if words else ''}"


def _is_sign_in(answer: Answer) -> bool:
    """Requests without a valid token get a sign-in page, as for a browser."""
    if 300 <= answer.status < 400:  # noqa: PLR2004
        return _SIGN_IN.search(answer.headers.get("Location", "")) is not None
    if not answer.headers.get("Content-Type", "").lower().startswith("text/html"):
        return False
    return answer.status == 203 or (  # noqa: PLR2004
        answer.status == 200 and _SIGN_IN_PAGE.search(answer.text) is not None  # noqa: PLR2004
    )


def _words(answer: Answer) -> dict[str, str]:
    fields = _fields(answer.fields)
    return {
        "message": _message(answer),
        "fields": f" ({', '.join(fields)})" if fields else "",
        "remedy": _how_to_keep(fields, answer),
    }


def _how_to_keep(fields: list[str], answer: Answer) -> str:
    """The configuration that gives the fields their values, ready to paste."""
    if fields == [_STATE]:
        return "name another state in `states` or `states_by_type` of [trackers.ado]"
    table = "create" if answer.method == "POST" else "reopen"
    also = "" if table == "create" else " (or in fields.close, if it was to be closed)"
    lines = ", ".join(f'"{field}" = "..."' for field in fields or ["FIELD"] if field != _STATE)
    return f"give it a value in [trackers.ado.fields.{table}]{also}: {lines}"


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


def _message(answer: Answer) -> str:
    message = answer.fields.get("message")
    return message if isinstance(message, str) else ""


def _said(answer: Answer) -> str:
    """The message, or the whole text of a non-JSON answer."""
    body = answer.fields
    return f"{body.get('typeKey', '')} {_message(answer)}".strip() if body else answer.text


def missing() -> NotFound:
    """The error for a work item that is missing in an answer."""
    return NotFound("item-not-found", _GONE, hint=_GONE_HINT)


def deleted(item: str) -> NotFound:
    """The error for a work item in the recycle bin."""
    return NotFound(
        "item-deleted",
        f"work item {item} was deleted, and is in its project's recycle bin",
        hint="restore it there (Boards, Work items, Recycle bin), or unlink it",
    )


class NotOffered(Rejected):
    """The server is too old for a call."""

    def __init__(self) -> None:
        super().__init__(
            "call-not-offered",
            "this Azure DevOps Server is too old to offer a call that is needed",
            hint="Azure DevOps Server 2019 or newer is needed",
        )


def unreadable(*, writing: bool) -> TrackerError:
    """The error for a successful answer that cannot be read."""
    message = "Azure DevOps' answer is not of the form that it documents"
    return not_understood(message, write=writing, hint="check `organization_url`")
