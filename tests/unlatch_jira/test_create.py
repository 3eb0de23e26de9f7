"""New issues with their type and parent; the children of an epic are reopened once."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unlatch_jira.making import (
    CREATE,
    LONG_AGO,
    OP,
    OTHER_OP,
    REOPEN,
    WITH_CHILDREN,
    comments,
    deliver,
    done_issue,
    draft,
    field,
    plugin_for,
    ref,
    sent,
    status,
)

from unlatch.errors import Rejected, UnknownOutcome
from unlatch.spi import Check, Checks, Draft, Heading, Span, ops_in
from unlatch_jira.api.rich_text import plain
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.jira.workflows import EPIC_LINK, ROOT_CAUSE

AND_CHILDREN = replace(REOPEN, options=WITH_CHILDREN)


def child(box: Sandbox, epic: str, status: str = "Done", resolution: str | None = None) -> str:
    return box.jira.add_issue(
        summary="Part", status=status, parent=epic, resolution=resolution, labels=["completed"]
    )


def marks(box: Sandbox, key: str) -> int:
    return sum(OP in ops_in(words) for words in comments(box, key))


def test_children_stay_as_they_are_unless_asked_for_and_without_comments_are_moved_alone(
    either: Sandbox,
) -> None:
    epic = done_issue(either)
    part = child(either, epic)

    deliver(plugin_for(either), ref(either, epic), REOPEN)

    assert (status(either, part), comments(either, part)) == ("Done", [])

    epic = done_issue(either)
    part = child(either, epic)
    deliver(plugin_for(either), ref(either, epic), replace(AND_CHILDREN, comment=None))
    assert (status(either, part), comments(either, part)) == ("In Progress", [])


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


@pytest.mark.sample(at=(13, 22))
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

    either.jira.add_project("SECRET")
    epic = done_issue(either)
    either.jira.add_issue("SECRET-1", summary="Part", status="Done", parent=epic)

    outcome = deliver(plugin_for(either), ref(either, epic), AND_CHILDREN)

    assert (status(either, "SECRET-1"), outcome.notes) == ("Done", ())


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


def wishing(**metadata: Any) -> Draft:
    return replace(draft(), metadata=metadata)


def above(box: Sandbox, key: str) -> str | None:
    fields = box.jira.issue(key)["fields"]
    found = fields.get("parent")
    return str(found["key"]) if found else fields.get(EPIC_LINK)


@pytest.mark.parametrize("name", ["epicKey", "epic"])
def test_an_issue_is_made_below_its_epic(either: Sandbox, name: str) -> None:
    epic = either.jira.add_issue(summary="Epic", type="Epic")
    plugin = plugin_for(either)

    made = plugin.create(replace(CREATE, draft=wishing(**{name: epic}))).after
    plugin.create(replace(replace(CREATE, op=OTHER_OP), draft=wishing(**{name: epic})))

    assert above(either, made.ref.id) == epic
    asked = {"Cloud": 0, "Server": 1}[either.jira.deployment]
    # Which field holds epics on Data Center is asked for once.
    assert sent(either).count("GET /field") == asked


@pytest.mark.parametrize(
    ("metadata", "error_id"),
    [
        ({"parent": "nothing"}, "parent-unusable"),
        ({"epicKey": 'SCRUM-1" OR 1=1'}, "parent-unusable"),
        ({"parent": "SECRET-1"}, "target-not-allowed"),
        ({"parent": "https://evil.example/browse/SCRUM-1"}, "parent-unusable"),
    ],
)
def test_a_parent_that_cannot_be_is_refused_before_anything_is_sent(
    either: Sandbox, metadata: dict[str, Any], error_id: str
) -> None:
    with pytest.raises(Rejected) as caught:
        plugin_for(either).create(replace(CREATE, draft=wishing(**metadata)))
    assert (caught.value.id, sent(either)) == (error_id, [])


def test_a_create_screen_without_the_parent_costs_the_parent_alone(box: Sandbox) -> None:
    epic = box.jira.add_issue(summary="Epic", type="Epic")
    message = "Field 'parent' cannot be set. It is not on the appropriate screen, or unknown."
    refused = {"errorMessages": [], "errors": {"parent": message}}
    box.faults.add(Fault("jira", "status", method="POST", code=400, body=refused))

    outcome = plugin_for(box).create(replace(CREATE, draft=wishing(parent=epic)))

    assert above(box, outcome.after.ref.id) is None
    assert outcome.after.labels == ("increment",)
    assert outcome.notes == ("made without parent: not on the create screen",)


def test_an_issue_that_is_made_and_cannot_be_read_is_unknown(either: Sandbox) -> None:
    either.faults.add(Fault("jira", "status", method="GET", code=503, times=9))
    plugin = plugin_for(either)

    with pytest.raises(UnknownOutcome):
        plugin.create(replace(CREATE, draft=draft()))

    either.faults.clear()
    assert plugin.find_created(OP, LONG_AGO) is not None


def test_headings_and_check_boxes_arrive_and_are_written_anew(either: Sandbox) -> None:
    plugin = plugin_for(either)
    body = (
        Heading("Stories {x}"),
        Checks((Check("US-001: *Log in*", done=True), Check("AC-1 [~all]", done=False, depth=1))),
        (Span("Words"),),
    )
    made = plugin.create(replace(CREATE, draft=replace(draft(), body=body))).after
    ticked = Checks((Check("US-001", done=True), Check("AC-1", done=True, depth=1)))

    deliver(
        plugin, made.ref, replace(CREATE, draft=replace(draft(), body=(Heading("Stories"), ticked)))
    )

    found = plain(field(either, made.ref.id, "description"))
    assert ("Words" in found, found.count("\N{BALLOT BOX WITH CHECK}")) == (False, 2)
    assert found.count("Kept by unlatch") == 2


def test_required_fields_of_a_new_issue_are_configured(either: Sandbox) -> None:
    either.jira.add_project("SCRUM", "validators")
    change = replace(CREATE, draft=wishing())
    with pytest.raises(Rejected, match="Root cause is required") as caught:
        plugin_for(either).create(change)
    assert f'set below [trackers.jira.fields.create]: "{ROOT_CAUSE}" = "..."' in (
        caught.value.hint or ""
    )

    for name in ("Root cause", ROOT_CAUSE):
        plugin = plugin_for(either, fields={"create": {name: "Bug"}})
        made = plugin.create(replace(change, op=OTHER_OP if name == ROOT_CAUSE else OP)).after
        assert field(either, made.ref.id, ROOT_CAUSE)["value"] == "Bug"

    with pytest.raises(Rejected, match="have no field Cause"):
        plugin_for(either, fields={"create": {"Cause": "Bug"}}).create(change)
    with pytest.raises(
        Rejected, match=r"Root cause takes one of Bug, .* not the configured 'Fate'"
    ):
        plugin_for(either, fields={"create": {"Root cause": "Fate"}}).create(change)


def test_configured_labels_and_those_of_the_increment_are_set(either: Sandbox) -> None:
    plugin = plugin_for(either, fields={"create": {"labels": ["urgent", "increment"]}})
    made = plugin.create(replace(CREATE, draft=wishing())).after
    assert made.labels == ("urgent", "increment")
