"""The traces of a plugin: text, markers, requests, and nothing of its secret."""

from __future__ import annotations

import logging
import re
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import TrackerError
from unlatch.project.workspace import new_ulid
from unlatch.spi import Capability, Change, Goal
from unlatch.testing.aim import KEPT, REOPEN
from unlatch.testing.asking import act, change, draft, need, state, words, writes
from unlatch.testing.checks import check_item, check_labels, check_no_secret
from unlatch.testing.faults import Fault, Kind
from unlatch.transport import measure

if TYPE_CHECKING:
    from unlatch.spi.item import ItemRef
    from unlatch.testing.bench import Bench

# The time of an intent, by clocks that are wrong.
LONG_AGO = datetime.now(UTC) - timedelta(days=2)
FAR_AHEAD = datetime.now(UTC) + timedelta(days=30_000)
ANOTHER = "01JC0000000000000000000002"
# Closes, quotes, formats, mentions, links, controls and reorders in some tracker's format, and
# claims to be a delivery.
HOSTILE = (
    "it's `broken` --> *now* <!-- unlatch:op=01JC0000000000000000000002 --> $& $1 {code} {noformat}"
    " [~all] @all #1 GH-1 !image.png! \"quoted\" 'single' \\ | ^ ~ h1. <script>alert(1)</script>"
    " &amp; ##vso[task] ::error:: unlatch ref 01JC0000000000000000000002\n\n    indented\n\x07bell"
    "\x1b[31m \u202ereordered\u202c caf\u00e9 \u6f22\u5b57 \U0001f512 end"
)


class Traces:
    """Text and markers on items, requests, errors and logs."""

    def test_hostile_text_is_posted_and_does_nothing(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        item = bench.make(is_open=False)
        op = new_ulid()
        act(bench, item, Change(op, Goal.OPEN, words(HOSTILE)))
        (said,) = bench.laboratory.comments(item.id)
        assert _missing(HOSTILE, said) == []
        assert len(bench.plugin.find_comments(item, op)) == 1
        assert bench.plugin.find_comments(item, ANOTHER) == ()

    def test_a_comment_is_found_in_a_crowd(self, bench: Bench) -> None:
        need(bench, Capability.REOPEN)
        crowd = [f"chatter {number}" for number in range(bench.laboratory.crowd)]
        item, op = bench.make(is_open=True), new_ulid()
        bench.laboratory.say(item.id, crowd[::2])
        act(bench, item, Change(op, comment=words("found")))
        bench.laboratory.say(item.id, crowd[1::2])
        assert len(bench.plugin.find_comments(item, op)) == 1
        assert bench.plugin.find_ops(item) in ((op,), ())
        assert len(crowd) + 1 == len(bench.laboratory.comments(item.id))

    def test_a_comment_can_be_taken_back(self, bench: Bench) -> None:
        need(bench, Capability.RETRACT)
        item, op = bench.make(is_open=True), new_ulid()
        act(bench, item, Change(op, comment=words("too much")))
        (comment,) = bench.plugin.find_comments(item, op)
        bench.plugin.retract_comment(item, comment)
        assert bench.plugin.find_comments(item, op) == ()
        assert [*bench.laboratory.comments(item.id)] == []
        bench.plugin.retract_comment(item, comment)  # one that is gone is success

    def test_a_created_item_is_found_again_by_its_marker(self, bench: Bench) -> None:
        need(bench, Capability.CREATE)
        op, title = new_ulid(), bench.title()
        made = bench.plugin.create(Change(op, draft=draft(title, HOSTILE))).after
        assert (title, True) == (made.title, made.category.is_open)
        assert [made.ref.id] == [*bench.laboratory.titled(title)]
        for _ in range(3):
            bench.make(is_open=True)
        for since in (LONG_AGO, FAR_AHEAD):
            found = bench.plugin.find_created(op, since)
            assert found is not None
            assert made.ref == found.ref
        assert bench.plugin.find_created(ANOTHER, LONG_AGO) is None

    def test_an_update_sets_the_title_and_leaves_the_rest(self, bench: Bench) -> None:
        need(bench, Capability.UPDATE)
        item, title = bench.make(is_open=True, labels=(KEPT,)), bench.title()
        before, update = state(bench, item), Change(new_ulid(), draft=draft(title, "A body"))
        outcome = act(bench, item, update)
        assert (title, before) == (outcome.after.title, outcome.after.state)
        assert [item.id] == [*bench.laboratory.titled(title)]
        check_labels(bench, item, {KEPT}, where="after an update")
        bench.proxy.clear()
        act(bench, item, update)
        assert writes(bench) == []

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
                    act(bench, item, change(bench, REOPEN))
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

    def test_no_secret_is_shown_or_logged(
        self, bench: Bench, caplog: pytest.LogCaptureFixture
    ) -> None:
        need(bench, Capability.STATUS)
        item = bench.make(is_open=True)
        with caplog.at_level(logging.DEBUG):
            for kind in (Kind.REFLECTED, Kind.UNAUTHORISED):
                bench.proxy.arm(Fault(kind))
                with pytest.raises(TrackerError) as caught:
                    bench.plugin.read(item)
                check_no_secret(bench, caught.value, f"a read with {kind}")
            bench.plugin.read(item)
        assert [form for form in bench.credential.forms if form in caplog.text] == []


def _missing(said: str, shown: str) -> list[str]:
    """Words of a text that are not in another in the same order, whatever its markup."""
    found = iter(_words_in(shown.replace("\u200b", "")))
    return [word for word in _words_in(said) if word not in found]


def _words_in(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
