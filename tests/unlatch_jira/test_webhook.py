"""Messages in the forms that Atlassian documents, with other words and values."""

import json
from typing import Any

import pytest

from unlatch.spi import ItemEvent
from unlatch_jira.webhook import read_event

SITE = "https://jira.example.org/context"
ADDRESS = f"{SITE}/browse/OPS-7"
# An account of Data Center, and one of Cloud, which older sites name by both.
PERSON = {
    "self": f"{SITE}/rest/api/2/user?username=ida",
    "name": "ida",
    "key": "ida",
    "accountId": "557058:0f0f",
    "emailAddress": "ida@example.org",
    "avatarUrls": {"16x16": f"{SITE}/secure/useravatar?size=small"},
    "displayName": "Ida Nox",
    "active": "true",
}
COMMENT = {
    "self": f"{SITE}/rest/api/2/issue/10148/comment/39201",
    "id": "39201",
    "author": PERSON,
    "body": "/reopen Not for this reader",
    "updateAuthor": PERSON,
    "created": "2026-06-07T10:31:26.805-0500",
    "updated": "2026-06-07T10:31:26.805-0500",
}
ISSUE = {
    "id": "10148",
    "self": f"{SITE}/rest/api/2/issue/10148",
    "key": "OPS-7",
    "fields": {"summary": "A lamp is out", "labels": ["lamp"], "priority": {"name": "Minor"}},
}
CHANGELOG = {
    "id": 10124,
    "items": [
        {
            "field": "summary",
            "fieldtype": "jira",
            "fromString": "A lamp",
            "from": None,
            "toString": "A lamp is out",
            "to": None,
        }
    ],
}
WHOLE = {"timestamp": 1780846286, "user": PERSON, "issue": ISSUE}


def read(**message: Any) -> ItemEvent:
    return read_event(json.dumps(message).encode())


def test_a_new_comment_is_told_by_its_ids_alone() -> None:
    event = read(**WHOLE, webhookEvent="comment_created", comment=COMMENT)

    assert event == ItemEvent("comment_created", url=ADDRESS, comment="39201")


def test_a_rule_sends_the_same_through_a_workflow() -> None:
    issue = {"key": "OPS-7", "self": f"{SITE}/rest/api/2/issue/OPS-7"}
    inner = {"webhookEvent": "comment_created", "comment": {"id": 39201}, "issue": issue}

    event = read(action="comment", client_payload=inner, repository={"id": 1}, sender={"id": 2})

    assert event == ItemEvent("comment_created", url=ADDRESS, comment="39201")


@pytest.mark.parametrize(
    ("action", "field"),
    [
        ("jira:issue_updated", "status"),
        ("jira:issue_updated", "labels"),
        ("jira:issue_deleted", ""),
    ],
)
def test_a_change_of_the_issue_is_told_by_its_address(action: str, field: str) -> None:
    event = read(**WHOLE, webhookEvent=action, changelog={"items": [{"field": field or "x"}]})

    assert event == ItemEvent(action, url=ADDRESS)


@pytest.mark.parametrize(
    ("message", "note"),
    [
        ({"webhookEvent": "comment_updated", "comment": COMMENT}, "the comment is not new"),
        ({"webhookEvent": "comment_deleted", "comment": COMMENT}, "the comment is not new"),
        (
            {"webhookEvent": "jira:issue_updated", "changelog": CHANGELOG},
            "the action 'jira:issue_updated' changes no increment",
        ),
        (
            {
                "webhookEvent": "jira:issue_updated",
                "issue_event_type_name": "issue_generic",
                "comment": COMMENT,
            },
            "the action 'jira:issue_updated' changes no increment",
        ),
        ({"webhookEvent": "sprint_closed", "issue": None}, "the event is not about an issue"),
    ],
)
def test_other_messages_are_passed_over(message: dict[str, Any], note: str) -> None:
    assert note == read(**{**WHOLE, **message}).note


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"comment": {"id": "../1"}}, "comment.id"),
        ({"comment": {"id": "1" * 21}}, "comment.id"),
        ({"comment": {}}, "comment.id"),
        ({"issue": {"key": "OPS-7"}}, "issue.self"),
        ({"issue": {**ISSUE, "key": "x" * 101}}, "issue.key"),
        ({"webhookEvent": None}, "webhookEvent"),
        ({"client_payload": []}, "client_payload"),
    ],
)
def test_what_is_no_such_message_is_refused(change: dict[str, Any], place: str) -> None:
    message = {**WHOLE, "webhookEvent": "comment_created", "comment": COMMENT, **change}

    with pytest.raises(ValueError, match=place):
        read(**message)
