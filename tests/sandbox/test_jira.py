from collections.abc import Callable
from typing import Any

import pytest
import requests

from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]
ISSUE = "/3/issue/SCRUM-28"


def document(text: str) -> dict[str, Any]:
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
    return {"type": "doc", "version": 1, "content": [paragraph]}


@pytest.fixture(autouse=True)
def done_issue(box: Sandbox) -> None:
    box.jira.add_issue(
        "SCRUM-28", type="Epic", summary="Smart", status="Done", labels=["completed", "ux"]
    )


def test_wrong_credentials_are_refused_and_none_see_nothing(jira: Call) -> None:
    wrong = jira("GET", ISSUE, auth=("octo.cat@example.com", "wrong"))
    assert (
        wrong.status_code,
        wrong.headers["X-Seraph-LoginReason"],
    ) == (401, "AUTHENTICATED_FAILED")
    assert jira("GET", ISSUE, auth=None).status_code == 404
    assert jira("GET", "/3/myself", auth=None).status_code == 401
    assert jira("GET", "/3/serverInfo", auth=None).status_code == 200


def test_without_a_screen_the_comment_is_lost_silently(box: Sandbox, jira: Call) -> None:
    comment = [{"add": {"body": document("lost")}}]
    asked = {"transition": {"id": "11"}, "update": {"comment": comment}}
    assert jira("POST", f"{ISSUE}/transitions", json=asked).status_code == 204
    assert box.jira.comments("SCRUM-28") == []


def test_a_field_off_the_screen_and_an_unknown_or_forbidden_transition_are_refused(
    box: Sandbox, jira: Call
) -> None:
    asked = {"transition": {"id": "11"}, "fields": {"resolution": None}}
    answer = jira("POST", f"{ISSUE}/transitions", json=asked)
    assert answer.status_code == 400
    assert "not on the appropriate screen" in answer.json()["errors"]["resolution"]
    assert box.jira.issue("SCRUM-28")["fields"]["status"]["name"] == "Done"

    answer = jira("POST", f"{ISSUE}/transitions", json={"transition": {"id": "99"}})
    message = "Transition id '99' is not valid for this issue."
    assert (400, [message]) == (answer.status_code, answer.json()["errorMessages"])

    box.jira.add_project("SCRUM", can_transition=False)
    assert jira("GET", f"{ISSUE}/transitions").json()["transitions"] == []
    answer = jira("POST", f"{ISSUE}/transitions", json={"transition": {"id": "11"}})
    assert answer.status_code == 400


def test_one_put_labels_comments_marks_and_answers_or_leaves_nothing_behind(
    box: Sandbox, jira: Call
) -> None:
    bad_label = {"update": {"labels": [{"add": "fine"}, {"add": "not fine"}]}}
    assert jira("PUT", ISSUE, json=bad_label).status_code == 400
    assert box.jira.issue("SCRUM-28")["fields"]["labels"] == ["completed", "ux"]

    marker = {"key": "unlatch.op", "value": {"id": "1"}}
    asked = {
        "update": {
            "labels": [{"add": "reopened"}, {"remove": "completed"}, {"remove": "never-there"}],
            "comment": [{"add": {"body": document("why"), "properties": [marker]}}],
        },
        "properties": [{"key": "unlatch.op.1", "value": 1}],
    }
    params = {"returnIssue": "true", "fields": "labels,status"}
    answer = jira("PUT", ISSUE, json=asked, params=params)
    assert (answer.status_code, answer.json()["fields"]["labels"]) == (200, ["ux", "reopened"])
    (comment,) = box.jira.comments("SCRUM-28")
    assert (document("why"), [marker]) == (comment["body"], comment["properties"])
    assert box.jira.properties("SCRUM-28") == {"unlatch.op.1": 1}


@pytest.mark.parametrize(("version", "body"), [("3", "text"), ("2", document("doc"))])
def test_each_version_takes_its_own_kind_of_text(jira: Call, version: str, body: object) -> None:
    answer = jira("POST", f"/{version}/issue/SCRUM-28/comment", json={"body": body})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["comment"])


@pytest.mark.parametrize(("length", "status"), [(32_767, 201), (32_768, 400)])
def test_a_text_has_a_longest_length(jira: Call, length: int, status: int) -> None:
    asked = {"body": document("x" * length)}
    assert status == jira("POST", f"{ISSUE}/comment", json=asked).status_code


def test_comment_properties_are_shown_when_asked_for(jira: Call) -> None:
    number = jira("POST", f"{ISSUE}/comment", json={"body": document("x")}).json()["id"]
    path = f"/3/comment/{number}/properties/unlatch.op"
    assert jira("PUT", path, json={"id": 1}).status_code == 201
    page = jira("GET", f"{ISSUE}/comment", params={"expand": "properties"}).json()
    expected = [{"key": "unlatch.op", "value": {"id": 1}}]
    assert expected == page["comments"][0]["properties"]
    assert "properties" not in jira("GET", f"{ISSUE}/comment").json()["comments"][0]


