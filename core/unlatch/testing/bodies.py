"""Tests of what people write, too: the body of an item, and its labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import Rejected, TrackerError
from unlatch.spi import Capability, Change, Check, Checks, Goal, Heading, Snapshot
from unlatch.testing.actions import (
    HOSTILE,
    LONG,
    apply,
    comment_text,
    draft,
    read_state,
    require,
    words_in,
    writes,
)
from unlatch.testing.clone import KEPT, check_labels, check_order
from unlatch.testing.faults import FaultKind
from unlatch.testing.scenario import FaultCase, run_update_faults
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import Draft, Outcome
    from unlatch.spi.item import ItemRef
    from unlatch.testing.harness import Fixture


UPDATE_FAULTS = (
    *(
        FaultCase(kind)
        for kind in (
            FaultKind.LOST_REPLY,
            FaultKind.TRUNCATED,
            FaultKind.DROPPED,
            FaultKind.LIMITED,
            FaultKind.UNAUTHORISED,
            FaultKind.FORBIDDEN,
            FaultKind.STALE,
            FaultKind.INTERRUPTED,
        )
    ),
    FaultCase(FaultKind.DROPPED, writes=False),
)


class Bodies:
    """Titles and bodies, set from a draft."""

    def test_a_created_item_has_the_text_and_the_labels(self, fixture: Fixture) -> None:
        require(fixture, Capability.CREATE)
        title, labels = fixture.title(), fixture.labels(KEPT, "reopened")
        text = f"The text of the draft {LONG} and its end"
        wanted = Change(new_ulid(), None, None, labels, draft=draft(title, text))
        outcome = fixture.plugin.create(wanted)
        item = outcome.after.ref
        assert fixture.settings.target == item.target, "a new item is in `Settings.target`"
        texts = "The text of the draft", "and its end"
        check_order(fixture, item, *texts, where="in the body of a new item")
        check_labels(fixture, item, {*labels}, where="the labels of a new item")
        reported = {*outcome.after.labels, *outcome.refused}
        assert {*labels} == reported, "a create reports the first labels of the item"
        if fixture.can(Capability.UPDATE):
            apply(fixture, item, Change(new_ulid(), draft=draft(title, "The text of an update")))
            left = "The text of the draft" in fixture.harness.body(item.id)
            assert not left, "an update replaces the text of a create"

    def test_an_update_sets_the_title_and_leaves_the_rest(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        item, title = fixture.make(is_open=False, labels=(KEPT,)), fixture.title()
        before, update = read_state(fixture, item), Change(new_ulid(), draft=draft(title, "A body"))
        outcome = apply(fixture, item, update)
        assert not outcome.unchanged, "an update that wrote something is not `unchanged`"
        assert [item.id] == [*fixture.harness.find_by_title(title)], "an update sets the title"
        reported = outcome.after.title, outcome.after.state
        assert (title, before) == reported, "the outcome shows the title and the state"
        check_order(fixture, item, "A body", where="in the body after an update")
        check_labels(fixture, item, {KEPT}, where="after an update")
        fixture.proxy.clear()
        outcome = apply(fixture, item, update)
        assert writes(fixture) == [], "an identical update writes nothing"
        assert outcome.unchanged, "the outcome of an identical update is `unchanged`"

    def test_a_long_title_is_cut_alike_each_time_or_refused(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        item = fixture.make(is_open=True)
        update = Change(new_ulid(), draft=draft(f"{fixture.title()} {LONG}", "A body"))
        try:
            apply(fixture, item, update)
        except Rejected:
            return
        fixture.proxy.clear()
        apply(fixture, item, update)
        assert writes(fixture) == [], "an identical update writes nothing, with a long title, too"

    def test_an_update_keeps_what_people_wrote_around_the_part(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        item, title = fixture.make(is_open=True), fixture.title()

        def update(text: str, increment: str = "0007-kept-in-step") -> None:
            wanted = replace(draft(title, text), increment=increment)
            apply(fixture, item, Change(new_ulid(), draft=wanted))

        fixture.harness.write_around_body(item.id, "Old words of people", "and more of them")
        old = ("Old words of people", "and more of them")
        update("The first text")
        check_order(fixture, item, *old, "The first text", where="after a first update")
        fixture.harness.write_around_body(item.id, "New words above  it", "New words below  it")
        around = fixture.harness.body(item.id).split("The first text")
        update("The second text")
        body = fixture.harness.body(item.id)
        assert "The first text" not in body, "an update replaces its part"
        left = body.split("The second text")
        assert around == left, "an update keeps what people wrote around its part, to the letter"
        whole = ("New words above", *old, "The second text", "New words below")
        check_order(fixture, item, *whole, where="after a second update")
        update("The text of another increment", "0008-another")
        update("The third text")
        check_order(
            fixture,
            item,
            *(*whole[:3], "The third text", "New words below", "The text of another increment"),
            where="with the part of another increment",
        )
        assert fixture.harness.is_open(item.id), "an update leaves the state"

    def test_a_mark_in_peoples_words_ends_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        item, title = fixture.make(is_open=True), fixture.title()

        def update(text: str) -> None:
            apply(fixture, item, Change(new_ulid(), draft=draft(title, text)))

        update("The text of a draft")
        marks = f"{fixture.harness.body(item.id)}\n<!-- unlatch:end -->"  # the plugin's, too
        update(f"The first words\n{marks}\n{marks.upper()}\nThe last words")
        check_order(fixture, item, "The first words", "The last words", where="in the body")
        update("The second text")
        check_order(fixture, item, "The second text", where="in the body after an update")
        body = fixture.harness.body(item.id)
        left = [words for words in ("The first words", "The last words") if words in body]
        assert left == [], (
            f"an update replaces its whole part, with marks in people's words; left: {left}"
        )

    def test_check_boxes_are_read_back_as_people_leave_them(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        lines = (
            Check("US-001: a line without a box"),
            Check(f"AC-001: {' '.join(HOSTILE.split())}", done=True, depth=1),
            Check("T-001: Draw", done=True),
            Check("T-002: Erase [x] - [ ] \N{BALLOT BOX}", done=False),
        )
        text = (Heading("Tasks"), Checks(lines))
        wanted = replace(draft(fixture.title(), "A body"), body=text)
        item = fixture.make(is_open=True)
        apply(fixture, item, Change(new_ulid(), draft=wanted))
        boxes = "- [x] A box of people", "- [ ] Another box of people"
        fixture.harness.write_around_body(item.id, *boxes)
        seen = _read_boxes(fixture, item, wanted)
        if seen is None:
            pytest.skip("the plugin reads no check boxes")
        texts = [words_in(line.text) for line in lines[1:]]
        assert texts == [words_in(text) for text in seen], (
            "`kept` has the texts of the boxes, of those in the generated part alone"
        )
        assert list(seen.values()) == [True, True, False], "`kept` shows which boxes are ticked"
        fixture.harness.tick(item.id, "T-002: Erase")
        ticked = list((_read_boxes(fixture, item, wanted) or {}).values())
        assert ticked == [True, True, True], "a box that a person ticked is read back"
        (snapshot,) = (
            fixture.plugin.read_many([item]).values()
            if fixture.can(Capability.STATUS_OF_MANY)
            else [fixture.plugin.read(item)]
        )
        assert isinstance(snapshot, Snapshot), "`read_many` reads the item"
        alone = fixture.plugin.read(item).item.kept
        assert snapshot.item.kept == alone, "`read_many` shows the check boxes as `read` does"
        other = snapshot.item.checks_of("0001-another")
        assert other is None, "`kept` has a part only for an increment that the marks name"

    def test_a_long_body_keeps_its_open_boxes_and_counts_what_it_lacks(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.UPDATE)
        lines = [
            Check(f"T-{n:03}: {LONG[:190]}", done=n % 5 != 0, spare=True) for n in range(1, 401)
        ]
        text = (Heading("Tasks"), Checks(tuple(lines)))
        wanted = replace(draft(fixture.title(), "A body"), body=text)
        item = fixture.make(is_open=True)
        apply(fixture, item, Change(new_ulid(), draft=wanted))
        body = fixture.harness.body(item.id)
        places = [body.find(line.text[:6]) for line in lines]
        lacking = [line for line, place in zip(lines, places, strict=True) if place < 0]
        assert not [line for line in lacking if not line.done], "a body has all open boxes"
        here = [place for place in places if place >= 0]
        assert here == sorted(here), "boxes are in the order of the draft"
        counted = f"and {len(lacking)} done in the increment" in body
        assert counted is bool(lacking), "a line counts the boxes that a body lacks"
        fixture.proxy.clear()
        apply(fixture, item, Change(new_ulid(), draft=wanted))
        assert writes(fixture) == [], "an identical update writes nothing, with a long body, too"

    @pytest.mark.parametrize("case", UPDATE_FAULTS, ids=str)
    def test_update_survives(
        self, fixture: Fixture, case: FaultCase, record_property: Callable[[str, object], None]
    ) -> None:
        require(fixture, Capability.UPDATE)
        scenarios = list(run_update_faults(fixture, case))
        record_property("scenarios", len(scenarios))
        assert scenarios != [] or not case.writes, "the operation sent no request"


def _read_boxes(fixture: Fixture, item: ItemRef, wanted: Draft) -> dict[str, bool | None] | None:
    """The check boxes of an item's body, as another process reads them."""
    checks = fixture.open().read(item).item.checks_of(wanted.increment)
    return None if checks is None else {check.text: check.done for check in checks}


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
            labels = {*outcome.after.labels, *outcome.refused}
            assert KEPT.upper() in labels, "a label in another case is added (`Change.label_key`)"
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
        actual = outcome.after.category.is_open, outcome.commented
        assert actual == (True, True), "a refused label keeps no other part from being done"

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
    actual = [name for name in (*after.labels, *outcome.refused) if name == label]
    assert [label] == actual, "a label is added as it is, or `Outcome.refused` lists it"
    is_there = label in fixture.harness.labels(after.ref.id)
    assert (label in after.labels) == is_there, "the outcome shows the labels of the item"
    return outcome
