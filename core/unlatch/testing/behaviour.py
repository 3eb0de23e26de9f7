"""What a plugin does when all is well: items, read and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from unlatch.engine.workspace import new_ulid
from unlatch.spi import Capability, Change, Goal, Result
from unlatch.testing.asking import act, change, labels, need, words
from unlatch.testing.clone import make_clone
from unlatch.testing.trial import CLOSE, KEPT, REOPEN, Aim, check_files, check_item, set_out

if TYPE_CHECKING:
    from unlatch.testing.bench import Bench


class Behaviour:
    """Items, read and changed, with nothing in the way."""

    def test_the_manifest_is_found_and_says_what_is_true(self, bench: Bench) -> None:
        manifest = bench.manifest
        assert bench.laboratory.tracker == manifest.name
        assert isinstance(bench.plugin.find_comments, object)
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

    def test_status_says_what_is_there(self, bench: Bench) -> None:
        need(bench, Capability.STATUS)
        for is_open in (True, False):
            title = bench.title()
            made = bench.laboratory.make(title, is_open=is_open, labels=(KEPT,))
            seen = bench.plugin.get_issue_status(bench.ref(made))
            assert bench.ref(made) == seen.ref
            assert (title, is_open, [KEPT]) == (seen.title, seen.category.is_open, [*seen.labels])
            assert not seen.deliberate

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_an_operation_does_what_it_says(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        clone, item = set_out(bench, aim)
        (delivery,) = clone.reopen() if aim.opens else clone.close()
        assert delivery.error is None
        check_item(bench, item, aim, where="with nothing in the way")
        check_files(clone, item, aim, where="with nothing in the way")
        assert clone.sync() == []
        outcome = delivery.outcome
        assert outcome is not None
        assert outcome.before is not None
        assert (not aim.opens, aim.opens) == (
            outcome.before.category.is_open,
            outcome.after.category.is_open,
        )
        assert outcome.commented
        assert ((aim.after,), (aim.before,)) == (outcome.labels_added, outcome.labels_removed)

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_an_item_that_is_there_already_is_told_so(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        item = bench.make(is_open=aim.opens, labels=(KEPT, aim.before))
        state = bench.plugin.get_issue_status(item).state
        outcome = act(bench, item, change(aim))
        assert (Result.ALREADY_OPEN if aim.opens else Result.ALREADY_CLOSED) == outcome.result
        assert state == bench.plugin.get_issue_status(item).state
        assert {KEPT, aim.after} == labels(bench, item)
        assert len(bench.laboratory.comments(item.id)) == 1

    def test_abandoned_work_is_closed(self, bench: Bench) -> None:
        need(bench, Capability.CLOSE)
        item = bench.make(is_open=True)
        outcome = bench.plugin.close_issue(item, Change(new_ulid(), Goal.NOT_PLANNED))
        assert outcome.result == Result.CLOSED
        assert not bench.laboratory.is_open(item.id)

    def test_what_was_closed_on_purpose_stays_closed_unasked(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=True, labels=(KEPT, REOPEN.before))
        clone = make_clone(bench, finished=True, title=bench.title(), item=item)
        try:
            bench.laboratory.close_on_purpose(item.id)
        except NotImplementedError:
            pytest.skip("the tracker knows no such thing")
        assert bench.plugin.get_issue_status(item).deliberate
        (refused,) = clone.reopen()
        assert refused.error is not None
        assert (refused.error.id, refused.parked) == ("deliberately-closed", True)
        assert (
            [*bench.laboratory.comments(item.id)],
            bench.laboratory.is_open(item.id),
        ) == ([], False)
        (done,) = clone.sync(even_if_deliberate=True)
        assert done.error is None
        check_item(bench, item, REOPEN, where="although it was closed on purpose")

    @pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
    def test_a_comment_alone_leaves_the_state(self, bench: Bench, is_open: bool) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=is_open, labels=(KEPT,))
        state = bench.plugin.get_issue_status(item).state
        outcome = bench.plugin.reopen_issue(item, Change(new_ulid(), comment=words("so be it")))
        assert (Result.STATE_KEPT, state) == (outcome.result, outcome.after.state)
        assert state == bench.plugin.get_issue_status(item).state
        assert {KEPT} == labels(bench, item)
        assert len(bench.laboratory.comments(item.id)) == 1

    def test_where_nothing_is_to_be_done_nothing_is_written(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=True, labels=(KEPT, "reopened"))
        nothing = Change(new_ulid(), Goal.OPEN, None, ("reopened",), ("completed",))
        bench.proxy.clear()
        outcome = bench.plugin.reopen_issue(item, nothing)
        assert (outcome.result, outcome.commented) == (Result.ALREADY_OPEN, False)
        assert [sent.request for sent in bench.proxy.sent if sent.request.is_write] == []

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_what_is_planned_is_what_is_sent(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        item = bench.make(is_open=not aim.opens, labels=(KEPT, aim.before))
        bench.make(is_open=True, labels=(aim.after,))  # the tracker knows the label
        wanted = change(aim)
        seen = bench.plugin.get_issue_status(item)
        bench.proxy.clear()
        planned = bench.plugin.plan(seen, wanted)
        asked = len(bench.proxy.sent)
        assert asked == 0
        act(bench, item, wanted)
        requests = [one.request for one in bench.proxy.sent]
        urls = [f"{bench.proxy.origin}{one.target.partition('?')[0]}" for one in requests]
        assert [(one.method, unquote(one.url)) for one in planned] == [
            (one.method, unquote(url)) for one, url in zip(requests, urls, strict=True)
        ]
