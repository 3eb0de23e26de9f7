"""The sandbox's GitHub: milestones, assignees, types, tokens of each kind."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]
HOME = "/repos/octo/widgets"
ISSUE = f"{HOME}/issues/4"


@pytest.fixture(autouse=True)
def issue(box: Sandbox) -> None:
    box.github.add_issue(number=4, title="Smart", assignee="ann")


def _logins(answer: requests.Response) -> list[str]:
    return [user["login"] for user in answer.json()["assignees"]]


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("change", [{"milestone": 9}, {"assignees": ["nobody"]}, {"type": "Mood"}])
def test_what_is_not_there_is_invalid(github: Call, method: str, change: dict[str, Any]) -> None:
    path, title = (f"{HOME}/issues", {"title": "T"}) if method == "POST" else (ISSUE, {})

    answer = github(method, path, json={**title, **change})

    assert answer.status_code == 422
    assert [*change] == [error["field"] for error in answer.json()["errors"]]


def test_without_push_access_all_of_it_is_dropped_silently(box: Sandbox, github: Call) -> None:
    box.github.add_milestone("v1")
    box.github.add_repository("octo/widgets", push=False)

    more = {"milestone": 1, "assignees": [], "type": "Bug"}
    answer = github("PATCH", ISSUE, json={"title": "New", **more})

    assert (answer.json()["title"], answer.json()["milestone"], _logins(answer)) == (
        *("New", None),
        ["ann"],
    )
    assert "type" not in answer.json()
    refused = github("POST", f"{ISSUE}/assignees", json={"assignees": ["bob"]})
    assert refused.status_code == 403


def test_who_may_not_read_issues_sees_none_and_who_may_not_push_no_permission(
    box: Sandbox, github: Call
) -> None:
    box.github.add_repository("octo/widgets", issues_read=False)

    answers = [github("GET", path) for path in (ISSUE, f"{HOME}/issues", HOME)]

    assert [answer.status_code for answer in answers] == [403, 403, 200]
    assert answers[0].headers["X-Accepted-GitHub-Permissions"] == "issues=read"

    box.github.add_repository("octo/widgets", push=False)

    answer = github("GET", f"{HOME}/collaborators/ann/permission")

    assert answer.status_code == 403
    assert answer.json()["message"] == "Must have push access to view collaborator permission."


def test_a_label_has_a_longest_name(github: Call, box: Sandbox) -> None:
    statuses = [
        github("POST", f"{ISSUE}/labels", json=["x" * length]).status_code for length in (50, 51)
    ]

    assert statuses == [200, 422]

    box.github.convert_to_discussion("octo/widgets", 4)

    assert github("GET", ISSUE).json()["locked"] is True
    assert github("POST", f"{ISSUE}/comments", json={"body": "x"}).status_code == 403


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        ("admin", "admin"),
        ("maintain", "write"),
        ("write", "write"),
        ("triage", "read"),
        ("read", "read"),
        ("none", "none"),
    ],
)
def test_a_permission_is_the_base_of_a_role(
    box: Sandbox, github: Call, role: str, permission: str
) -> None:
    box.github.add_person("Ann", role=role)

    answer = github("GET", f"{HOME}/collaborators/ann/permission").json()

    assert (answer["permission"], answer["role_name"]) == (permission, role)