def test_issue_properties_are_kept_listed_and_removed(jira: Call) -> None:
    path = f"{ISSUE}/properties/unlatch.op.1"
    assert [
        jira("GET", path).status_code,
        jira("PUT", path, json=1).status_code,
        jira("PUT", path, json=2).status_code,
    ] == [404, 201, 200]
    assert jira("GET", path).json()["value"] == 2
    keys = jira("GET", f"{ISSUE}/properties").json()["keys"]
    assert [one["key"] for one in keys] == ["unlatch.op.1"]
    assert [jira("DELETE", path).status_code for _ in range(2)] == [204, 404]


def test_an_issue_is_created_with_labels_and_properties(box: Sandbox, jira: Call) -> None:
    fields = {
        "project": {"key": "SCRUM"},
        "issuetype": {"name": "Story"},
        "summary": "New",
        "description": document("text"),
        "labels": ["a"],
    }
    properties = [{"key": "unlatch.op.1", "value": 1}]
    answer = jira("POST", "/3/issue", json={"fields": fields, "properties": properties})
    assert (answer.status_code, answer.json()["key"]) == (201, "SCRUM-29")
    shown = box.jira.issue("SCRUM-29")["fields"]
    assert (shown["summary"], shown["labels"], shown["status"]["name"]) == ("New", ["a"], "To Do")
    del fields["summary"]
    assert list(jira("POST", "/3/issue", json={"fields": fields}).json()["errors"]) == ["summary"]


@pytest.mark.parametrize(
    ("jql", "expected"),
    [
        ('project = "SCRUM" AND labels = "ux" ORDER BY created DESC', ["SCRUM-30", "SCRUM-28"]),
        ("labels = ux and statusCategory != Done", ["SCRUM-30"]),
        (
            "project = SCRUM AND created >= -1d ORDER BY key ASC",
            ["SCRUM-28", "SCRUM-29", "SCRUM-30"],
        ),
        ("updated >= '2999-01-01'", []),
    ],
)
def test_a_search_finds_the_newest_first(
    box: Sandbox, jira: Call, jql: str, expected: list[str]
) -> None:
    box.jira.add_issue(summary="Second")
    box.jira.add_issue(summary="Third", labels=["ux"])
    found = jira("GET", "/3/search/jql", params={"jql": jql, "fields": "summary"}).json()
    assert expected == [issue["key"] for issue in found["issues"]]


def test_a_search_goes_on_by_token_and_shows_ids_only(box: Sandbox, jira: Call) -> None:
    box.jira.add_issue(summary="Second")
    params = {"jql": "project = SCRUM", "maxResults": 1}
    first = jira("GET", "/3/search/jql", params=params).json()
    assert (first["isLast"], list(first["issues"][0])) == (False, ["id"])
    params["nextPageToken"] = first["nextPageToken"]
    assert jira("GET", "/3/search/jql", params=params).json()["isLast"]
    assert jira("GET", "/3/search", params=params).status_code == 410


@pytest.mark.parametrize(
    ("method", "path", "extra", "part"),
    [
        ("POST", "/3/bulk/issues/transition", {"json": {}}, "route"),
        ("GET", ISSUE, {"params": {"expand": "renderedFields"}}, "expansion"),
        ("GET", ISSUE, {"params": {"fields": "customfield_1"}}, "field"),
        ("GET", ISSUE, {"params": {"failFast": "true"}}, "query parameter"),
        ("PUT", ISSUE, {"json": {"fields": {"customfield_1": 1}}}, "field"),
        ("PUT", ISSUE, {"json": {"transition": {"id": "1"}}}, "body member"),
        ("GET", "/3/search/jql", {"params": {"jql": "text ~ 'x'"}}, "query condition"),
        ("GET", "/3/search/jql", {"params": {"jql": "a = 1 OR b = 2"}}, "query condition"),
    ],
)
def test_what_the_sandbox_does_not_know_is_said(
    jira: Call, method: str, path: str, extra: dict[str, object], part: str
) -> None:
    answer = jira(method, path, **extra)
    assert (501, part) == (answer.status_code, answer.json()["part"])


def test_a_server_has_version_2_names_and_personal_tokens(box: Sandbox, server: Call) -> None:
    me = server("GET", "/2/myself").json()
    assert (me["name"], "accountId" in me) == ("octo.cat", False)
    assert server("GET", "/2/serverInfo").json()["deploymentType"] == "Server"
    assert server("GET", "/3/myself").status_code == 404
    basic = (box.jira.email, box.jira.token)
    assert (
        requests.get(f"{box.jira.site}/rest/api/2/myself", auth=basic, timeout=10).status_code
        == 401
    )
    assert {"JIRA_PAT"} == {name for name in box.environ() if name.startswith("JIRA")}


def test_a_project_with_a_changed_key_and_its_issues_are_found_by_both(
    box: Sandbox, jira: Call
) -> None:
    box.jira.rename_project("SCRUM", "OPS")

    issues = [jira("GET", f"/3/issue/{key}").json()["key"] for key in ("SCRUM-28", "OPS-28")]
    projects = [jira("GET", f"/3/project/{key}").json()["key"] for key in ("SCRUM", "OPS")]
    assert (["OPS-28", "OPS-28"], ["OPS", "OPS"]) == (issues, projects)
