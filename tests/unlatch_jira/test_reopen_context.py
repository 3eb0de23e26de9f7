"""Notes about a reopened issue's sprint, parent and assignee, and configured changes."""

from typing import Any

import pytest
from tests.unlatch_jira.making import (
    REOPEN,
    comments,
    deliver,
    field,
    plugin_for,
    ref,
    sent,
    status,
)

from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira.workflows import SPRINT


def closed(box: Sandbox, **more: Any) -> str:
    return box.jira.add_issue(summary="Smart", status="Done", **more)


def told(box: Sandbox, key: str, **settings: Any) -> tuple[str, ...]:
    return deliver(plugin_for(box, **settings), ref(box, key), REOPEN).notes


def test_a_closed_sprint_is_told_and_left(either: Sandbox) -> None:
    sprint = either.jira.add_sprint("Sprint, number = 4", "closed")
    key = closed(either, sprints=[sprint])
    either.jira.add_sprint("Sprint 5")

    assert told(either, key, sprint_field=SPRINT) == ("its sprint 'Sprint, number = 4' is closed",)
    assert len(field(either, key, SPRINT)) == 1


def test_an_issue_is_put_into_the_running_sprint_of_its_board(either: Sandbox) -> None:
    key = closed(either, sprints=[either.jira.add_sprint("Sprint 4", "closed", board=3)])
    either.jira.add_sprint("Another board's", board=4)
    running = either.jira.add_sprint("Sprint 5", board=3)
    plugin = plugin_for(either, on_reopen={"sprint": "active"})

    notes = deliver(plugin, ref(either, key), REOPEN).notes
    either.requests.clear()
    again = deliver(plugin, ref(either, key), REOPEN).notes

    assert notes == ("put into the sprint 'Sprint 5'",)
    assert either.jira.tracks.issue(key).sprints[-1:] == [running]  # type: ignore[union-attr]
    # A delivery that is repeated finds it done, and knows the field.
    assert again == ()
    assert [one for one in sent(either) if "field" in one or "agile" in one] == []


@pytest.mark.parametrize("names", [[], ["Sprint 5", "Sprint 6"]])
def test_no_sprint_is_chosen_where_not_exactly_one_runs(box: Sandbox, names: list[str]) -> None:
    key = closed(box, sprints=[box.jira.add_sprint("Sprint 4", "closed")])
    for name in names:
        box.jira.add_sprint(name)
    [note] = told(box, key, on_reopen={"sprint": "active"})
    assert [name in note for name in names] == [True] * len(names)
    assert len(field(box, key, SPRINT)) == 1


def test_a_closed_parent_is_told_and_left(either: Sandbox) -> None:
    parent = closed(either, type="Story")
    key = closed(either, type="Sub-task", parent=parent)
    assert told(either, key) == (f"its parent {parent} is closed (Done)",)
    assert status(either, parent) == "Done"


def test_a_closed_parent_is_reopened_without_a_word(either: Sandbox) -> None:
    parent = closed(either, type="Story")
    key = closed(either, type="Sub-task", parent=parent)
    plugin = plugin_for(either, on_reopen={"parent": "reopen"})

    notes = deliver(plugin, ref(either, key), REOPEN).notes
    again = deliver(plugin, ref(either, key), REOPEN)

    assert notes == (f"its parent {parent} was reopened too",)
    assert (status(either, parent), comments(either, parent)) == ("In Progress", [])
    assert again.notes == ()


def test_a_parent_in_a_foreign_project_or_that_refuses_does_not_undo_the_reopen(
    box: Sandbox,
) -> None:
    box.jira.add_project("SECRET")
    parent = box.jira.add_issue("SECRET-1", summary="Epic", type="Epic", status="Done")
    [note] = told(box, closed(box, parent=parent), on_reopen={"parent": "reopen"})
    assert "left closed" in note
    assert status(box, parent) == "Done"

    parent = closed(box, type="Epic")
    key = closed(box, parent=parent)
    box.faults.add(Fault("jira", "status", path=f"/issue/{parent}", code=403))
    [note] = told(box, key, on_reopen={"parent": "reopen"})
    assert note.startswith("on_reopen was not done: ")
    assert (status(box, key), len(comments(box, key))) == ("In Progress", 1)


@pytest.mark.parametrize("assignee", [None, "A Person"])
def test_an_issue_of_nobody_who_is_active_is_assigned_to_the_account(
    either: Sandbox, assignee: str | None
) -> None:
    key = closed(either, assignee=assignee)
    either.jira.switch_off("A Person")

    notes = told(either, key, on_reopen={"assignee": "me"})

    assert notes == ("assigned to Octo Cat",)
    assert field(either, key, "assignee")["displayName"] == "Octo Cat"


def test_whoever_is_active_stays_assigned_and_an_assignee_who_left_is_told(either: Sandbox) -> None:
    key = closed(either, assignee="A Person")
    assert told(either, key, on_reopen={"assignee": "me"}) == ()
    assert field(either, key, "assignee")["displayName"] == "A Person"

    key = closed(either, assignee="Octo Cat")
    either.jira.switch_off("Octo Cat")
    assert told(either, key) == ("its assignee Octo Cat is no longer active",)


def test_what_no_screen_shows_does_not_cost_the_comment(box: Sandbox) -> None:
    key = closed(box)
    message = "Field 'assignee' cannot be set. It is not on the appropriate screen, or unknown."
    refused = {"errorMessages": [], "errors": {"assignee": message}}
    box.faults.add(Fault("jira", "status", method="PUT", code=400, body=refused))

    outcome = deliver(plugin_for(box, on_reopen={"assignee": "me"}), ref(box, key), REOPEN)

    assert (outcome.commented, len(comments(box, key))) == (True, 1)
    assert outcome.notes == ("not set: assignee (no screen of the issue shows them)",)
