"""Answers with missing fields, nulls and values of another type."""

from __future__ import annotations

from typing import Any

import pytest
from azure.devops.v7_1.work_item_tracking.models import WorkItem as LibraryItem

from unlatch.transport.answer_fields import Misread
from unlatch_ado.api.iterations import read_tree
from unlatch_ado.api.models import batch, ids, work_item

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


@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_other_json_is_no_work_item(value: object) -> None:
    with pytest.raises(Misread, match=r"^at its top: expected an object$"):
        work_item(value)


def test_the_bodies_of_a_batch_are_text_or_json() -> None:
    value = [{"code": 200, "body": '{"id": 1}'}, {"code": 404, "body": {"a": 1}}, {"code": 500}]
    assert batch({"value": value}) == [(200, b'{"id": 1}'), (404, b'{"a": 1}'), (500, b"{}")]


@pytest.mark.parametrize(
    "value", [None, [], {}, {"value": {}}, {"value": [{}]}, {"value": [{"code": 200, "body": 5}]}]
)
def test_other_json_is_no_batch(value: object) -> None:
    with pytest.raises(Misread):
        batch(value)


def test_the_items_of_a_query_may_be_none() -> None:
    assert ids({"work_items": [{"id": 3}, {"id": 1}]}) == [3, 1]
    assert ids({"work_items": None}) == []
    with pytest.raises(Misread, match=r"^at work_items: expected a list$"):
        ids({"work_items": {}})


@pytest.mark.parametrize(
    "tree", [None, {}, {"name": 5}, {"name": "x", "children": [{"name": None}]}, {"children": []}]
)
def test_other_json_is_no_tree_of_iterations(tree: object) -> None:
    with pytest.raises(Misread):
        read_tree(tree)
