"""The type and the parent of a new issue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.unlatch_jira.making import (
    CREATE,
    LONG_AGO,
    OP,
    OTHER_OP,
    deliver,
    draft,
    field,
    plugin_for,
    ref,
    sent,
)

from unlatch.errors import Rejected, UnknownOutcome
from unlatch.spi import Check, Checks, Heading, Span
from unlatch_jira.api.rich_text import plain
from unlatch_sandbox import Fault
from unlatch_sandbox.jira.workflows import EPIC_LINK

if TYPE_CHECKING:
    from unlatch.spi import Draft
    from unlatch_sandbox import Sandbox


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


def test_an_issue_is_made_below_its_parent(either: Sandbox) -> None:
    story = either.jira.add_issue(summary="Story")
    plugin = plugin_for(either)
    made = plugin.create(
        replace(CREATE, draft=wishing(parent=story.lower(), type="Sub-task"))
    ).after
    assert (above(either, made.ref.id), made.type) == (story, "Sub-task")


def test_a_parent_may_be_named_by_its_address(box: Sandbox) -> None:
    epic = box.jira.add_issue(summary="Epic", type="Epic")
    made = plugin_for(box).create(replace(CREATE, draft=wishing(parent=ref(box, epic).url))).after
    assert above(box, made.ref.id) == epic


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


@pytest.mark.parametrize("metadata", [{"parent": 7}, {"parent": ""}, {"epicKey": None}, {"x": "y"}])
def test_wishes_that_say_nothing_to_us_are_passed_over(
    box: Sandbox, metadata: dict[str, Any]
) -> None:
    made = plugin_for(box).create(replace(CREATE, draft=wishing(**metadata))).after
    assert above(box, made.ref.id) is None


def test_a_parent_that_does_not_exist_is_told_in_jiras_words(either: Sandbox) -> None:
    with pytest.raises(Rejected) as caught:
        plugin_for(either).create(replace(CREATE, draft=wishing(parent="SCRUM-999")))
    assert "Could not find issue" in caught.value.message


def test_a_create_screen_without_the_parent_costs_the_parent_alone(box: Sandbox) -> None:
    epic = box.jira.add_issue(summary="Epic", type="Epic")
    message = "Field 'parent' cannot be set. It is not on the appropriate screen, or unknown."
    refused = {"errorMessages": [], "errors": {"parent": message}}
    box.faults.add(Fault("jira", "status", method="POST", code=400, body=refused))

    outcome = plugin_for(box).create(replace(CREATE, draft=wishing(parent=epic)))

    assert above(box, outcome.after.ref.id) is None
    assert outcome.after.labels == ("increment",)
    assert outcome.notes == ("made without parent: not on the create screen",)


def test_several_items_of_one_increment_are_told_apart_by_their_operations(
    either: Sandbox,
) -> None:
    plugin = plugin_for(either)
    whole = plugin.create(replace(CREATE, draft=draft())).after
    story = replace(draft(title="US-001: Log in"), story="US-001")
    part = plugin.create(replace(replace(CREATE, op=OTHER_OP), draft=story)).after

    assert plugin.find_created(OP, LONG_AGO) == whole
    assert plugin.find_created(OTHER_OP, LONG_AGO) == part


def test_the_planned_requests_are_the_ones_that_are_sent(either: Sandbox) -> None:
    plugin = plugin_for(either)
    change = replace(CREATE, draft=draft())

    planned = plugin.plan(None, change)
    assert sent(either) == []
    made = plugin.create(change).after

    paths = [(one.method, urlsplit(one.url).path) for one in planned]
    there = [(method, path.replace("NEW-KEY", made.ref.id)) for method, path in paths]
    assert there == [(one.method, one.path) for one in either.requests.entries("jira")]
    assert planned[0].what == "create an issue of the type Story in SCRUM"


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
