"""The messages about issues and comments that Jira sends by webhooks and automation rules.

Source: https://developer.atlassian.com/server/jira/platform/webhooks/, and for Cloud
https://developer.atlassian.com/cloud/jira/platform/webhooks/. Nothing proves who sent one, so only
the ids in it count: an automation rule needs to send no more.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from unlatch.patterns import pattern
from unlatch.spi import ItemEvent
from unlatch.spi.validation import first_problem

_Short = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
_ID = pattern(r"[0-9]{1,20}")
_CREATED = "comment_created"
# A comment raises both, until Atlassian removes it from the second.
_UPDATED, _COMMENTED = "jira:issue_updated", "issue_commented"
# Changes of an issue that may change an increment; an unknown event leads to nothing.
_TELLING = frozenset({"status", "resolution", "description", "labels"})
_GONE = "jira:issue_deleted"


class _Part(BaseModel):
    # Jira adds keys at any time.
    model_config = ConfigDict(
        extra="ignore", frozen=True, hide_input_in_errors=True, coerce_numbers_to_str=True
    )


class _Comment(_Part):
    id: _Short


class _Issue(_Part):
    key: _Short
    self: _Address


class _Change(_Part):
    field: _Short | None = None


class _Changelog(_Part):
    items: tuple[_Change, ...] = ()


class _Payload(_Part):
    webhookEvent: _Short  # noqa: N815  (Jira's name)
    issue_event_type_name: _Short | None = None
    issue: _Issue | None = None
    comment: _Comment | None = None
    changelog: _Changelog | None = None


class _Dispatch(_Part):
    """The event of GitHub with which a rule starts a workflow (repository_dispatch)."""

    client_payload: _Payload


def read_event(raw: bytes) -> ItemEvent:
    """Parse a message, also within the event of a workflow that a rule started.

    Raises:
        ValueError: it is not from Jira.
    """
    try:
        is_dispatch = b'"client_payload"' in raw
        read = _Dispatch if is_dispatch else _Payload
        parsed = read.model_validate_json(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise ValueError(first_problem(details)) from None
    payload = parsed.client_payload if isinstance(parsed, _Dispatch) else parsed
    action, issue, comment = payload.webhookEvent, payload.issue, payload.comment
    if issue is None:
        return ItemEvent(action, note="the event is not about an issue")
    url = _address(issue)
    is_update = action == _UPDATED and payload.issue_event_type_name != _COMMENTED
    if action.startswith("comment_") and action != _CREATED:
        return ItemEvent(action, note="the comment is not new")
    if is_update or action == _GONE:
        changed = {item.field for item in payload.changelog.items} if payload.changelog else set()
        if action == _GONE or changed & _TELLING:
            return ItemEvent(action, url=url)
    if comment is None or is_update:
        return ItemEvent(action, note=f"the action {action!r} changes no increment")
    if not _ID.fullmatch(comment.id):
        raise ValueError("comment.id: it is not a number")
    return ItemEvent(action, url=url, comment=comment.id)


def _address(issue: _Issue) -> str:
    """The issue's address in a browser, by that of the API."""
    parts = urlsplit(issue.self)
    base = parts.path.partition("/rest/")[0]
    return f"{parts.scheme}://{parts.netloc}{base}/browse/{issue.key}"
