"""The servers are up and keep state; and they differ from the trackers where we say they do.

Plain `requests`, no plugin and no SDK: when a plugin's test fails, this tells whose fault it is.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers.emulate import EmulateGitHub
    from tests.servers.jira820 import Jira820
    from tests.servers.roundup import Roundup

pytestmark = pytest.mark.servers


def test_github_closes_and_reopens_with_a_state_reason(emulate_github: EmulateGitHub) -> None:
    number = emulate_github.open_issue("Smart discipline")
    path = f"/issues/{number}"

    change = {"state": "closed", "state_reason": "not_planned"}
    closed = emulate_github.request("PATCH", path, json=change).json()
    assert (closed["state"], closed["state_reason"]) == ("closed", "not_planned")
    assert closed["closed_by"]["login"] == "octocat"

    change = {"state": "open", "state_reason": "reopened"}
    assert emulate_github.request("PATCH", path, json=change).status_code == 200
    reopened = emulate_github.issue(number)
    assert (reopened["state"], reopened["state_reason"]) == ("open", "reopened")
    assert (reopened["closed_at"], reopened["title"]) == (None, "Smart discipline")
    assert emulate_github.events(number) == ["opened", "closed", "reopened"]


def test_github_adds_and_removes_labels_one_by_one(emulate_github: EmulateGitHub) -> None:
    number = emulate_github.closed_issue(labels=["completed", "keep me"])
    path = f"/issues/{number}/labels"

    assert emulate_github.request("POST", path, json={"labels": ["reopened"]}).status_code == 200
    assert emulate_github.request("DELETE", f"{path}/completed").status_code == 200
    assert {"keep me", "reopened"} == emulate_github.labels(number)
    assert emulate_github.request("DELETE", f"{path}/completed").status_code == 404


def test_github_pages_comments_oldest_first(emulate_github: EmulateGitHub) -> None:
    number = emulate_github.closed_issue()
    path = f"/issues/{number}/comments"
    bodies = [f"comment {index} <!-- marker -->" for index in range(3)]
    for body in bodies:
        assert emulate_github.request("POST", path, json={"body": body}).status_code == 201

    assert bodies == emulate_github.comments(number)
    first = emulate_github.request("GET", f"{path}?per_page=2")
    assert bodies[:2] == [comment["body"] for comment in first.json()]
    assert first.links["next"]["url"].startswith(emulate_github.url)


def test_github_refuses_an_unknown_issue_a_blank_comment_and_no_token(
    emulate_github: EmulateGitHub,
) -> None:
    path = f"/issues/{emulate_github.closed_issue()}"
    anonymous = {"Authorization": None}
    change = {"state": "open"}

    assert emulate_github.request("GET", "/issues/9999").status_code == 404
    assert emulate_github.request("POST", f"{path}/comments", json={"body": " "}).status_code == 422
    refused = emulate_github.request("PATCH", path, json=change, headers=anonymous)
    assert refused.status_code == 401


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


def test_jira_creates_comments_and_keeps_their_order(jira820_server: Jira820) -> None:
    key = jira820_server.open_issue("Smart discipline", issue_type="Epic", labels=["keep"])
    bodies = ["first", "second [marker]"]
    for body in bodies:
        sent = jira820_server.request("POST", f"/issue/{key}/comment", json={"body": body})
        assert sent.status_code == 201

    fields = jira820_server.fields(key)
    assert (fields["summary"], fields["issuetype"]["name"]) == ("Smart discipline", "Epic")
    assert jira820_server.category(key) == "new"
    assert {"keep"} == jira820_server.labels(key)
    assert bodies == jira820_server.comments(key)


def test_jira_sets_the_resolution_on_done_and_clears_it_on_reopening(
    jira820_server: Jira820,
) -> None:
    key = jira820_server.open_issue()
    done = {
        "transition": {"id": jira820_server.transitions(key)["Done"]},
        "fields": {"resolution": {"name": "Won't Do"}},
        "update": {"comment": [{"add": {"body": "closed"}}]},
    }

    sent = jira820_server.request("POST", f"/issue/{key}/transitions", json=done)
    assert sent.status_code == 204
    assert jira820_server.category(key) == "done"
    assert jira820_server.resolution(key) == "Won't Do"
    assert jira820_server.comments(key) == ["closed"]

    jira820_server.move(key, to="In Progress")
    assert jira820_server.category(key) == "indeterminate"
    assert jira820_server.resolution(key) is None


def test_jira_refuses_an_unknown_issue_and_a_move_that_the_workflow_lacks(
    jira820_server: Jira820,
) -> None:
    review = jira820_server.open_issue()
    jira820_server.move(review, to="In Progress")
    to_review = {"transition": {"id": jira820_server.transitions(review)["In Review"]}}
    done = jira820_server.done_issue()

    missing = jira820_server.request("GET", "/issue/SCRUM-9999")
    assert missing.status_code == 404
    assert missing.json()["errorMessages"] == ["Issue Does Not Exist: SCRUM-9999"]
    assert {"To Do", "In Progress"} == jira820_server.transitions(done).keys()
    refused = jira820_server.request("POST", f"/issue/{done}/transitions", json=to_review)
    assert refused.status_code == 400
    assert jira820_server.category(done) == "done"


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
