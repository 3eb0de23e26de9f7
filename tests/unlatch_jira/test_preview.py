"""A plan lists the requests that are then sent, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.unlatch_jira.making import (
    CLOSE,
    OP,
    REOPEN,
    WITH_PATHS,
    comments,
    deliver,
    draft,
    field,
    plugin_for,
    ref,
    status,
)

from unlatch.errors import Rejected
from unlatch.spi import Change, Goal

if TYPE_CHECKING:
    from unlatch_jira.plugin import JiraPlugin
    from unlatch_sandbox import Sandbox

CASES: dict[str, tuple[dict[str, Any], Change]] = {
    "reopen": ({"status": "Done", "labels": ["completed", "mine"]}, REOPEN),
    "reopen what is open": ({"status": "To Do", "labels": ["completed"]}, REOPEN),
    "nothing to do": ({"labels": ["reopened"]}, replace(REOPEN, comment=None)),
    "the state alone": ({"status": "Done"}, Change(OP, Goal.OPEN)),
    "comment and labels alone": ({"status": "Done"}, replace(REOPEN, goal=None)),
    "close": ({"labels": ["reopened"]}, CLOSE),
    "drop, without a comment": ({}, replace(CLOSE, goal=Goal.NOT_PLANNED, comment=None)),
    "update": ({}, Change(OP, draft=draft())),
    "update to the same title": ({}, Change(OP, draft=draft(title="Smart"))),
}


@pytest.mark.parametrize("case", CASES)
def test_the_planned_requests_are_the_ones_that_are_sent(either: Sandbox, case: str) -> None:
    given, change = CASES[case]
    key = either.jira.add_issue(summary="Smart", **given)
    plugin = plugin_for(either)
    snapshot = plugin.read(ref(either, key), change)
    either.requests.clear()

    planned = plugin.plan(snapshot, change)

    assert either.requests.entries() == []
    deliver(plugin, ref(either, key), change)
    assert _sent(either) == [(one.method, urlsplit(one.url).path) for one in planned]


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: JiraPlugin) -> None:
    key = box.jira.add_issue(summary="Smart", status="Done", labels=("completed", "mine"))
    there = f"{box.jira.site}/rest/api/3/issue/{key}"

    planned = plugin.plan(plugin.read(ref(box, key), REOPEN), REOPEN)

    assert [(one.method, one.url, one.what) for one in planned] == [
        ("GET", there, "read the issue and the transitions that it offers"),
        ("POST", f"{there}/transitions", "take the transition 'In Progress' to 'In Progress'"),
        ("PUT", there, "post the comment, add label reopened, remove label completed"),
    ]


def test_data_center_is_asked_for_the_issue_again(server: Sandbox) -> None:
    plugin = plugin_for(server)
    key = server.jira.add_issue(summary="Smart", labels=("mine",))
    change = replace(REOPEN, goal=None, draft=draft(title="New"))

    planned = plugin.plan(plugin.read(ref(server, key), change), change)

    assert [(one.method, one.what) for one in planned] == [
        ("GET", "read the issue"),
        ("PUT", "set summary, set description, post the comment, add label reopened"),
        ("GET", "read the issue back"),
    ]


def test_a_field_that_a_transition_fills_is_named(either: Sandbox) -> None:
    either.jira.add_project("OLD", "classic")
    key = either.jira.add_issue("OLD-3", summary="Smart", status="In Progress")
    plugin = plugin_for(either, projects=["OLD"])

    planned = plugin.plan(plugin.read(ref(either, key), CLOSE), CLOSE)

    assert planned[1].what.endswith(", with resolution")


def test_transitions_that_only_jira_knows_end_the_plan(server: Sandbox) -> None:
    server.jira.add_project("SCRUM", "two-hops")
    key = server.jira.add_issue(summary="Smart", status="Erledigt")
    plugin, change = plugin_for(server), replace(REOPEN, options=WITH_PATHS)

    planned = plugin.plan(plugin.read(ref(server, key), change), change)

    assert [one.method for one in planned] == ["GET", "POST", "GET", "POST"]
    assert planned[-1].what == "take further transitions, chosen from those that Jira then offers"
    assert status(server, key) == "Erledigt"


def test_a_change_that_would_be_refused_is_refused_in_the_plan(either: Sandbox) -> None:
    either.jira.add_project("SCRUM", "required-fields")
    key = either.jira.add_issue(summary="Smart", status="Done")
    plugin = plugin_for(either)
    with pytest.raises(Rejected, match="transition-needs-fields:"):
        plugin.plan(plugin.read(ref(either, key), REOPEN), REOPEN)


def test_a_plan_writes_nothing_to_the_surroundings(either: Sandbox) -> None:
    parent = either.jira.add_issue(summary="Story", type="Story", status="Done")
    key = either.jira.add_issue(summary="Part", type="Sub-task", status="Done", parent=parent)
    plugin = plugin_for(either, on_reopen={"parent": "reopen", "assignee": "me"})

    planned = plugin.plan(plugin.read(ref(either, key), REOPEN), REOPEN)

    assert [status(either, one) for one in (key, parent)] == ["Done", "Done"]
    assert (comments(either, key), field(either, key, "assignee")) == ([], None)
    either.requests.clear()
    deliver(plugin, ref(either, key), REOPEN)
    assert [(one.method, urlsplit(one.url).path) for one in planned] == _sent(either)


def _sent(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("jira")]
