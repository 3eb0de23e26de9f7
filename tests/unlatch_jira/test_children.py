"""An epic's children are reopened where that is asked for, each one once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.unlatch_jira.making import (
    OP,
    REOPEN,
    comments,
    done_issue,
    field,
    plugin_for,
    ref,
    sent,
    status,
)

from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.sandbox import Fault
from unlatch.spi import Result, ops_in

if TYPE_CHECKING:
    from unlatch.sandbox import Sandbox

WITH_CHILDREN = replace(REOPEN, options=frozenset({"children"}))


def child(box: Sandbox, epic: str, status: str = "Done", resolution: str | None = None) -> str:
    return box.jira.add_issue(
        summary="Part", status=status, parent=epic, resolution=resolution, labels=["completed"]
    )


def marks(box: Sandbox, key: str) -> int:
    return sum(OP in ops_in(words) for words in comments(box, key))


def test_children_stay_as_they_are_unless_asked_for(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)

    plugin_for(either).reopen_issue(ref(either, epic), REOPEN)

    assert (status(either, part), comments(either, part)) == ("Done", [])


def test_closed_children_are_reopened_with_the_same_comment(either: Sandbox) -> None:
    epic = done_issue(either)
    parts = [child(either, epic) for _ in range(2)]
    going = child(either, epic, "In Progress")
    dropped = child(either, epic, resolution="Won't Do")
    stranger = done_issue(either)

    outcome = plugin_for(either).reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert outcome.result is Result.REOPENED
    assert outcome.notes == (f"reopened its children {', '.join(reversed(parts))}",)
    assert [status(either, key) for key in parts] == ["In Progress"] * 2
    assert [marks(either, key) for key in (epic, *parts)] == [1, 1, 1]
    assert field(either, parts[0], "labels") == ["reopened"]
    assert [status(either, key) for key in (going, dropped, stranger)] == [
        "In Progress",
        "Done",
        "Done",
    ]
    assert [comments(either, key) for key in (going, dropped, stranger)] == [[], [], []]


def test_delivering_again_serves_no_child_twice(either: Sandbox) -> None:
    epic = done_issue(either)
    parts = [child(either, epic) for _ in range(2)]
    plugin = plugin_for(either)
    plugin.reopen_issue(ref(either, epic), WITH_CHILDREN)
    # A person closed one of them again in the meantime.
    either.jira.edit(parts[0], status="Done")

    plugin.reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert [status(either, key) for key in parts] == ["Done", "In Progress"]
    assert [marks(either, key) for key in parts] == [1, 1]


@pytest.mark.parametrize("kind", ["drop", "drop-after", "error-after"])
@pytest.mark.parametrize("number", range(6))
def test_whatever_breaks_off_is_finished_by_the_next_delivery(
    either: Sandbox, kind: str, number: int
) -> None:
    epic = done_issue(either)
    parts = [child(either, epic) for _ in range(2)]
    plugin = plugin_for(either)
    # A write that is lost: of the epic's transition, a child's two, the other's, the epic's edit.
    writes = [("POST", 0), ("POST", 1), ("PUT", 0), ("POST", 2), ("PUT", 1), ("PUT", 2)]
    method, after = writes[number]
    either.faults.add(Fault("jira", kind, method=method, after=after))

    with pytest.raises(UnknownOutcome):
        plugin.reopen_issue(ref(either, epic), WITH_CHILDREN)
    if marks(either, epic) == 0:
        plugin.reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert [status(either, key) for key in (epic, *parts)] == ["In Progress"] * 3
    assert [marks(either, key) for key in (epic, *parts)] == [1, 1, 1]


def test_a_child_that_refuses_is_told_and_the_others_are_served(either: Sandbox) -> None:
    either.jira.add_project("OPS", "required-fields")
    epic = done_issue(either)
    part = child(either, epic)
    either.jira.add_issue("OPS-1", summary="Part", status="Done", parent=epic)

    outcome = plugin_for(either, projects=["OPS"]).reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert (status(either, part), status(either, "OPS-1")) == ("In Progress", "Done")
    assert ["OPS-1 stays closed" in note for note in outcome.notes] == [False, True]


def test_children_in_foreign_projects_are_not_touched(either: Sandbox) -> None:
    either.jira.add_project("SECRET")
    epic = done_issue(either)
    either.jira.add_issue("SECRET-1", summary="Part", status="Done", parent=epic)

    outcome = plugin_for(either).reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert (status(either, "SECRET-1"), outcome.notes) == ("Done", ())


def test_what_may_pass_by_itself_leaves_the_epic_without_its_marker(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    path = f"/issue/{part}"
    either.faults.add(Fault("jira", "status", method="GET", path=path, code=503, times=9))

    with pytest.raises(TrackerError):
        plugin_for(either).reopen_issue(ref(either, epic), WITH_CHILDREN)

    assert (marks(either, epic), status(either, part)) == (0, "Done")


def test_without_comments_children_are_moved_alone(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    plugin_for(either).reopen_issue(ref(either, epic), replace(WITH_CHILDREN, comment=None))
    assert (status(either, part), comments(either, part)) == ("In Progress", [])


def test_a_plan_says_that_children_follow(box: Sandbox) -> None:
    epic = done_issue(box)
    plugin = plugin_for(box)
    planned = plugin.plan(plugin.get_issue_status(ref(box, epic)), WITH_CHILDREN)
    assert [one.what.startswith("for each closed child") for one in planned].count(True) == 1


def test_subtasks_of_a_story_are_children_too(server: Sandbox) -> None:
    story = server.jira.add_issue(summary="Story", type="Story", status="Done")
    part = server.jira.add_issue(summary="Part", type="Sub-task", status="Done", parent=story)
    plugin_for(server).reopen_issue(ref(server, story), WITH_CHILDREN)
    assert status(server, part) == "In Progress"
    assert [line for line in sent(server) if "/field" in line] == ["GET /field"]
