"""Answers with missing fields or values of another type, patches, and workflows."""

from typing import Any

import pytest
from azure.devops.v7_1.work_item_tracking.models import WorkItem as LibraryItem
from tests.unlatch_ado.making import OP

from unlatch.errors import Rejected
from unlatch.spi import Category, Change, Goal
from unlatch.transport.answer import Misread
from unlatch_ado.api.models import batch, work_item
from unlatch_ado.api.patch import Patch, Step, changed_tags, read_tags
from unlatch_ado.api.workflow import Workflow, as_json, from_json

URL = "https://dev.azure.com/F/00000000-0000-0000-0000-000000000001/_apis/wit/workItems"
FIELDS = {
    "System.TeamProject": "Fabrikam",
    "System.WorkItemType": "Bug",
    "System.Title": "Title",
    "System.State": "New",
}

ANN = {"displayName": "Ann", "inactive": True}


def answer(*, fields: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"id": 7, "rev": 3, "fields": {**FIELDS, **(fields or {})}, **more}


def test_a_work_item_is_read_from_json_and_from_the_librarys_object() -> None:
    whole = answer(
        fields={"System.AssignedTo": ANN, "System.ChangedBy": "Bob", "System.Tags": "a; b"},
        url=f"{URL}/7",
        relations=[
            {"rel": "System.LinkTypes.Related", "url": f"{URL}/4"},
            {"rel": "System.LinkTypes.Hierarchy-Reverse", "url": f"{URL}/5"},
        ],
    )
    item = work_item(whole)
    assert (item.id, item.revision, item.title, item.tags) == (7, 3, "Title", ("a", "b"))
    assert (item.assignee, item.inactive, item.changed_by) == ("Ann", True, "Bob")
    assert (item.parent, item.project_id) == ("5", "00000000-0000-0000-0000-000000000001")
    assert item == work_item(LibraryItem(**whole))


def test_nulls_and_missing_fields_are_the_same() -> None:
    nulls = dict.fromkeys(
        ("System.Tags", "System.AssignedTo", "System.ChangedBy", "System.ChangedDate")
    )
    bare = work_item(answer())
    assert bare == work_item(answer(fields=nulls, url=None, relations=None))
    assert (bare.tags, bare.assignee, bare.changed, bare.inactive) == ((), None, None, False)
    assert (bare.description, work_item(answer(), described=False).description) == ("", None)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [None, 5, ["x"]])
def test_a_work_item_without_a_required_text_is_refused(name: str, value: object) -> None:
    with pytest.raises(Misread, match=f"^at {name}: "):
        work_item(answer(fields={name: value}))


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"id": None}, "id"),
        ({"rev": "x"}, "rev"),
        ({"fields": {"System.AssignedTo": 5}}, "System.AssignedTo"),
        ({"fields": {"System.AssignedTo": {"displayName": 5}}}, "displayName"),
        ({"fields": {"System.Description": ["x"]}}, "System.Description"),
        ({"relations": {}}, "relations"),
        ({"relations": [{"url": 5}]}, "relations.0.url"),
        ({"url": 5}, "url"),
    ],
)
def test_a_work_item_with_a_value_of_another_type_is_refused(
    more: dict[str, Any], place: str
) -> None:
    with pytest.raises(Misread, match=f"^at {place}: "):
        work_item(answer(**more))


def test_the_bodies_of_a_batch_are_text_or_json() -> None:
    value = [{"code": 200, "body": '{"id": 1}'}, {"code": 404, "body": {"a": 1}}, {"code": 500}]
    assert batch({"value": value}) == [(200, b'{"id": 1}'), (404, b'{"a": 1}'), (500, b"{}")]


@pytest.mark.parametrize(
    "value", [None, [], {}, {"value": {}}, {"value": [{}]}, {"value": [{"code": 200, "body": 5}]}]
)
def test_other_json_is_no_batch(value: object) -> None:
    with pytest.raises(Misread):
        batch(value)


