"""Tests without faults."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from unlatch.project.workspace import new_ulid
from unlatch.spi import SPI_VERSION, Capability, Change, DeliveryOptions, Goal
from unlatch.spi.operation import Result
from unlatch.testing.actions import apply, comment_text, make_change, read_state, require, writes
from unlatch.testing.checks import (
    CLOSE,
    KEPT,
    REOPEN,
    Transition,
    check_files,
    check_item,
    check_labels,
)
from unlatch.testing.clone import make_clone
from unlatch.testing.scenario import prepare

if TYPE_CHECKING:
    from unlatch.testing.fixture import Fixture


class Behaviour:
    """Items, read and changed without faults."""

    def test_the_manifest_is_found_and_says_what_is_true(self, fixture: Fixture) -> None:
        manifest = fixture.manifest
        assert (fixture.harness.tracker, SPI_VERSION) == (manifest.name, manifest.spi_version)
        problems = [manifest.label_problem(label) for label in ("reopened", "completed")]
        assert problems == [None, None]

    def test_an_address_leads_back_to_its_item(self, fixture: Fixture) -> None:
        settings = fixture.settings
        ref = fixture.make(is_open=True)
        assert fixture.manifest.name == ref.tracker
        assert ref == settings.recognise(ref.url)
        assert ref == settings.locate(ref.id, ref.url)
        assert settings.allows(ref)
        assert ref.id in settings.name(ref)
        elsewhere = urlsplit(ref.url)._replace(netloc="elsewhere.invalid").geturl()
        assert settings.recognise(elsewhere) is None

    def test_a_read_shows_the_item(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        for is_open in (True, False):
            title = fixture.title()
            labels = fixture.labels(KEPT)
            made = fixture.ref(fixture.harness.make(title, is_open=is_open, labels=labels))
            seen = fixture.plugin.read(made).item
            assert made == seen.ref
            assert (title, is_open, labels) == (seen.title, seen.category.is_open, seen.labels)
            assert not seen.deliberate
        assert writes(fixture) == []

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_an_operation_does_what_it_says(self, fixture: Fixture, transition: Transition) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        clone, item = prepare(fixture, transition)
        (delivery,) = clone.reopen() if transition.opens else clone.close()
        assert delivery.error is None
        check_item(fixture, item, transition, where="without faults")
        check_files(clone, item, transition, where="without faults")
        assert clone.sync() == []
        effect = delivery.effect
        assert effect is not None
        result = Result.REOPENED if transition.opens else Result.CLOSED
        assert (result, True) == (effect.result, effect.commented)
        assert fixture.labels(transition.after) == effect.labels_added
        assert fixture.labels(transition.before) == effect.labels_removed

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_an_item_that_is_there_already_keeps_its_state(
        self, fixture: Fixture, transition: Transition
    ) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        item = fixture.make(is_open=transition.opens, labels=(KEPT, transition.before))
        before = read_state(fixture, item)
        outcome = apply(fixture, item, make_change(fixture, transition))
        assert (before, True) == (outcome.after.state, outcome.commented)
        assert before == read_state(fixture, item)
        check_item(fixture, item, transition, where="with its state reached before")

    def test_abandoned_work_is_closed(self, fixture: Fixture) -> None:
        require(fixture, Capability.CLOSE)
        item = fixture.make(is_open=True)
        outcome = apply(fixture, item, Change(new_ulid(), Goal.NOT_PLANNED))
        assert not outcome.after.category.is_open
        assert not fixture.harness.is_open(item.id)

    def test_an_item_that_was_closed_on_purpose_stays_closed_unasked(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True, labels=(KEPT, REOPEN.before))
        clone = make_clone(fixture, finished=True, title=fixture.title(), item=item)
        try:
            fixture.harness.close_deliberately(item.id)
        except NotImplementedError:
            pytest.skip("the tracker has no such state")
        assert fixture.plugin.read(item).item.deliberate
        (refused,) = clone.reopen()
        assert refused.error is not None
        assert (refused.error.id, refused.is_blocked) == ("deliberately-closed", True)
        assert ([*fixture.harness.comments(item.id)], fixture.harness.is_open(item.id)) == (
            [],
            False,
        )
        (done,) = clone.sync(options=DeliveryOptions(even_if_not_planned=True))
        assert done.error is None
        check_item(fixture, item, REOPEN, where="although it was closed on purpose")

    @pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
    def test_a_comment_alone_leaves_the_state(self, fixture: Fixture, is_open: bool) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=is_open, labels=(KEPT,))
        before = read_state(fixture, item)
        outcome = apply(fixture, item, Change(new_ulid(), comment=comment_text("done")))
        assert (before, True) == (outcome.after.state, outcome.commented)
        assert before == read_state(fixture, item)
        check_labels(fixture, item, {KEPT}, where="after a comment")
        assert len(fixture.harness.comments(item.id)) == 1

    def test_where_nothing_is_to_be_done_nothing_is_written(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True, labels=(KEPT, "reopened"))
        add, remove = fixture.labels("reopened"), fixture.labels("completed")
        fixture.proxy.clear()
        outcome = apply(fixture, item, Change(new_ulid(), Goal.OPEN, None, add, remove))
        assert (outcome.after.category.is_open, outcome.commented) == (True, False)
        assert writes(fixture) == []
