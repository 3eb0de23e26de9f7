"""Tests of labels: those in another case, and those that the tracker does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.spi import Capability, Change, Goal
from unlatch.testing.actions import apply, comment_text, draft, require, writes
from unlatch.testing.checks import KEPT, check_labels
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import Outcome
    from unlatch.testing.fixture import Fixture


class Labels:
    """Labels or tags of an item."""

    def test_a_label_in_another_case_is_the_same_where_the_manifest_says_so(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.LABELS)
        item, match_case = (
            fixture.make(is_open=True, labels=(KEPT,)),
            fixture.manifest.labels_match_case,
        )
        fixture.proxy.clear()
        wanted = Change(new_ulid(), add_labels=(KEPT.upper(),), labels_match_case=match_case)
        outcome = apply(fixture, item, wanted)
        if match_case:
            shown = {*outcome.after.labels, *outcome.refused}
            assert KEPT.upper() in shown, "a label in another case is added (`Change.label_key`)"
        else:
            assert writes(fixture) == [], "a label in another case is the same (`Change.label_key`)"

    def test_a_label_in_another_case_is_removed_where_it_is_the_same(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.LABELS)
        item, match_case = (
            fixture.make(is_open=True, labels=(KEPT,)),
            fixture.manifest.labels_match_case,
        )
        wanted = Change(new_ulid(), remove_labels=(KEPT.upper(),), labels_match_case=match_case)
        apply(fixture, item, wanted)
        check_labels(
            fixture,
            item,
            {KEPT} if match_case else set(),
            where="the labels without one in another case (`Change.label_key`)",
        )

    def test_an_unknown_label_is_added_or_refused_with_a_change(self, fixture: Fixture) -> None:
        require(fixture, Capability.LABELS)
        require(fixture, Capability.REOPEN)
        item, label = fixture.make(is_open=False, labels=(KEPT,)), _unknown()
        wanted = Change(
            new_ulid(),
            Goal.OPEN,
            comment_text("done"),
            (label,),
            labels_match_case=fixture.manifest.labels_match_case,
        )
        outcome = _added_or_refused(fixture, label, lambda: apply(fixture, item, wanted))
        shown = outcome.after.category.is_open, outcome.commented
        assert shown == (True, True), "a refused label keeps no other part from being done"

    def test_an_unknown_label_is_added_or_refused_with_a_create(self, fixture: Fixture) -> None:
        require(fixture, Capability.LABELS)
        require(fixture, Capability.CREATE)
        label = _unknown()
        wanted = Change(
            new_ulid(),
            add_labels=(label,),
            draft=draft(fixture.title(), "A body"),
            labels_match_case=fixture.manifest.labels_match_case,
        )
        _added_or_refused(fixture, label, lambda: fixture.plugin.create(wanted))


def _unknown() -> str:
    """A label that no tracker knows, in both cases."""
    return f"Unlatch-{new_ulid()}"


def _added_or_refused(fixture: Fixture, label: str, act: Callable[[], Outcome]) -> Outcome:
    try:
        outcome = act()
    except TrackerError as error:
        raise AssertionError(
            f"a label that is refused for good ends no write: {error!r}"
        ) from error
    after = outcome.after
    shown = [one for one in (*after.labels, *outcome.refused) if one == label]
    assert [label] == shown, "a label is added as it is, or `Outcome.refused` lists it"
    is_there = label in fixture.harness.labels(after.ref.id)
    assert (label in after.labels) == is_there, "the outcome shows the labels of the item"
    return outcome
