"""The user, dialect and issue of a request, and Jira's refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from flask import g, request

from unlatch_sandbox.answers import NotKnownError, Refusal, admin_of
from unlatch_sandbox.jira import adf
from unlatch_sandbox.jira.shapes import Dialect
from unlatch_sandbox.jira.tracks import CLOUD, Tracks

if TYPE_CHECKING:
    from unlatch_sandbox.jira.admin import JiraAdmin
    from unlatch_sandbox.jira.records import IssueRecord

# The site's id in a request through the gateway.
GATEWAY = "unlatch_sandbox.jira.gateway"
LONGEST_TEXT = 32_767
_NOT_A_DOCUMENT = (
    "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
)
_MISSING = "Issue does not exist or you do not have permission to see it."


def admin() -> JiraAdmin:
    return cast("JiraAdmin", admin_of(request.environ))


def tracks() -> Tracks:
    return admin().tracks


def refusal(status: int, *messages: str, **errors: str) -> Refusal:
    return Refusal(status, {"errorMessages": list(messages), "errors": errors})


def version() -> str:
    """From /rest/api/2/... or /rest/api/3/..., the latter on Cloud only."""
    return request.path.split("/")[3]


def dialect() -> Dialect:
    site, here = request.host_url.rstrip("/"), admin()
    return Dialect(site, version(), here.deployment == CLOUD, here.has_categories)


def check_version() -> None:
    versions = ("2", "3") if admin().deployment == CLOUD else ("2",)
    if version() not in versions:
        message = f"null for uri: {request.base_url}"
        raise Refusal(404, {"message": message, "status-code": 404})


def check_gateway() -> None:
    """The gateway accepts only the site's id, and only Cloud."""
    cloud_id = admin().cloud_id if admin().deployment == CLOUD else None
    if request.environ.get(GATEWAY, cloud_id) != cloud_id:
        raise Refusal(404, {"code": 404, "message": "The requested resource was not found."})


def authenticate() -> None:
    """Requests without credentials are anonymous and see little; wrong ones are refused."""
    credentials = request.authorization
    if credentials is None:
        return
    if admin().deployment == CLOUD:
        pair = (credentials.username or "", credentials.password or "")
        accounts = admin().scoped if GATEWAY in request.environ else admin().accounts
        name = accounts.get(pair) if credentials.type == "basic" else None
    else:
        name = admin().pats.get(credentials.token or "") if credentials.type == "bearer" else None
    if name is None:
        raise unauthenticated({"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"})
    g.user = name


def unauthenticated(headers: dict[str, str] | None = None) -> Refusal:
    message = "Client must be authenticated to access this resource."
    challenge = {"WWW-Authenticate": "OAuth realm=sandbox"}
    return Refusal(401, {"message": message, "status-code": 401}, challenge | (headers or {}))


def is_anonymous() -> bool:
    return "user" not in g


def issue(key_or_id: str) -> IssueRecord:
    record = tracks().issue(key_or_id)
    # The same message for both, so that it does not reveal which keys exist.
    if record is None or is_anonymous():
        raise refusal(404, _MISSING)
    return record


def text(body: Any, field: str) -> Any:
    """A text in the form of this API version."""
    if version() == "3":
        if not adf.is_document(body):
            raise refusal(400, **{field: _NOT_A_DOCUMENT})
    elif not isinstance(body, str):
        raise refusal(400, **{field: "Operation value must be a string"})
    plain = adf.to_text(body)
    if len(plain) > LONGEST_TEXT:
        message = "The entered text is too long. It exceeds the allowed limit of 32,767 characters."
        raise refusal(400, **{field: message})
    return body


def comment_text(body: Any) -> Any:
    content = text(body, "comment")
    if not adf.to_text(content).strip():
        raise refusal(400, comment="Comment body can not be empty!")
    return content


def labels(given: Any) -> list[str]:
    for label in given:
        if not isinstance(label, str) or not label or " " in label:
            raise refusal(400, labels=f"The label '{label}' contains spaces which is invalid.")
    return list(given)


def body() -> dict[str, Any]:
    content = request.get_json(silent=True)
    if not isinstance(content, dict):
        raise refusal(
            400, "There was an error parsing JSON. Check that your request body is valid."
        )
    return content


def flag(name: str) -> bool:
    value = request.args.get(name, "false").casefold()
    if value not in ("true", "false"):
        raise NotKnownError(f"value of {name}", value)
    return value == "true"


def number(name: str, default: int) -> int:
    value = request.args.get(name, str(default))
    if not value.isdigit():
        raise NotKnownError(f"value of {name}", value)
    return int(value)
