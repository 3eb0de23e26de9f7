"""The message about an issue that GitHub Actions passes to a job (the file at GITHUB_EVENT_PATH).

It has the form of the webhook: https://docs.github.com/en/webhooks/webhook-events-and-payloads,
"issues", "issue_comment" and "pull_request_review_comment". Much of its text comes from anyone who
may open an issue.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  (pydantic reads the annotations)
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from unlatch.spi import ItemEvent
from unlatch.spi.history import may_ask
from unlatch.spi.validation import first_problem
from unlatch_github.api.paths import REVIEW
from unlatch_github.states import category_of

# Actions that may change the state or the check boxes of an item; all others are ignored.
_TELLING = frozenset(
    {"closed", "deleted", "edited", "labeled", "opened", "reopened", "transferred", "unlabeled"}
)
# GitHub's own login names have at most 39 characters; those of apps and enterprises a few more.
_Short = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class _Part(BaseModel):
    # GitHub adds keys at any time.
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class _Sender(_Part):
    login: _Short


class _Comment(_Part):
    id: int
    body: str | None = None


class _Pull(_Part):
    html_url: _Address | None = None


class _Repository(_Part):
    default_branch: _Short | None = None


class _Issue(_Part):
    html_url: _Address
    state: _Short | None = None
    state_reason: _Short | None = None
    updated_at: datetime | None = None
    pull_request: dict[str, object] | None = None


class _Payload(_Part):
    action: _Short | None = None
    issue: _Issue | None = None
    comment: _Comment | None = None
    pull_request: _Pull | None = None
    repository: _Repository | None = None
    sender: _Sender | None = None


def read_event(raw: bytes) -> ItemEvent:
    """Parse a message.

    Raises:
        ValueError: it is not from GitHub.
    """
    try:
        payload = _Payload.model_validate_json(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise ValueError(first_problem(details)) from None
    action = payload.action or "unknown"
    issue, on = payload.issue, payload.issue or payload.pull_request
    if payload.comment is not None and on is not None and on.html_url is not None:
        kind = "" if issue else REVIEW
        return _of_comment(payload, payload.comment, action, on.html_url, kind)
    if payload.pull_request is not None or _is_pull_request(issue):
        return ItemEvent(action, note="the event is about a pull request")
    if issue is None:
        return ItemEvent(action, note="the event is not about an issue")
    if payload.action not in _TELLING:
        return ItemEvent(action, note=f"the action {action!r} changes no increment")
    return ItemEvent(
        action,
        url=issue.html_url,
        by=payload.sender.login if payload.sender and action in ("closed", "reopened") else None,
        at=issue.updated_at if issue.updated_at and issue.updated_at.tzinfo else None,
        category=category_of(issue.state, issue.state_reason),
    )


def _of_comment(
    payload: _Payload, comment: _Comment, action: str, url: str, kind: str
) -> ItemEvent:
    if action != "created":
        return ItemEvent(action, note="the comment is not new")
    branch = payload.repository.default_branch if payload.repository else None
    # Most comments ask for nothing, and need no request. What one asks for is read from GitHub.
    note = None if may_ask(comment.body or "") else "the comment has no command"
    place = f"{kind}{comment.id}"
    return ItemEvent(action, url=url, note=note, comment=place, default_branch=branch)


def _is_pull_request(issue: _Issue | None) -> bool:
    return issue is not None and any((issue.pull_request or {}).values())
