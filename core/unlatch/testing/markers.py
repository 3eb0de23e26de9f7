"""Tests of text, markers, requests and secrets."""

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
from unlatch.testing.actions import (
    apply,
    comment_text,
    draft,
    make_change,
    read_state,
    require,
    writes,
)
from unlatch.testing.checks import KEPT, REOPEN, check_item, check_labels, check_no_secret
from unlatch.testing.faults import Fault, FaultKind
from unlatch.transport import measure

if TYPE_CHECKING:
    from unlatch.spi.item import ItemRef
    from unlatch.testing.fixture import Fixture

# Times of an intent, by wrong clocks.
LONG_AGO = datetime.now(UTC) - timedelta(days=2)
FAR_AHEAD = datetime.now(UTC) + timedelta(days=30_000)
ANOTHER = "01JC0000000000000000000002"
# Markup, mentions, links, control characters and a false marker, in the formats of all trackers.
HOSTILE = (
    "it's `broken` --> *now* <!-- unlatch:op=01JC0000000000000000000002 --> $& $1 {code} {noformat}"
    " [~all] @all #1 GH-1 !image.png! \"quoted\" 'single' \\ | ^ ~ h1. <script>alert(1)</script>"
    " &amp; ##vso[task] ::error:: unlatch ref 01JC0000000000000000000002\n\n    indented\n\x07bell"
    "\x1b[31m \u202ereordered\u202c caf\u00e9 \u6f22\u5b57 \U0001f512 end"
)


class Markers:
    """Text and markers on items, requests, errors and logs."""

    def test_hostile_text_is_posted_and_does_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=False)
        op = new_ulid()
        apply(fixture, item, Change(op, Goal.OPEN, comment_text(HOSTILE)))
        (said,) = fixture.harness.comments(item.id)
        assert _missing(HOSTILE, said) == []
        assert len(fixture.plugin.find_comments(item, op)) == 1
        assert fixture.plugin.find_comments(item, ANOTHER) == ()

    def test_a_comment_is_found_in_a_crowd(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        crowd = [f"chatter {number}" for number in range(fixture.harness.many_comments)]
        item, op = fixture.make(is_open=True), new_ulid()
        fixture.harness.add_comments(item.id, crowd[::2])
        apply(fixture, item, Change(op, comment=comment_text("found")))
        fixture.harness.add_comments(item.id, crowd[1::2])
        assert len(fixture.plugin.find_comments(item, op)) == 1
        assert fixture.plugin.find_ops(item) in ((op,), ())
        assert len(crowd) + 1 == len(fixture.harness.comments(item.id))

    def test_a_comment_can_be_taken_back(self, fixture: Fixture) -> None:
        require(fixture, Capability.RETRACT)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("too much")))
        (comment,) = fixture.plugin.find_comments(item, op)
        fixture.plugin.retract_comment(item, comment)
        assert fixture.plugin.find_comments(item, op) == ()
        assert [*fixture.harness.comments(item.id)] == []
        fixture.plugin.retract_comment(item, comment)  # one that is gone is success

    def test_a_created_item_is_found_again_by_its_marker(self, fixture: Fixture) -> None:
        require(fixture, Capability.CREATE)
        op, title = new_ulid(), fixture.title()
        made = fixture.plugin.create(Change(op, draft=draft(title, HOSTILE))).after
        assert (title, True) == (made.title, made.category.is_open)
        assert [made.ref.id] == [*fixture.harness.find_by_title(title)]
        for _ in range(3):
            fixture.make(is_open=True)
        for since in (LONG_AGO, FAR_AHEAD):
            found = fixture.plugin.find_created(op, since)
            assert found is not None
            assert made.ref == found.ref
        assert fixture.plugin.find_created(ANOTHER, LONG_AGO) is None

    def test_an_update_sets_the_title_and_leaves_the_rest(self, fixture: Fixture) -> None:
        require(fixture, Capability.UPDATE)
        item, title = fixture.make(is_open=True, labels=(KEPT,)), fixture.title()
        before, update = read_state(fixture, item), Change(new_ulid(), draft=draft(title, "A body"))
        outcome = apply(fixture, item, update)
        assert (title, before) == (outcome.after.title, outcome.after.state)
        assert [item.id] == [*fixture.harness.find_by_title(title)]
        check_labels(fixture, item, {KEPT}, where="after an update")
        fixture.proxy.clear()
        apply(fixture, item, update)
        assert writes(fixture) == []

    def test_threads_may_share_it_and_every_request_passes_the_transport(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.REOPEN)
        items = [fixture.make(is_open=False, labels=(KEPT, "completed")) for _ in range(4)]
        assert fixture.plugin is not None
        fixture.proxy.clear()
        counted: list[int] = []
        failed: list[Exception] = []

        def work(item: ItemRef) -> None:
            try:
                with measure() as meter:
                    apply(fixture, item, make_change(fixture, REOPEN))
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
            check_item(fixture, item, REOPEN, where="by several threads")
        assert len(fixture.proxy.sent) == sum(counted)
        signed = {one.request.headers.get("authorization") for one in fixture.proxy.sent}
        assert {fixture.credential.header} == signed

    def test_no_secret_is_shown_or_logged(
        self, fixture: Fixture, caplog: pytest.LogCaptureFixture
    ) -> None:
        require(fixture, Capability.STATUS)
        item = fixture.make(is_open=True)
        with caplog.at_level(logging.DEBUG):
            for kind in (FaultKind.REFLECTED, FaultKind.UNAUTHORISED):
                fixture.proxy.arm(Fault(kind))
                with pytest.raises(TrackerError) as caught:
                    fixture.open().read(item)  # a process: a refused token ends its requests
                check_no_secret(fixture, caught.value, f"a read with {kind}")
            fixture.plugin.read(item)
        assert [form for form in fixture.credential.forms if form in caplog.text] == []


def _missing(said: str, shown: str) -> list[str]:
    """The words of a text that another lacks, or has in another order; ignores markup."""
    found = iter(_words_in(shown.replace("\u200b", "")))
    return [word for word in _words_in(said) if word not in found]


def _words_in(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
