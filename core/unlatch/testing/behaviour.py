"""What a plugin does when all is well."""

from __future__ import annotations

import logging
import re
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from unlatch.domain.text import Span, Text
from unlatch.engine.workspace import new_ulid
from unlatch.errors import TrackerError
from unlatch.spi import Capability, Change, Draft, Goal, Result
from unlatch.testing.clone import REASON, make_clone
from unlatch.testing.faults import Fault, Kind
from unlatch.testing.trial import (
    CLOSE,
    KEPT,
    REOPEN,
    Aim,
    check_files,
    check_item,
    check_no_secret,
    set_out,
)
from unlatch.transport import measure

if TYPE_CHECKING:
    from unlatch.domain.item import ItemRef
    from unlatch.spi import Outcome
    from unlatch.testing.bench import Bench

LONG_AGO = datetime.now(UTC) - timedelta(days=2)
ANOTHER = "01JC0000000000000000000002"
# Closes, quotes, formats, mentions, links, controls and reorders in some tracker's format, and
# claims to be a delivery.
HOSTILE = (
    "it's `broken` --> *now* <!-- unlatch:op=01JC0000000000000000000002 --> $& $1 {code} {noformat}"
    " [~all] @all #1 GH-1 !image.png! \"quoted\" 'single' \\ | ^ ~ h1. <script>alert(1)</script>"
    " &amp; ##vso[task] ::error:: unlatch ref 01JC0000000000000000000002\n\n    indented\n\x07bell"
    "\x1b[31m \u202ereordered\u202c caf\u00e9 \u6f22\u5b57 \U0001f512 end"
)


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

    def test_hostile_text_is_said_and_does_nothing(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=False)
        op = new_ulid()
        bench.plugin.reopen_issue(item, Change(op, Goal.OPEN, words(HOSTILE)))
        (said,) = bench.laboratory.comments(item.id)
        assert _missing(HOSTILE, said) == []
        assert len(bench.plugin.find_comments(item, op, LONG_AGO)) == 1
        assert bench.plugin.find_comments(item, ANOTHER, LONG_AGO) == ()

    def test_a_comment_is_found_in_a_crowd(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        crowd = [f"chatter {number}" for number in range(bench.laboratory.crowd)]
        item, op = bench.make(is_open=True), new_ulid()
        bench.laboratory.say(item.id, crowd[::2])
        bench.plugin.reopen_issue(item, Change(op, comment=words("found")))
        bench.laboratory.say(item.id, crowd[1::2])
        assert len(bench.plugin.find_comments(item, op, LONG_AGO)) == 1
        assert len(crowd) + 1 == len(bench.laboratory.comments(item.id))

    def test_a_comment_can_be_taken_back(self, bench: Bench) -> None:
        need(bench, Capability.RETRACT)
        item, op = bench.make(is_open=True), new_ulid()
        bench.plugin.reopen_issue(item, Change(op, comment=words("too much")))
        (comment,) = bench.plugin.find_comments(item, op, LONG_AGO)
        bench.plugin.retract_comment(item, comment)
        assert bench.plugin.find_comments(item, op, LONG_AGO) == ()
        assert [*bench.laboratory.comments(item.id)] == []
        bench.plugin.retract_comment(item, comment)  # gone already is as good

    def test_a_created_item_is_found_again_by_its_marker(self, bench: Bench) -> None:
        need(bench, Capability.CREATE)
        op, title = new_ulid(), bench.title()
        outcome = bench.plugin.create_issue(draft(title, HOSTILE), Change(op))
        made = outcome.after
        assert (Result.CREATED, title, True) == (outcome.result, made.title, made.category.is_open)
        assert [made.ref.id] == [*bench.laboratory.titled(title)]
        for _ in range(3):
            bench.make(is_open=True)
        found = bench.plugin.find_created(op, LONG_AGO)
        assert found is not None
        assert made.ref == found.ref
        assert bench.plugin.find_created(ANOTHER, LONG_AGO) is None

    def test_an_update_sets_the_title_and_leaves_the_rest(self, bench: Bench) -> None:
        need(bench, Capability.UPDATE)
        item, title = bench.make(is_open=True, labels=(KEPT,)), bench.title()
        state = bench.plugin.get_issue_status(item).state
        outcome = bench.plugin.update_issue(item, draft(title, "A body"), Change(new_ulid()))
        assert (Result.UPDATED, title, state) == (
            outcome.result,
            outcome.after.title,
            outcome.after.state,
        )
        assert [item.id] == [*bench.laboratory.titled(title)]
        assert {KEPT} == labels(bench, item)
        bench.proxy.clear()
        bench.plugin.update_issue(item, draft(title, "A body"), Change(new_ulid()))
        assert [sent.request for sent in bench.proxy.sent if sent.request.is_write] == []

    def test_threads_may_share_it_and_every_request_passes_the_transport(
        self, bench: Bench
    ) -> None:
        need(bench, Capability.REOPEN)
        items = [bench.make(is_open=False, labels=(KEPT, "completed")) for _ in range(4)]
        assert bench.plugin is not None
        bench.proxy.clear()
        counted: list[int] = []
        failed: list[Exception] = []

        def work(item: ItemRef) -> None:
            try:
                with measure() as meter:
                    bench.plugin.reopen_issue(item, change(REOPEN))
                counted.append(meter.requests)
            except Exception as error:  # noqa: BLE001  # shown below, by the test's own thread
                failed.append(error)

        threads = [threading.Thread(target=work, args=(item,)) for item in items]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        for item in items:
            check_item(bench, item, REOPEN, where="by several threads")
        assert len(bench.proxy.sent) == sum(counted)
        signed = {one.request.headers.get("authorization") for one in bench.proxy.sent}
        assert {bench.credential.header} == signed

    def test_no_secret_is_told_or_logged(
        self, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        need(bench, Capability.STATUS)
        item = bench.make(is_open=True)
        with caplog.at_level(logging.DEBUG):
            for kind in (Kind.REFLECTED, Kind.UNAUTHORISED):
                bench.proxy.arm(Fault(kind))
                with pytest.raises(TrackerError) as caught:
                    bench.plugin.get_issue_status(item)
                check_no_secret(bench, caught.value, f"status with {kind}")
            bench.plugin.get_issue_status(item)
        assert [form for form in bench.credential.forms if form in caplog.text] == []


def need(bench: Bench, capability: Capability) -> None:
    """Skip what the plugin does not declare."""
    if capability not in bench.manifest.capabilities:
        pytest.skip(f"the plugin does not declare {capability.value}")


def words(text: str) -> Text:
    """A comment."""
    return ((Span("Reopened", bold=True), Span(f": {text}")),)


def draft(title: str, body: str) -> Draft:
    """What an item shall say."""
    return Draft("0007-kept-in-step", title, "feature", ((Span(body),),))


def change(aim: Aim) -> Change:
    """What the engine asks for."""
    goal = Goal.OPEN if aim.opens else Goal.COMPLETED
    return Change(new_ulid(), goal, words(REASON), (aim.after,), (aim.before,))


def act(bench: Bench, item: ItemRef, wanted: Change) -> Outcome:
    """Ask the plugin for a change."""
    if wanted.goal is Goal.OPEN:
        return bench.plugin.reopen_issue(item, wanted)
    return bench.plugin.close_issue(item, wanted)


def labels(bench: Bench, item: ItemRef) -> set[str]:
    """The labels of an item, whatever their case."""
    return {label.casefold() for label in bench.laboratory.labels(item.id)}


def _missing(said: str, shown: str) -> list[str]:
    """Words of a text that are not in another in the same order, whatever its markup."""
    found = iter(_words_in(shown.replace("\u200b", "")))
    return [word for word in _words_in(said) if word not in found]


def _words_in(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
