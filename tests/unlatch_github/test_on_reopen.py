"""Notes about a reopened issue, and configured changes."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.unlatch_github.making import (
    CLOSE,
    REOPEN,
    REPOSITORY,
    act,
    plugin_for,
    ref,
    sent,
)

from unlatch.spi import Snapshot
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox

NOBODY = "it has no assignee"
PLAIN = replace(REOPEN, add_labels=(), remove_labels=(), comment=None)


def _plugin(box: Sandbox, *, token: str | None = None, **on_reopen: str) -> GithubPlugin:
    return plugin_for(box, token=token, on_reopen=on_reopen)


def _issue(box: Sandbox, **facts: Any) -> int:
    return box.github.add_issue(
        **{"title": "Smart", "state": "closed", "state_reason": "completed"} | facts
    )


def _facts(box: Sandbox, number: int) -> tuple[str, str | None, list[str]]:
    issue = box.github.issue(REPOSITORY, number)
    milestone = issue["milestone"]
    assignees = [user["login"] for user in issue["assignees"]]
    return issue["state"], milestone and milestone["title"], assignees


@pytest.fixture(autouse=True)
def milestones(box: Sandbox) -> None:
    box.github.add_milestone("v1", state="closed")
    box.github.add_milestone("v2")


def test_a_closed_milestone_is_left_by_the_request_that_reopens(box: Sandbox) -> None:
    number = _issue(box, milestone=1, assignee="ann")
    plugin = _plugin(box, milestone="clear")

    outcome = act(plugin, ref(box, number), PLAIN)
    again = act(plugin, ref(box, number), PLAIN)

    assert (outcome.notes, again.notes) == ((), ())
    assert _facts(box, number) == ("open", None, ["ann"])
    assert [request.partition(" ")[0] for request in sent(box)] == ["GET", "PATCH", "GET"]


def test_an_issue_that_nobody_has_is_taken(box: Sandbox) -> None:
    plugin = _plugin(box, assignee="me")
    first, second = _issue(box), _issue(box)

    outcomes = [act(plugin, ref(box, number), PLAIN) for number in (first, second)]
    again = act(plugin, ref(box, first), PLAIN)

    assert [outcome.notes for outcome in (*outcomes, again)] == [(), (), ()]
    assert outcomes[0].after.assignee == "octocat"
    assert _facts(box, first) == _facts(box, second) == ("open", None, ["octocat"])
    # Who the token belongs to is asked once.
    assert [request.partition(" ")[0] for request in sent(box)] == (
        ["GET", "PATCH", "GET", "POST", "GET", "PATCH", "POST", "GET"]
    )


def test_a_bot_cannot_take_an_issue_and_that_is_said(box: Sandbox) -> None:
    number = _issue(box)
    plugin = _plugin(box, token=box.github.bot_token, assignee="me")

    outcome = act(plugin, ref(box, number), PLAIN)

    assert _facts(box, number) == ("open", None, [])
    assert outcome.notes == ("GitHub did not assign it to github-actions[bot]", NOBODY)

    box.github.has_graphql = False
    number = _issue(box)
    plugin = _plugin(box, token=box.github.bot_token, assignee="me")

    outcome = act(plugin, ref(box, number), PLAIN)

    assert outcome.notes == (
        "it could not be assigned: GitHub does not name the token's account",
        NOBODY,
    )


def test_a_person_who_was_assigned_meanwhile_stays(box: Sandbox) -> None:
    number = _issue(box)

    def person() -> None:
        box.github.edit(REPOSITORY, number, assignees=["ann"])

    box.faults.add(Fault("github", "human", method="POST", path="/assignees", action=person))
    act(_plugin(box, assignee="me"), ref(box, number), PLAIN)

    assert _facts(box, number)[2] == ["ann", "octocat"]


@pytest.mark.parametrize(
    "fault",
    [
        {"code": 404, "body": {"message": "Not Found"}},
        {"code": 200, "body": {"errors": [{"type": "INSUFFICIENT_SCOPES"}]}},
        {"code": 200, "body": {"data": {"repository": {"issue": {"projectItems": None}}}}},
        {"code": 200, "body": []},
    ],
)
def test_projects_that_may_not_be_read_are_no_failure(box: Sandbox, fault: dict[str, Any]) -> None:
    number = _issue(box, assignee="ann")
    box.faults.add(Fault("github", "status", path="graphql", **fault))

    outcome = act(_plugin(box, project="report"), ref(box, number), PLAIN)

    assert outcome.after.state == "open"
    assert [note.partition(":")[0] for note in outcome.notes] == ["its projects could not be read"]


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("facts", [{}, {"milestone": 1}, {"milestone": 2, "assignee": "ann"}])
@pytest.mark.parametrize("is_open", [True, False])
def test_what_is_planned_is_what_is_sent(
    box: Sandbox, facts: dict[str, Any], *, is_open: bool
) -> None:
    state = {"state": "open", "state_reason": None} if is_open else {}
    number = _issue(box, **facts, **state)
    plugin = _plugin(box, milestone="clear", assignee="me", project="report")
    for change in (REOPEN, replace(REOPEN, goal=None), CLOSE, REOPEN):
        snapshot = plugin.read(ref(box, number))
        box.requests.clear()

        planned = plugin.plan(snapshot, change)

        assert box.requests.entries() == []
        act(plugin, ref(box, number), change)
        assert [(entry.method, entry.path) for entry in box.requests.entries("github")] == [
            (one.method, urlsplit(one.url).path) for one in planned
        ]


def test_the_plan_names_what_else_is_done(box: Sandbox) -> None:
    number = _issue(box, milestone=1)
    plugin = _plugin(box, milestone="clear", assignee="me", project="report")
    (snapshot,) = plugin.read_many([ref(box, number)]).values()
    assert isinstance(snapshot, Snapshot)

    planned = plugin.plan(snapshot, PLAIN)

    assert [one.what for one in planned] == [
        "read the issue",
        "set state to open and take it out of its closed milestone",
        "find out whom the token belongs to",
        "assign it to the token's account",
        "read its status in projects",
    ]
