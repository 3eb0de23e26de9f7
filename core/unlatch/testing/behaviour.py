"""What a plugin does when all is well: items, read and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from unlatch.project.workspace import new_ulid
from unlatch.spi import SPI_VERSION, Capability, Change, DeliveryOptions, Goal
from unlatch.spi.operation import Result
from unlatch.testing.aim import CLOSE, KEPT, REOPEN, Aim
from unlatch.testing.asking import act, change, need, state, words, writes
from unlatch.testing.checks import check_files, check_item, check_labels
from unlatch.testing.clone import make_clone
from unlatch.testing.trial import set_out

if TYPE_CHECKING:
    from unlatch.testing.bench import Bench


class Behaviour:
    """Items, read and changed, with nothing in the way."""

    def test_the_manifest_is_found_and_says_what_is_true(self, bench: Bench) -> None:
        manifest = bench.manifest
        assert (bench.laboratory.tracker, SPI_VERSION) == (manifest.name, manifest.spi_version)
        problems = [manifest.label_problem(label) for label in ("reopened", "completed")]
        assert problems == [None, None]

    def test_an_address_leads_back_to_its_item(self, bench: Bench) -> None:
        settings = bench.settings
        ref = bench.make(is_open=True)
        assert bench.manifest.name == ref.tracker
        assert ref == settings.recognise(ref.url)
        assert ref == settings.locate(ref.id, ref.url)
        assert settings.allows(ref)
        assert ref.id in settings.name(ref)
        elsewhere = urlsplit(ref.url)._replace(netloc="elsewhere.invalid").geturl()
        assert settings.recognise(elsewhere) is None

    def test_a_read_shows_the_item(self, bench: Bench) -> None:
        need(bench, Capability.STATUS)
        for is_open in (True, False):
            title = bench.title()
            labels = bench.labels(KEPT)
            made = bench.ref(bench.laboratory.make(title, is_open=is_open, labels=labels))
            seen = bench.plugin.read(made).item
            assert made == seen.ref
            assert (title, is_open, labels) == (seen.title, seen.category.is_open, seen.labels)
            assert not seen.deliberate
        assert writes(bench) == []

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_an_operation_does_what_it_says(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        clone, item = set_out(bench, aim)
        (delivery,) = clone.reopen() if aim.opens else clone.close()
        assert delivery.error is None
        check_item(bench, item, aim, where="with nothing in the way")
        check_files(clone, item, aim, where="with nothing in the way")
        assert clone.sync() == []
        effect = delivery.effect
        assert effect is not None
        result = Result.REOPENED if aim.opens else Result.CLOSED
        assert (result, True) == (effect.result, effect.commented)
        assert bench.labels(aim.after) == effect.labels_added
        assert bench.labels(aim.before) == effect.labels_removed

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_an_item_that_is_there_already_keeps_its_state(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        item = bench.make(is_open=aim.opens, labels=(KEPT, aim.before))
        before = state(bench, item)
        outcome = act(bench, item, change(bench, aim))
        assert (before, True) == (outcome.after.state, outcome.commented)
        assert before == state(bench, item)
        check_item(bench, item, aim, where="with its state reached before")

    def test_abandoned_work_is_closed(self, bench: Bench) -> None:
        need(bench, Capability.CLOSE)
        item = bench.make(is_open=True)
        outcome = act(bench, item, Change(new_ulid(), Goal.NOT_PLANNED))
        assert not outcome.after.category.is_open
        assert not bench.laboratory.is_open(item.id)

    def test_an_item_that_was_closed_on_purpose_stays_closed_unasked(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=True, labels=(KEPT, REOPEN.before))
        clone = make_clone(bench, finished=True, title=bench.title(), item=item)
        try:
            bench.laboratory.close_on_purpose(item.id)
        except NotImplementedError:
            pytest.skip("the tracker has no such state")
        assert bench.plugin.read(item).item.deliberate
        (refused,) = clone.reopen()
        assert refused.error is not None
        assert (refused.error.id, refused.is_blocked) == ("deliberately-closed", True)
        assert (
            [*bench.laboratory.comments(item.id)],
            bench.laboratory.is_open(item.id),
        ) == ([], False)
        (done,) = clone.sync(options=DeliveryOptions(even_if_not_planned=True))
        assert done.error is None
        check_item(bench, item, REOPEN, where="although it was closed on purpose")

    @pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
    def test_a_comment_alone_leaves_the_state(self, bench: Bench, is_open: bool) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=is_open, labels=(KEPT,))
        before = state(bench, item)
        outcome = act(bench, item, Change(new_ulid(), comment=words("so be it")))
        assert (before, True) == (outcome.after.state, outcome.commented)
        assert before == state(bench, item)
        check_labels(bench, item, {KEPT}, where="after a comment")
        assert len(bench.laboratory.comments(item.id)) == 1

    def test_where_nothing_is_to_be_done_nothing_is_written(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=True, labels=(KEPT, "reopened"))
        add, remove = bench.labels("reopened"), bench.labels("completed")
        bench.proxy.clear()
        outcome = act(bench, item, Change(new_ulid(), Goal.OPEN, None, add, remove))
        assert (outcome.after.category.is_open, outcome.commented) == (True, False)
        assert writes(bench) == []
