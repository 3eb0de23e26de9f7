"""Messages in the forms that Microsoft documents, with other words and values."""

import json
from typing import Any

import pytest

from unlatch.spi import ItemEvent
from unlatch_ado.webhook import read_event

ORGANIZATION = "https://dev.azure.com/fabrikam"
ADDRESS = f"{ORGANIZATION}/widgets/_workitems/edit/7"
TEXTS = {"text": "Bug #7 commented on", "html": "<b>Bug</b> #7", "markdown": "Bug #7"}
LINKS = {
    "self": {"href": f"{ORGANIZATION}/_apis/wit/workItems/7"},
    "workItemUpdates": {"href": f"{ORGANIZATION}/_apis/wit/workItems/7/updates"},
    "html": {"href": ADDRESS},
}
RESOURCE: dict[str, Any] = {
    "id": 7,
    "rev": 4,
    "fields": {
        "System.TeamProject": "widgets",
        "System.State": "Closed",
        "System.ChangedBy": "Ida Nox <ida@example.org>",
        "System.History": "/reopen Not for this reader",
    },
    "_links": LINKS,
    "url": f"{ORGANIZATION}/_apis/wit/workItems/7",
}
WHOLE = {
    "subscriptionId": "11111111-2222-4333-8444-555555555555",
    "notificationId": 4,
    "id": "22222222-2222-4333-8444-555555555555",
    "eventType": "workitem.commented",
    "publisherId": "tfs",
    "message": TEXTS,
    "detailedMessage": TEXTS,
    "resource": RESOURCE,
    "resourceVersion": "1.0",
    "resourceContainers": {"project": {"id": "33333333-2222-4333-8444-555555555555"}},
    "createdDate": "2026-06-07T10:31:26.8Z",
}
COMMENT = {"commentId": 5001, "version": 1, "url": f"{RESOURCE['url']}/comments/5001/versions/1"}


def read(**message: Any) -> ItemEvent:
    return read_event(json.dumps({**WHOLE, **message}).encode())


def test_a_new_comment_is_told_by_its_ids_alone() -> None:
    event = read(resource={**RESOURCE, "commentVersionRef": COMMENT})

    assert event == ItemEvent("workitem.commented", url=ADDRESS, comment="5001")


def test_an_older_message_tells_the_revision_of_the_comment() -> None:
    links = {**LINKS, "html": {"href": f"{ORGANIZATION}/web/wi.aspx?pcguid=1&id=7"}}

    event = read(resource={**RESOURCE, "_links": links})

    assert event == ItemEvent("workitem.commented", url=RESOURCE["url"], comment="rev-4")


def test_a_pipeline_passes_on_no_more_than_ids() -> None:
    url = f"{ORGANIZATION}/_apis/wit/workItems/7"

    event = read_event(
        json.dumps(
            {"eventType": "workitem.commented", "resource": {"id": 7, "rev": 4, "url": url}}
        ).encode()
    )

    assert event == ItemEvent("workitem.commented", url=url, comment="rev-4")


@pytest.mark.parametrize(
    ("kind", "path", "fields"),
    [
        ("workitem.updated", "workItems/7/updates/5", {"System.State": {"newValue": "Active"}}),
        ("workitem.deleted", "recyclebin/7", {"System.Title": "A lamp is out"}),
        ("workitem.restored", "workItems/7", {}),
    ],
)
def test_a_change_of_the_item_is_told_by_its_address(
    kind: str, path: str, fields: dict[str, Any]
) -> None:
    resource = {"id": 5, "rev": 5, "fields": fields, "url": f"{ORGANIZATION}/_apis/wit/{path}"}

    event = read(eventType=kind, resource=resource)

    assert event == ItemEvent(kind, url=f"{ORGANIZATION}/_apis/wit/workItems/7")


@pytest.mark.parametrize(
    ("message", "note"),
    [
        (
            {
                "eventType": "workitem.updated",
                "resource": {**RESOURCE, "fields": {"System.Title": {"newValue": "A lamp"}}},
            },
            "the action 'workitem.updated' changes no increment",
        ),
        ({"eventType": "git.push"}, "the action 'git.push' changes no increment"),
        ({"resource": None}, "the event is not about a work item"),
        ({"resource": {"rev": 4}}, "the event is not about a work item"),
    ],
)
def test_other_messages_are_passed_over(message: dict[str, Any], note: str) -> None:
    assert note == read(**message).note


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"rev": "4; x"}, "resource.rev"),
        ({"id": -1}, "resource.id"),
        ({"rev": None}, "neither a comment nor a revision"),
        ({"_links": None, "url": None}, "no address"),
        ({"commentVersionRef": {}}, "commentId"),
    ],
)
def test_what_is_no_such_message_is_refused(change: dict[str, Any], place: str) -> None:
    with pytest.raises(ValueError, match=place):
        read(resource={**RESOURCE, **change})
