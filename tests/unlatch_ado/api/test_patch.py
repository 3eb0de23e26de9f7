from __future__ import annotations

import pytest
from tests.unlatch_ado.making import MARKER, OP, words

from unlatch.spi import Change
from unlatch_ado.api.patch import Patch, Step, changed_tags, comment_of, read_tags


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


def test_guards_everything_by_the_revision() -> None:
    patch = Patch(4, (("System.State", "Active"),), (("a",), ("b",)), "<p>x</p>")
    assert patch.steps() == (
        Step("test", "/rev", 4),
        Step("add", "/fields/System.State", "Active"),
        Step("replace", "/fields/System.Tags", "b"),
        Step("add", "/fields/System.History", "<p>x</p>"),
    )


def test_sends_no_tags_that_stay_as_they_are() -> None:
    assert Patch(4, tags=(("a",), ("a",)), comment="x").steps() == (
        Step("test", "/rev", 4),
        Step("add", "/fields/System.History", "x"),
    )


def test_takes_the_last_tag_away_with_an_empty_value() -> None:
    assert Patch(4, tags=(("a",), ())).steps()[1] == Step("replace", "/fields/System.Tags", "")


def test_is_empty_when_there_is_nothing_to_do() -> None:
    assert Patch(4, tags=(("a",), ("a",))).is_empty
    assert not Patch(4, comment="x").is_empty


def test_still_removes_tags_where_none_may_be_made() -> None:
    patch = Patch(4, tags=(("a", "completed"), ("a", "reopened")))
    assert patch.without_new_tags() == Patch(4, tags=(("a", "completed"), ("a",)))


def test_the_marker_is_the_last_paragraph_of_a_comment() -> None:
    change = Change(OP, comment=words("Why <b>"))
    assert comment_of(change) == f"<p>Why &lt;b&gt;</p>{MARKER}"


def test_without_a_comment_there_is_no_marker() -> None:
    assert comment_of(Change(OP)) is None
