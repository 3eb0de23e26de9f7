"""Tests of the facts that decide which of two comments of one operation stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Capability, Change
from unlatch.testing.actions import (
    LONG,
    apply,
    comment_text,
    missing_words,
    offered,
    only_comment,
    require,
    words_in,
)
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from unlatch.spi import CommentRef, ItemRef
    from unlatch.testing.fixture import Fixture


class Comments:
    """Texts, edits, authors and visibility of the comments with markers."""

    def test_a_comment_is_found_as_it_was_posted(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op, text = fixture.make(is_open=True), new_ulid(), f"done {LONG}"
        apply(fixture, item, Change(op, comment=comment_text(text)))
        found = _only_found(fixture, item, op)
        assert missing_words(text, found.text) == [], "`CommentRef.text` is the whole text"
        assert not found.touched, "a comment that nobody edited or answered is not `touched`"
        assert found.visibility == "", "a comment that everybody sees has no `visibility`"

    def test_an_edited_comment_is_shown_as_it_is_now(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("before")))
        offered(
            lambda: fixture.harness.edit_comments(item.id, "before", "afterwards"),
            "the harness edits no comment",
        )
        found = _only_found(fixture, item, op)
        shown = {"`CommentRef.text` is": found.text}
        if fixture.can(Capability.HISTORY):
            comments = fixture.plugin.read_history(item).comments
            assert len(comments) == 1, "the history has the one comment with a marker"
            shown["the history shows"] = comments[0].text
            edited = comments[0].edited
            assert edited is not False, "a comment that was edited is `edited`, or None"
            assert found.touched or not edited, "a comment that was edited is `touched`"
        for where, text in shown.items():
            words = words_in(text)
            now = "afterwards" in words and "before" not in words
            assert now, f"{where} the present text of a comment"

    def test_a_comment_of_another_member_counts_and_is_not_own(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        offered(
            lambda: fixture.harness.add_comment_of_a_member(item.id, ours),
            "the harness has no other member",
        )
        found = {"`find_comments`": [one.own for one in fixture.plugin.find_comments(item, op)]}
        if fixture.can(Capability.HISTORY):
            comments = fixture.plugin.read_history(item).comments
            found["the history"] = [one.own for one in comments]
        for where, own in found.items():
            assert own in ([True, False], [True, None], [None, False], [None, None]), (
                f"{where}: a comment of another member counts, and is not `own`"
            )

    def test_a_comment_that_few_may_see_has_a_visibility(self, fixture: Fixture) -> None:
        require(fixture, Capability.RETRACT)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        offered(
            lambda: fixture.harness.add_restricted_comment(item.id, ours),
            "the harness restricts no comment",
        )
        everybody = [one.visibility == "" for one in fixture.plugin.find_comments(item, op)]
        assert everybody == [True, False], "a comment that few may see has a `visibility`"


def _only_found(fixture: Fixture, item: ItemRef, op: str) -> CommentRef:
    found = fixture.plugin.find_comments(item, op)
    assert len(found) == 1, "a comment is found by its marker"
    return found[0]
