"""Tests of the people whom a plugin names: assignees, and authors of changes of state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Capability, Change
from unlatch.testing.actions import apply, comment_text, offered, require
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
            assert not closed.own, "a change of state by another person is not `own`"
