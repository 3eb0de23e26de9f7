"""A plan names the requests that are then sent, in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.unlatch_jira.making import CLOSE, OP, REOPEN, draft, plugin_for, ref

from unlatch.errors import Rejected
from unlatch.spi import Change, Goal

if TYPE_CHECKING:
    from unlatch.sandbox import Sandbox
    from unlatch_jira.plugin import JiraPlugin

STATES = {
    "open": ("To Do", None),
    "done": ("Done", "Done"),
    "done on purpose": ("Done", "Won't Do"),
}
LABELS = [(), ("mine",), ("reopened",), ("completed",), ("completed", "reopened", "mine")]
CHANGES = {
    "reopen": REOPEN,
    "reopen what was closed on purpose too": replace(REOPEN, even_if_deliberate=True),
    "close": CLOSE,
    "drop": replace(CLOSE, goal=Goal.NOT_PLANNED),
    "comment and labels alone": replace(REOPEN, goal=None),
    "state alone": replace(REOPEN, add_labels=(), remove_labels=()),
}


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
@pytest.mark.parametrize("has", LABELS, ids=str)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("wanted", CHANGES)
def test_the_planned_requests_are_the_ones_that_are_sent(
    either: Sandbox, wanted: str, state: str, has: tuple[str, ...], *, says: bool
) -> None:
    status, resolution = STATES[state]
    key = either.jira.add_issue(summary="Smart", status=status, resolution=resolution, labels=has)
    change = CHANGES[wanted] if says else replace(CHANGES[wanted], comment=None)
    plugin = plugin_for(either)
    item = plugin.get_issue_status(ref(either, key))
    either.requests.clear()

    planned = plugin.plan(item, change)

    assert either.requests.entries() == []
    _act(plugin, either, key, change)
    assert _sent(either) == [(one.method, urlsplit(one.url).path) for one in planned]


def test_a_plan_says_what_each_request_is_for(box: Sandbox, plugin: JiraPlugin) -> None:
    key = box.jira.add_issue(summary="Smart", status="Done", labels=("completed", "mine"))
    there = f"{box.jira.site}/rest/api/3/issue/{key}"

    planned = plugin.plan(plugin.get_issue_status(ref(box, key)), REOPEN)

    assert [(one.method, one.url, one.what) for one in planned] == [
        ("GET", there, "read the issue and the transitions that it offers"),
        (
            "POST",
            f"{there}/transitions",
            "take one transition to an open status, chosen from what the issue offers",
        ),
        ("PUT", there, "post the comment, add label reopened, remove label completed"),
    ]


def test_data_center_is_asked_for_the_issue_again(server: Sandbox) -> None:
    plugin = plugin_for(server)
    key = server.jira.add_issue(summary="Smart", status="To Do", labels=("mine",))

    planned = plugin.plan(plugin.get_issue_status(ref(server, key)), replace(REOPEN, goal=None))

    assert [(one.method, one.what) for one in planned] == [
        ("GET", "read the issue"),
        ("PUT", "post the comment, add label reopened"),
        ("GET", "read the issue back"),
    ]


@pytest.mark.parametrize(
    ("goal", "table", "said"),
    [
        (Goal.COMPLETED, {}, "take one transition to a done status, chosen from what"),
        (Goal.COMPLETED, {"complete": "Ship it"}, "take the configured transition, Ship it"),
        (Goal.NOT_PLANNED, {"drop": "31"}, "take the configured transition, 31"),
    ],
)
def test_the_transition_is_named_where_the_configuration_names_it(
    box: Sandbox, goal: Goal, table: dict[str, str], said: str
) -> None:
    plugin = plugin_for(box, transitions=table)
    item = plugin.get_issue_status(ref(box, box.jira.add_issue(summary="Smart")))

    planned = plugin.plan(item, replace(CLOSE, goal=goal))

    assert planned[1].what.startswith(said)


def test_an_issue_that_has_left_the_configured_projects_is_read_and_left(box: Sandbox) -> None:
    box.jira.add_project("OTHER")
    key = box.jira.add_issue("OTHER-1", summary="Smart", status="Done")
    item = plugin_for(box).get_issue_status(ref(box, key))

    assert [one.method for one in plugin_for(box).plan(item, REOPEN)] == ["GET"]


@pytest.mark.parametrize("says", [True, False], ids=["comment", "no comment"])
def test_an_update_is_planned_with_what_it_may_rewrite(
    box: Sandbox, plugin: JiraPlugin, *, says: bool
) -> None:
    item = plugin.get_issue_status(ref(box, box.jira.add_issue(summary="Old")))
    change = Change(OP, comment=REOPEN.comment if says else None)
    box.requests.clear()

    planned = plugin.plan(item, change, draft())

    plugin.update_issue(item.ref, draft(), change)
    assert _sent(box) == [(one.method, urlsplit(one.url).path) for one in planned]
    assert "where they differ" in planned[1].what


def _act(plugin: JiraPlugin, box: Sandbox, key: str, change: Change) -> None:
    act = plugin.reopen_issue if change.goal in (Goal.OPEN, None) else plugin.close_issue
    try:
        act(ref(box, key), change)
    except Rejected as refusal:
        assert refusal.id == "deliberately-closed"  # noqa: PT017  (whether it is raised is a case)


def _sent(box: Sandbox) -> list[tuple[str, str]]:
    return [(entry.method, entry.path) for entry in box.requests.entries("jira")]
