"""Tests of the people whom a plugin names: assignees, authors, and who edited a comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Capability, Change
from unlatch.testing.actions import apply, comment_text, offered, only_comment, require, words_in
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from unlatch.testing.fixture import Fixture


class People:
    """What other people did, and who they are."""

    def test_the_assignee_is_named(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        item = fixture.make(is_open=True)
        name = offered(lambda: fixture.harness.assign(item.id), "the harness assigns no item")
        assert name == fixture.plugin.read(item).item.assignee, "a read names the assignee"

    def test_a_person_who_closed_an_item_is_named(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True)
        name = offered(
            lambda: fixture.harness.close_as_a_person(item.id), "the harness has no other person"
        )
        seen = fixture.plugin.read(item).item
        assert seen.closed_by is None, "no automation closed an item that a person closed"
        shown = seen.changed_by or fixture.plugin.find_author(item)
        assert name == shown, "who closed an item is its `changed_by`, or found by `find_author`"
        apply(fixture, item, Change(new_ulid(), comment=comment_text("seen")))
        author = fixture.plugin.find_author(item)
        assert author in (name, None), "a comment does not change the author of the state"
        if fixture.can(Capability.HISTORY):
            closed = fixture.plugin.read_history(item).changes[-1]
            assert closed.by in (name, None), "the history names the author of a change of state"

    def test_a_comment_of_another_member_counts_and_is_not_own(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        offered(
            lambda: fixture.harness.add_comment_of_a_member(item.id, ours),
            "the harness has no other member",
        )
        found = [one.own for one in fixture.plugin.find_comments(item, op)]
        assert found in ([True, False], [True, None], [None, False], [None, None]), (
            "a comment of another member counts, and is not `own`"
        )

    def test_an_edited_comment_is_shown_as_it_is_now(self, fixture: Fixture) -> None:
        require(fixture, Capability.HISTORY)
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True)
        apply(fixture, item, Change(new_ulid(), comment=comment_text("before")))
        offered(
            lambda: fixture.harness.edit_comments(item.id, "before", "afterwards"),
            "the harness edits no comment",
        )
        comments = fixture.plugin.read_history(item).comments
        assert len(comments) == 1, "the history has the one comment with a marker"
        words = words_in(comments[0].text)
        assert "afterwards" in words, "the history shows the present text of a comment"
        assert "before" not in words, "the history shows the present text of a comment"
        assert comments[0].edited is not False, "a comment that was edited is `edited`, or None"
