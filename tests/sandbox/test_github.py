from collections.abc import Callable

import pytest
import requests

from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]
ISSUE = "/repos/octo/widgets/issues/4"


@pytest.fixture(autouse=True)
def closed_issue(box: Sandbox) -> None:
    box.github.add_issue(number=4, title="Smart", state="closed", labels=["completed", "Ux"])


@pytest.mark.parametrize("header", [None, "Bearer wrong", "token wrong", "Basic abc"])
def test_without_a_valid_token_nothing_is_shown(github: Call, header: str | None) -> None:
    answer = github("GET", ISSUE, headers={"Authorization": header})
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_a_reason_counts_only_with_a_change_of_state_which_clears_the_closing(github: Call) -> None:
    answer = github("PATCH", ISSUE, json={"state": "closed", "state_reason": "not_planned"})
    assert answer.json()["state_reason"] == "completed"

    closed = github("GET", ISSUE).json()
    assert (
        closed["state"],
        closed["state_reason"],
        closed["closed_at"] is not None,
    ) == ("closed", "completed", True)
    opened = github("PATCH", ISSUE, json={"state": "open", "state_reason": "reopened"}).json()
    assert (
        opened["state"],
        opened["state_reason"],
        opened["closed_at"],
        opened["closed_by"],
    ) == ("open", "reopened", None, None)


@pytest.mark.parametrize("change", [{"state": "shut"}, {"state_reason": "bored"}])
def test_an_invalid_change_is_refused_and_leaves_no_trace(
    github: Call, change: dict[str, str]
) -> None:
    before = github("GET", ISSUE).json()
    answer = github("PATCH", ISSUE, json={"title": "New", **change})
    assert answer.status_code == 422
    assert before == github("GET", ISSUE).json()


def test_labels_are_equal_in_any_case_removed_and_replaced(github: Call) -> None:
    answer = github("POST", f"{ISSUE}/labels", json=["UX", "COMPLETED"])
    assert [label["name"] for label in answer.json()] == ["completed", "Ux"]

    answer = github("DELETE", f"{ISSUE}/labels/completed")
    assert [label["name"] for label in answer.json()] == ["Ux"]
    assert github("DELETE", f"{ISSUE}/labels/completed").status_code == 404
    labels = github("PATCH", ISSUE, json={"labels": ["a", {"name": "b"}]}).json()["labels"]
    assert [label["name"] for label in labels] == ["a", "b"]
    assert github("POST", f"{ISSUE}/labels", json=[]).json() == []


@pytest.mark.parametrize(("length", "status"), [(65_536, 201), (65_537, 422)])
def test_a_comment_has_a_longest_length(github: Call, length: int, status: int) -> None:
    answer = github("POST", f"{ISSUE}/comments", json={"body": "x" * length})
    assert status == answer.status_code


def test_locks_archives_and_missing_rights_refuse_what_they_refuse_on_github(
    box: Sandbox, github: Call
) -> None:
    box.github.edit("octo/widgets", 4, locked=True)
    answer = github("POST", f"{ISSUE}/comments", json={"body": "x"})
    assert (
        answer.status_code,
        answer.json()["message"],
    ) == (403, "Unable to create comment because issue is locked.")
    assert github("PATCH", ISSUE, json={"state": "open"}).status_code == 200

    box.github.add_repository("octo/widgets", archived=True)
    assert github("GET", ISSUE).status_code == 200
    answer = github("PATCH", ISSUE, json={"state": "open"})
    assert (
        answer.status_code,
        answer.json()["message"],
    ) == (403, "Repository was archived so is read-only.")

    box.github.add_repository("octo/widgets", push=False)
    answer = github("PATCH", ISSUE, json={"state": "open", "labels": []}).json()
    assert (answer["state"], len(answer["labels"])) == ("open", 2)
    refused = github("POST", f"{ISSUE}/labels", json=["x"])
    assert refused.status_code == 403
    assert refused.json()["message"].startswith("Resource not accessible by")
    assert "issues=write" in refused.headers["X-Accepted-GitHub-Permissions"]

    box.github.add_repository("octo/widgets", issues_write=False)
    answer = github("PATCH", ISSUE, json={"state": "open"})
    assert (
        answer.status_code,
        answer.headers["X-Accepted-GitHub-Permissions"],
    ) == (403, "issues=write")


def test_unknown_repository_and_issue_are_not_found_and_deleted_ones_gone(
    github: Call, box: Sandbox
) -> None:
    for path in ("/repos/octo/nothing", "/repos/octo/widgets/issues/99"):
        answer = github("GET", path)
        assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")

    box.github.edit("octo/widgets", 4, deleted=True)
    assert github("GET", ISSUE).status_code == 410
    box.github.add_repository("octo/quiet", has_issues=False)
    assert github("GET", "/repos/octo/quiet/issues").status_code == 410


def test_the_number_of_a_transferred_issue_is_not_used_again_and_a_pull_request_marked(
    box: Sandbox, github: Call
) -> None:
    box.github.add_repository("octo/gadgets")
    last = box.github.add_issue(title="Moves")
    box.github.transfer_issue("octo/widgets", last, "octo/gadgets")

    assert box.github.add_issue(title="Next") == last + 1

    number = box.github.add_issue(title="Change", pull_request=True)
    assert "pull_request" in github("GET", f"/repos/octo/widgets/issues/{number}").json()
    assert "pull_request" not in github("GET", ISSUE).json()


def test_requests_are_counted_against_the_limit_unless_an_issue_is_unchanged(github: Call) -> None:
    before = github("GET", "/rate_limit").json()["resources"]["core"]
    github("GET", ISSUE)
    after = github("GET", "/rate_limit").json()["resources"]["core"]
    assert (after["used"], after["remaining"]) == (before["used"] + 1, 4999 - before["used"])

    first = github("GET", ISSUE)
    again = github("GET", ISSUE, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["X-RateLimit-Used"] == again.headers["X-RateLimit-Used"]
    github("PATCH", ISSUE, json={"title": "Other"})
    changed = github("GET", ISSUE, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "extra", "part"),
    [
        ("GET", "/search/issues", {}, "route"),
        ("PUT", f"{ISSUE}/labels", {"json": ["x"]}, "route"),
        ("OPTIONS", ISSUE, {}, "route"),
        ("GET", ISSUE, {"params": {"per_page": 1}}, "query parameter"),
        ("PATCH", ISSUE, {"json": {"duplicate_issue_id": 1}}, "body field"),
        ("PATCH", ISSUE, {"json": {"issue_field_values": []}}, "body field"),
        ("GET", "/repos/octo/widgets/issues", {"params": {"sort": "mood"}}, "value of sort"),
    ],
)
def test_what_the_sandbox_does_not_know_is_said(
    github: Call, method: str, path: str, extra: dict[str, object], part: str
) -> None:
    answer = github(method, path, **extra)
    assert (501, part) == (answer.status_code, answer.json()["part"])
