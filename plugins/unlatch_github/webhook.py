"""The message about an issue that GitHub Actions passes to a job (the file at GITHUB_EVENT_PATH).

It has the form of the webhook: https://docs.github.com/en/webhooks/webhook-events-and-payloads,
"issues". Much of its text comes from anyone who may open an issue.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003  (pydantic reads the annotations)
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from unlatch.spi import ItemEvent
from unlatch.spi.validation import validation_message
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
    pull_request: dict[str, object] | None = None
    sender: _Sender | None = None


def read_event(raw: bytes) -> ItemEvent:
    """Parse a message.

    Raises:
        ValueError: it is not from GitHub.
    """
    try:
        payload = _Payload.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = validation_message(first)
        raise ValueError(f"{place}: {message}" if place else message) from None
    action = payload.action or "unknown"
    if note := _note(payload):
        return ItemEvent(action, note=note)
    issue = payload.issue
    if issue is None:
        return ItemEvent(action, note="the event is not about an issue")
    if payload.comment is not None:
        return ItemEvent(action, url=issue.html_url, comment=str(payload.comment.id))
    return ItemEvent(
        action,
        url=issue.html_url,
        by=payload.sender.login if payload.sender and action in ("closed", "reopened") else None,
        at=issue.updated_at if issue.updated_at and issue.updated_at.tzinfo else None,
        category=category_of(issue.state, issue.state_reason),
    )


def _note(payload: _Payload) -> str | None:
    if payload.pull_request is not None or _is_pull_request(payload.issue):
        return "the event is about a pull request"
    if payload.comment is not None:
        return _comment_note(payload.action, payload.comment)
    if payload.issue is not None and payload.action not in _TELLING:
        return f"the action {payload.action or 'unknown'!r} changes no increment"
    return None


def _comment_note(action: str | None, comment: _Comment) -> str | None:
    if action != "created":
        return "the comment is not new"
    # Most comments ask for nothing, and need no request. What one asks for is read from GitHub.
    lines = (comment.body or "").splitlines()
    return None if any(line.startswith("/") for line in lines) else "the comment has no command"


def _is_pull_request(issue: _Issue | None) -> bool:
    return issue is not None and any((issue.pull_request or {}).values())
