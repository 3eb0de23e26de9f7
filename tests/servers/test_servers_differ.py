"""The servers differ from the trackers where we say they do.

Plain `requests`, no plugin and no SDK. That they keep state is in the tests of the plugins on them.
"""

from datetime import UTC, datetime, timedelta

import pytest
from tests.servers.emulate import EmulateGitHub
from tests.servers.jira820 import Jira820
from tests.servers.roundup import Roundup

# Of the product they say nothing; the tests of the plugins on these servers run by default.
pytestmark = [pytest.mark.servers, pytest.mark.sweep]


def test_github_differs_an_issues_comments_ignore_since(emulate_github: EmulateGitHub) -> None:
    path = f"/issues/{emulate_github.closed_issue()}/comments"
    emulate_github.request("POST", path, json={"body": "early"})
    later = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%SZ")

    listed = emulate_github.request("GET", path, params={"since": later}).json()

    assert [comment["body"] for comment in listed] == ["early"]


def test_github_differs_any_token_may_write(emulate_github: EmulateGitHub) -> None:
    number = emulate_github.closed_issue()
    stranger = {"Authorization": "Bearer ghp_nobody"}

    emulate_github.request(
        "PATCH", f"/issues/{number}", json={"state": "open"}, headers=stranger
    ).raise_for_status()

    assert emulate_github.state(number) == ("open", "reopened")


def test_jira_differs_an_update_of_labels_or_comments_is_dropped(jira820_server: Jira820) -> None:
    key = jira820_server.done_issue(labels=["completed"])
    update = {"labels": [{"add": "reopened"}], "comment": [{"add": {"body": "lost"}}]}

    sent = jira820_server.request("PUT", f"/issue/{key}", json={"update": update})

    assert sent.status_code == 204
    assert {"completed"} == jira820_server.labels(key)
    assert jira820_server.comments(key) == []


def test_jira_differs_labels_change_by_fields_as_a_set(jira820_server: Jira820) -> None:
    key = jira820_server.done_issue(labels=["completed", "keep"])
    fields = {"labels": ["keep", "reopened"]}

    assert (
        jira820_server.request("PUT", f"/issue/{key}", json={"fields": fields}).status_code == 204
    )

    assert {"keep", "reopened"} == jira820_server.labels(key)


def test_jira_differs_an_issue_does_not_expand_its_transitions(jira820_server: Jira820) -> None:
    key = jira820_server.done_issue()

    issue = jira820_server.request("GET", f"/issue/{key}", params={"expand": "transitions"}).json()

    assert "transitions" not in issue


def test_jira_differs_anybody_is_admin(jira820_server: Jira820) -> None:
    anonymous = jira820_server.request("GET", "/myself", headers={"Authorization": None})

    assert (anonymous.json()["name"], anonymous.status_code) == ("admin", 200)


def test_roundup_takes_a_change_only_at_the_revision_that_was_read(
    roundup_server: Roundup,
) -> None:
    issue = roundup_server.add_issue("Smart discipline", status="resolved", keywords=["mine"])
    path, change = f"/issue/{issue}", {"status": "chatting"}
    etag = roundup_server.request("GET", path).headers["ETag"]
    assert roundup_server.request("PUT", path, json=change).status_code == 412

    headers = {"If-Match": etag}
    assert roundup_server.request("PUT", path, json=change, headers=headers).status_code == 200
    assert roundup_server.request("PUT", path, json=change, headers=headers).status_code == 412
    assert roundup_server.status(issue) == "chatting"
    assert roundup_server.keywords(issue) == {"mine"}


def test_roundup_reopens_what_is_commented_on(roundup_server: Roundup) -> None:
    issue = roundup_server.add_issue("Smart discipline", status="resolved")
    message = {"content": "by the way", "author": roundup_server.user, "date": "."}
    made = roundup_server.request("POST", "/msg", json=message).json()["data"]["id"]
    roundup_server.change(issue, {"messages": [made]})
    assert roundup_server.status(issue) == "chatting"
    assert roundup_server.messages(issue) == ["by the way"]

    roundup_server.change(issue, {"status": "resolved"})
    roundup_server.say(issue, ["once more"])
    assert roundup_server.status(issue) == "resolved"


def test_roundup_refuses_values_names_of_other_hosts_and_wrong_passwords(
    roundup_server: Roundup,
) -> None:
    name = {"name": "made-once"}
    assert roundup_server.request("POST", "/keyword", json=name).status_code == 201
    assert roundup_server.request("POST", "/keyword", json=name).status_code == 409
    elsewhere = {"Origin": None, "X-Requested-With": None}
    refused = roundup_server.request("POST", "/keyword", json={"name": "x"}, headers=elsewhere)
    assert refused.status_code == 400
    denied = roundup_server.request("GET", "/issue", auth=("admin", "wrong"))
    assert (denied.status_code, denied.headers["Content-Type"]) == (401, "text/plain")


def test_roundup_lists_messages_by_repeated_ids_alone(roundup_server: Roundup) -> None:
    issue = roundup_server.add_issue("Smart discipline", status="chatting")
    roundup_server.say(issue, ["one", "two"])
    shown = roundup_server.request("GET", f"/issue/{issue}").json()["data"]["attributes"]
    ids = [message["id"] for message in shown["messages"]]

    def found(query: str) -> int:
        answer = roundup_server.request("GET", f"/msg?{query}").json()
        return len(answer["data"]["collection"])

    assert found(f"id={ids[0]}&id={ids[1]}") == 2
    assert found(f"id={','.join(ids)}") == 0