@pytest.mark.parametrize(
    ("field", "tags"),
    [(None, ()), ("", ()), ("a", ("a",)), ("b; a;  c d ;", ("b", "a", "c d"))],
)
def test_reads_tags(field: str | None, tags: tuple[str, ...]) -> None:
    assert read_tags(field) == tags


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), ("reopened",)),
        (("z", "completed", "a"), ("z", "a", "reopened")),
        (("z", "COMPLETED", "Reopened", "a"), ("z", "Reopened", "a")),
    ],
)
def test_changes_only_the_tags_that_it_is_about(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    change = Change(OP, add_labels=("reopened",), remove_labels=("completed",))
    assert changed_tags(before, change) == after


def test_a_patch_guards_by_the_revision_and_sends_what_differs() -> None:
    patch = Patch(4, (("System.State", "Active"),), (("a",), ("b",)), "<p>x</p>")
    assert patch.steps() == (
        Step("test", "/rev", 4),
        Step("add", "/fields/System.State", "Active"),
        Step("replace", "/fields/System.Tags", "b"),
        Step("add", "/fields/System.History", "<p>x</p>"),
    )
    assert Patch(4, tags=(("a",), ("a",)), comment="x").steps() == (
        Step("test", "/rev", 4),
        Step("add", "/fields/System.History", "x"),
    )
    assert Patch(4, tags=(("a",), ())).steps()[1] == Step("replace", "/fields/System.Tags", "")
    assert Patch(4, tags=(("a",), ("a",))).is_empty
    assert not Patch(4, comment="x").is_empty
    patch = Patch(4, tags=(("a", "completed"), ("a", "reopened")))
    assert patch.without_new_tags() == Patch(4, tags=(("a", "completed"), ("a",)))


STATES = {
    "New": "Proposed",
    "Approved": "Proposed",
    "Committed": "InProgress",
    "Testing": "Resolved",
    "Done": "Completed",
    "Removed": "Removed",
}
EVERY = Workflow("Item", STATES, {s: tuple(t for t in STATES if t != s) for s in STATES})


def leading(current: str, *to: str) -> Workflow:
    return Workflow("Item", STATES, {current: to})


@pytest.mark.parametrize(
    ("state", "category"),
    [
        ("New", Category.TODO),
        ("Committed", Category.DOING),
        ("Testing", Category.DOING),
        ("Done", Category.DONE),
        ("Removed", Category.DROPPED),
        ("Gone", None),
    ],
)
def test_states_mean_what_their_category_says(state: str, category: Category | None) -> None:
    assert EVERY.category(state) == category


@pytest.mark.parametrize(
    ("current", "goal", "target"),
    [
        ("Done", Goal.OPEN, "Committed"),
        ("Removed", Goal.OPEN, "Committed"),
        ("New", Goal.COMPLETED, "Done"),
        ("New", Goal.NOT_PLANNED, "Removed"),
    ],
)
def test_prefers_the_state_that_the_goal_means(current: str, goal: Goal, target: str) -> None:
    assert EVERY.target(current, goal, configured=None) == target


@pytest.mark.parametrize(
    ("reachable", "goal", "target"),
    [
        (("Removed", "Approved", "New"), Goal.OPEN, "New"),
        (("Done", "New"), Goal.NOT_PLANNED, "Done"),
    ],
)
def test_takes_the_next_best_state_that_can_be_reached(
    reachable: tuple[str, ...], goal: Goal, target: str
) -> None:
    assert leading("Testing", *reachable).target("Testing", goal, configured=None) == target


def test_never_reopens_into_a_resolved_state_unless_one_is_configured() -> None:
    with pytest.raises(Rejected, match=r"Testing \(Resolved\)") as caught:
        leading("Done", "Testing", "Removed").target("Done", Goal.OPEN, configured=None)
    assert caught.value.id == "no-legal-state"
    with pytest.raises(Rejected, match="it can go to: none"):
        leading("Done").target("Done", Goal.OPEN, configured=None)
    assert EVERY.target("Done", Goal.OPEN, configured="testing") == "Testing"
    assert from_json(as_json(EVERY)) == EVERY


@pytest.mark.parametrize(
    ("configured", "goal", "target"),
    [
        ("Ready", Goal.OPEN, "Ready"),
        ("READY", Goal.OPEN, "READY"),
        ("ready", Goal.COMPLETED, "ready"),
        ("Ready", Goal.COMPLETED, "ready"),
    ],
)
def test_of_states_that_differ_in_case_the_exact_one_wins_if_it_fits_the_goal(
    configured: str, goal: Goal, target: str
) -> None:
    states = {
        "ready": "Completed",
        "READY": "Proposed",
        "Ready": "InProgress",
        "At rest": "Proposed",
    }
    workflow = Workflow("Item", states, {"At rest": tuple(states)})

    assert target == workflow.target("At rest", goal, configured=configured)


@pytest.mark.parametrize("configured", ["Nowhere", "Removed", "Done"])
def test_a_configured_state_must_be_reachable_and_fit_the_goal(configured: str) -> None:
    with pytest.raises(Rejected, match=configured):
        EVERY.target("Done", Goal.OPEN, configured=configured)


@pytest.mark.parametrize("data", [None, {}, {"type": "x", "states": [], "moves": {}}])
def test_anything_else_in_the_cache_is_no_workflow(data: object) -> None:
    assert from_json(data) is None
