"""An epic's children are reopened where that is asked for, each one once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.unlatch_jira.making import (
    OP,
    REOPEN,
    WITH_CHILDREN,
    comments,
    deliver,
    done_issue,
    field,
    plugin_for,
    ref,
    sent,
    status,
)

from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.spi import ops_in
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from unlatch_sandbox import Sandbox

AND_CHILDREN = replace(REOPEN, options=WITH_CHILDREN)


def child(box: Sandbox, epic: str, status: str = "Done", resolution: str | None = None) -> str:
    return box.jira.add_issue(
        summary="Part", status=status, parent=epic, resolution=resolution, labels=["completed"]
    )


def marks(box: Sandbox, key: str) -> int:
    return sum(OP in ops_in(words) for words in comments(box, key))


def test_children_stay_as_they_are_unless_asked_for(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)

    deliver(plugin_for(either), ref(either, epic), REOPEN)

    assert (status(either, part), comments(either, part)) == ("Done", [])


def test_closed_children_are_reopened_with_the_same_comment(either: Sandbox) -> None:
    epic = done_issue(either)
    parts = [child(either, epic) for _ in range(2)]
    going = child(either, epic, "In Progress")
    dropped = child(either, epic, resolution="Won't Do")
    stranger = done_issue(either)

    outcome = deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

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
    deliver(plugin, ref(either, epic), AND_CHILDREN)
    # A person closed one of them again in the meantime.
    either.jira.edit(parts[0], status="Done")

    deliver(plugin, ref(either, epic), AND_CHILDREN)

    assert [status(either, key) for key in parts] == ["Done", "In Progress"]
    assert [marks(either, key) for key in parts] == [1, 1]


# A write that is lost: of the epic's transition, a child's two, the other's, the epic's edit.
WRITES = [("POST", 0), ("POST", 1), ("PUT", 0), ("POST", 2), ("PUT", 1), ("PUT", 2)]
KINDS = ("drop", "drop-after", "error-after")


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        pytest.param(*(write, kind), marks=() if (number - place) % 3 == 0 else pytest.mark.sweep)
        for number, write in enumerate(WRITES)
        for place, kind in enumerate(KINDS)
    ],
)
def test_whatever_breaks_off_is_finished_by_the_next_delivery(
    either: Sandbox, write: tuple[str, int], kind: str
) -> None:
    epic = done_issue(either)
    parts = [child(either, epic) for _ in range(2)]
    plugin = plugin_for(either)
    method, after = write
    either.faults.add(Fault("jira", kind, method=method, after=after))

    with pytest.raises(UnknownOutcome):
        deliver(plugin, ref(either, epic), AND_CHILDREN)
    if marks(either, epic) == 0:
        deliver(plugin, ref(either, epic), AND_CHILDREN)

    assert [status(either, key) for key in (epic, *parts)] == ["In Progress"] * 3
    assert [marks(either, key) for key in (epic, *parts)] == [1, 1, 1]


def test_a_child_that_refuses_is_told_and_the_others_are_served(either: Sandbox) -> None:
    either.jira.add_project("OPS", "required-fields")
    epic = done_issue(either)
    part = child(either, epic)
    either.jira.add_issue("OPS-1", summary="Part", status="Done", parent=epic)

    outcome = deliver(plugin_for(either, projects=["OPS"]), ref(either, epic), AND_CHILDREN)

    assert (status(either, part), status(either, "OPS-1")) == ("In Progress", "Done")
    assert ["OPS-1 stays closed" in note for note in outcome.notes] == [False, True]


def test_children_in_foreign_projects_are_not_touched(either: Sandbox) -> None:
    either.jira.add_project("SECRET")
    epic = done_issue(either)
    either.jira.add_issue("SECRET-1", summary="Part", status="Done", parent=epic)

    outcome = deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

    assert (status(either, "SECRET-1"), outcome.notes) == ("Done", ())


def test_what_may_pass_by_itself_leaves_the_epic_without_its_marker(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    path = f"/issue/{part}"
    either.faults.add(Fault("jira", "status", method="GET", path=path, code=503, times=9))

    with pytest.raises(TrackerError):
        deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

    assert (marks(either, epic), status(either, part)) == (0, "Done")


def test_without_comments_children_are_moved_alone(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    deliver(plugin_for(either), ref(either, epic), replace(AND_CHILDREN, comment=None))
    assert (status(either, part), comments(either, part)) == ("In Progress", [])


def test_a_child_that_jira_did_not_move_is_noted(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    path = f"/issue/{part}/transitions"
    either.faults.add(Fault("jira", "status", method="POST", path=path, code=204))

    outcome = deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

    assert (status(either, epic), status(either, part)) == ("In Progress", "Done")
    assert outcome.notes == (
        f"{part} stays closed: Jira accepted its transition, but did not move it",
    )


def test_an_error_on_the_way_says_which_children_were_reopened(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    path = f"/issue/{epic}"
    either.faults.add(Fault("jira", "drop", method="PUT", path=f"{path}(\\?|$)"))

    with pytest.raises(UnknownOutcome) as caught:
        deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

    done = caught.value.done
    assert done is not None
    assert (done.after.ref.id, done.commented) == (epic, False)
    assert done.notes == (f"reopened its children {part}",)


def test_a_plan_lists_the_children(either: Sandbox) -> None:
    epic = done_issue(either)
    part = child(either, epic)
    plugin = plugin_for(either)
    snapshot = plugin.read(ref(either, epic), AND_CHILDREN)

    planned = plugin.plan(snapshot, AND_CHILDREN)

    assert status(either, part) == "Done"
    either.requests.clear()
    deliver(plugin, ref(either, epic), AND_CHILDREN)
    listed = [(one.method, urlsplit(one.url).path) for one in planned]
    fields = [one for one in listed if one[1].endswith("/field")]
    assert [one for one in listed if one not in fields] == [
        (entry.method, entry.path) for entry in either.requests.entries("jira")
    ]


def test_subtasks_of_a_story_are_children_too(server: Sandbox) -> None:
    story = server.jira.add_issue(summary="Story", type="Story", status="Done")
    part = server.jira.add_issue(summary="Part", type="Sub-task", status="Done", parent=story)
    deliver(plugin_for(server), ref(server, story), AND_CHILDREN)
    assert status(server, part) == "In Progress"
    assert [line for line in sent(server) if "/field" in line] == ["GET /field"]
