"""A plan lists the requests that are sent, and permissions are found without writing."""

from dataclasses import replace
from typing import Any
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
    sent,
    status,
)

from unlatch.errors import Rejected, Unauthorised
from unlatch.spi import Change, Goal, Remark
from unlatch_sandbox import Sandbox


def remarks(box: Sandbox, *keys: str, **settings: Any) -> list[Remark]:
    found = plugin_for(box, **settings).examine([ref(box, key) for key in keys])
    return list(found.remarks)


def test_an_examination_goes_on_for_hidden_projects_and_items_and_ends_for_a_refused_token(
    either: Sandbox,
) -> None:
    places = plugin_for(either, projects=["GONE"]).examine([]).places
    assert [set(place.rights.values()) for place in places] == [{True}, {False}]
    assert "Browse Projects" in (places[1].hint or "")
    assert plugin_for(either).examine([ref(either, "SCRUM-999")]).remarks == ()
    with pytest.raises(Unauthorised):
        plugin_for(either, token="wrong").examine([])


def test_an_issue_that_is_open_and_still_resolved_is_found(either: Sandbox) -> None:
    either.jira.add_project("SCRUM", "keeps-resolution")
    kept = either.jira.add_issue(summary="Smart", status="Done")
    deliver(plugin_for(either), ref(either, kept), REOPEN)
    fine = either.jira.add_issue(summary="Fine", status="Done")

    [remark] = remarks(either, kept, fine)

    assert (remark.id, remark.where) == ("open-but-resolved", ref(either, kept).url)
    assert "'Done'" in remark.message


@pytest.mark.parametrize(
    "settings",
    [
        {"transitions": {"reopen": "Back to work"}},
        {"transitions_for": {"*/Bug": {"reopen": "Back to work"}}},
    ],
)
def test_a_configured_name_that_the_workflow_does_not_have_is_told(
    either: Sandbox, settings: dict[str, Any]
) -> None:
    key = either.jira.add_issue(summary="Smart", status="Done")
    [remark] = remarks(either, key, **settings)
    assert remark.id == "transition-unknown"
    assert ("'Back to work'" in remark.message, "To Do" in remark.message) == (True, True)


def test_a_type_and_a_path_that_the_project_lacks_are_told(either: Sandbox) -> None:
    [remark] = remarks(either, types={"bug": "Saga"})
    assert (remark.id, remark.is_error) == ("issue-type-unknown", True)
    [remark] = remarks(either, paths={"reopen": {"Erledigt": ["Offen"]}})
    assert (remark.id, "'Erledigt'" in remark.message) == ("path-unknown", True)


def test_an_examination_lets_the_next_reopen_tell_of_a_closed_sprint(either: Sandbox) -> None:
    sprint = either.jira.add_sprint("Sprint 4", "closed")
    key = either.jira.add_issue(summary="Smart", status="Done", sprints=[sprint])
    plugin = plugin_for(either)
    plugin.examine([])
    either.requests.clear()

    notes = deliver(plugin, ref(either, key), REOPEN).notes

    assert notes == ("its sprint 'Sprint 4' is closed",)
    assert len(sent(either)) == {"Cloud": 3, "Server": 4}[either.jira.deployment]


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


@pytest.mark.sample(at=(10,))
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


def test_data_center_is_asked_for_the_issue_again(server: Sandbox) -> None:
    plugin = plugin_for(server)
    key = server.jira.add_issue(summary="Smart", labels=("mine",))
    change = replace(REOPEN, goal=None, draft=draft(title="New"))

    planned = plugin.plan(plugin.read(ref(server, key), change), change)

    assert [(one.method, one.what) for one in planned] == [
        ("GET", "read the issue"),
        ("POST", "post the comment"),
        ("PUT", "set summary, set description, add label reopened"),
        ("GET", "read the issue back"),
    ]


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
