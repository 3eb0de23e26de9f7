"""Answers with missing fields or values of another type, and rich text."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_jira.making import unescaped

from unlatch.errors import Rejected
from unlatch.spi.text import Span, Text
from unlatch_jira.api.comments import Comment, CommentPage, Person
from unlatch_jira.api.json_model import parse
from unlatch_jira.api.list_models import ChangelogAnswer, IssueList
from unlatch_jira.api.models import read_issue
from unlatch_jira.api.rich_text import format_of, plain, wiki, wrap_section
from unlatch_jira.api.site_models import FieldInfo, Permissions, Preview, Sprints, TypeStatuses
from unlatch_jira.api.workflow_models import Status, TransitionsAnswer
from unlatch_jira.settings import JiraSettings

SETTINGS = JiraSettings(site="https://acme.atlassian.net", project="SCRUM")
DONE = {"name": "Done", "id": 3, "statusCategory": {"key": "done"}}
COMMENT = {"id": 5, "created": "2024-01-01T00:00:00.000+0000", "author": {"displayName": "Ann"}}
MOVE = {
    "id": 11,
    "name": "Reopen",
    "to": {"name": "To Do"},
    "fields": {
        "resolution": {
            "name": "Resolution",
            "required": True,
            "schema": {"type": "resolution"},
            "allowedValues": [{"id": 1, "name": "Fixed"}, "another", {"id": {"unknown": 1}}],
        }
    },
}
ISSUE = {
    "id": 10001,
    "key": "SCRUM-1",
    "fields": {
        "summary": "Title",
        "status": DONE,
        "labels": ["a", 2024],
        "assignee": {"displayName": "Ann", "active": False},
        "parent": {"key": "SCRUM-2", "fields": {"status": DONE}},
        "project": {"id": 7},
        "comment": {"comments": [COMMENT], "total": 1},
        "customfield_1": [4],
    },
    "transitions": [MOVE],
}


def changed(place: str, value: object) -> Any:
    """The issue with another value at a place."""
    answer: Any = copy.deepcopy(ISSUE)
    *way, last = (int(part) if part.isdecimal() else part for part in place.split("."))
    here = answer
    for step in way:
        here = here[step]
    here[last] = value
    return answer


def refusal(model: Callable[[Any], object], raw: object) -> str:
    with pytest.raises(Rejected) as caught:
        parse(model, raw)
    assert caught.value.id == "answer-not-understood"
    return caught.value.message.removeprefix("Jira's answer is not as documented, at ")


def read(raw: object) -> Any:
    return read_issue(raw, SETTINGS)


@pytest.mark.parametrize(("fields", "is_kept"), [(None, False), ({}, True)])
def test_transitions_without_their_screens_are_requested_again(
    fields: object, *, is_kept: bool
) -> None:
    issue = read(changed("transitions.0.fields", fields)).without_doubtful_moves()
    assert (issue.answer.transitions is not None) == is_kept


@pytest.mark.parametrize(
    "place",
    [
        *("transitions", "transitions.0.isAvailable", "properties"),
        *(f"transitions.0.fields.resolution.{name}" for name in ("schema", "allowedValues")),
        *(f"fields.{name}" for name in ("labels", "assignee", "parent", "project", "comment")),
        *("fields.status.statusCategory", "fields.status.statusCategory.key"),
        *("fields.comment.comments", "fields.comment.total", "fields.comment.comments.0.author"),
        "fields.parent.fields",
    ],
)
def test_a_field_may_be_null(place: str) -> None:
    assert read(changed(place, None)).key == "SCRUM-1"


@pytest.mark.parametrize(
    "place",
    [
        *("id", "key", "fields", "fields.summary", "fields.status", "fields.status.name"),
        *("fields.parent.key", "fields.project.id"),
        *("fields.comment.comments.0.id", "fields.comment.comments.0.created"),
        *(f"transitions.0.{name}" for name in ("id", "name", "to", "to.name")),
    ],
)
def test_a_field_that_is_missing_is_named(place: str) -> None:
    assert refusal(read, changed(place, None)) == f"{place}: is missing"


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("fields", [], "an object"),
        ("fields.summary", True, "a string"),
        ("fields.labels", "a", "a list"),
        ("fields.labels.0", ["a"], "a string"),
        ("fields.assignee.active", "no", "true or false"),
        ("fields.comment.total", "many", "a whole number"),
        ("fields.parent.fields", [], "an object"),
        ("fields.parent.fields.status", "Done", "an object"),
        ("fields.status.statusCategory.key", {}, "a string"),
        ("transitions", {}, "a list"),
        ("transitions.0.fields", [], "an object"),
        ("transitions.0.fields.resolution", "x", "an object"),
        ("transitions.0.fields.resolution.required", "x", "true or false"),
        ("transitions.0.fields.resolution.schema.type", [], "a string"),
        ("transitions.0.fields.resolution.allowedValues", {}, "a list"),
        ("properties", [], "an object"),
    ],
)
def test_a_value_of_another_type_is_named(place: str, value: object, expected: str) -> None:
    assert refusal(read, changed(place, value)) == f"{place}: expected {expected}"


MODELS = (
    *(ChangelogAnswer, Comment, CommentPage, FieldInfo, IssueList, Permissions, Person),
    *(Preview, Sprints, Status, TransitionsAnswer, TypeStatuses),
)


@pytest.mark.parametrize("model", [*MODELS, read])
def test_other_json_is_no_answer(model: Callable[[Any], object]) -> None:
    others: tuple[object, ...] = (None, [], "text", 5)
    refusals = {refusal(model, raw) for raw in others}
    assert refusals == {"its top: expected an object"}


ID = "0007-smart-discipline"
BODY: Text = ((Span("First"),), (Span("Second"),))
HOSTILE = "{panel} *bold* [~all] h1. --> $& \"' <b> @all\nsecond line\\"


def words(text: Text) -> list[str]:
    return ["".join(span.text for span in block) for block in text if isinstance(block, tuple)]


@pytest.mark.parametrize("version", [2, 3])
def test_a_section_is_kept_apart_from_what_people_and_other_increments_wrote(version: int) -> None:
    form = format_of(version)
    mine = form.render(((Span("Mine"),),))
    found = plain(form.with_kept(mine, BODY, ID))
    assert found.startswith("Mine")
    assert found.index("Mine") < found.index("First") < found.index("Second")

    once = form.with_kept(mine, BODY, ID)
    assert form.with_kept(once, BODY, ID) == once

    both = form.with_kept(form.with_kept(None, BODY, ID), ((Span("Else"),),), "0008-other")
    found = plain(form.with_kept(both, ((Span("New"),),), ID))
    assert ("New" in found, "First" in found, "Else" in found) == (True, False, True)

    fake = words(wrap_section((), ID))[-1]
    first = form.with_kept(None, ((Span(f"a\n{fake}\nb"),), (Span(fake),), (Span("tail"),)), ID)
    second = form.with_kept(first, BODY, ID)
    assert second == form.with_kept(None, BODY, ID)

    found = plain(format_of(version).render(((Span(HOSTILE),),)))
    assert (found if version == 3 else unescaped(found)) == HOSTILE


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("lost", ["from here", "up to here"])
def test_text_beside_half_a_section_is_not_taken_for_ours(version: int, lost: str) -> None:
    form = format_of(version)
    whole = wrap_section(BODY, ID)
    half = tuple(block for block, said in zip(whole, words(whole), strict=True) if lost not in said)
    torn = form.render((*half, (Span("Mine"),)))
    for _ in range(2):
        torn = form.with_kept(torn, ((Span("New"),),), ID)
    found = plain(torn)
    assert ("Mine" in found, found.count("New")) == (True, 1)


def _paragraph(*texts: str) -> dict[str, Any]:
    return {"type": "paragraph", "content": [{"type": "text", "text": text} for text in texts]}


@given(st.text(), st.text())
def test_whatever_people_write_around_the_section_stays(before: str, after: str) -> None:
    old = f"{before}\n{wiki(wrap_section(((Span('Old'),),), ID))}\n{after}"
    assert (
        format_of(2).with_kept(old, BODY, ID)
        == f"{before}\n{wiki(wrap_section(BODY, ID))}\n{after}"
    )
