"""Tests of text, markers, requests and secrets."""

from __future__ import annotations

import logging
import threading
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import Forbidden, TrackerError
from unlatch.spi import Capability, Change, Goal, ops_in, visible
from unlatch.testing.actions import (
    CONTROLS,
    FAR_AHEAD,
    HOSTILE,
    LONG_AGO,
    apply,
    check_time,
    comment_text,
    draft,
    error_of,
    facts,
    make_change,
    missing_words,
    offered,
    only_comment,
    require,
)
from unlatch.testing.clone import KEPT, REOPEN, check_item, check_no_secret
from unlatch.testing.faults import Fault, FaultKind
from unlatch.testing.harness import Fixture, Harness
from unlatch.testing.scenario import prepare
from unlatch.transport import measure
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi.item import ItemRef

# Items of other tests may be newer.
_NEWEST = 100
ANOTHER = "01JC0000000000000000000002"


class Markers:
    """Text and markers on items, requests, errors and logs."""

    def test_hostile_text_is_posted_and_does_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=False)
        op = new_ulid()
        apply(fixture, item, Change(op, Goal.OPEN, comment_text(HOSTILE)))
        said = only_comment(fixture, item)
        assert missing_words(HOSTILE, said) == [], "people's words are posted, all and in order"
        assert fixture.harness.is_open(item.id), "a command in people's words does nothing"
        comments = fixture.plugin.find_comments(item, op)
        assert len(comments) == 1, "a comment is found by its marker"
        comments = fixture.plugin.find_comments(item, ANOTHER)
        assert comments == (), "a marker in people's words is no marker"
        controls = sorted({*said} & {*CONTROLS})
        assert controls == [], f"control characters of people's words are not posted: {controls}"

    def test_a_comment_is_found_in_a_crowd(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        crowd = [f"chatter {number}" for number in range(fixture.harness.many_comments)]
        item, ops = fixture.make(is_open=True), (new_ulid(), new_ulid())
        # One is on the last page, whatever the order.
        apply(fixture, item, Change(ops[0], comment=comment_text("found")))
        fixture.harness.add_comments(item.id, crowd)
        apply(fixture, item, Change(ops[1], comment=comment_text("found")))
        for op in ops:
            comments = fixture.plugin.find_comments(item, op)
            assert len(comments) == 1, "a comment is found by its marker, however many there are"
            assert comments[0].own is not False, "a comment that the plugin posted is its own"
        actual = fixture.plugin.find_ops(item)
        assert actual in (ops, ()), "`find_ops` returns the operations oldest first, or nothing"
        if fixture.can(Capability.HISTORY):
            marked = [
                ops_in(comment.text) for comment in fixture.plugin.read_history(item).comments
            ]
            assert [{op} for op in ops] == marked, (
                "the history has each comment with a marker, however many there are"
            )
        there = len(fixture.harness.comments(item.id))
        assert len(crowd) + 2 == there, "each change posts one comment"

    def test_comments_of_one_operation_are_found_oldest_first(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        posted = [
            apply(fixture, item, Change(op, comment=comment_text(text))).comment
            for text in ("the first", "the second")
        ]
        comments = fixture.plugin.find_comments(item, op)
        times = [comment.created for comment in comments]
        for time in times:
            check_time(time, "the times of comments")
        assert sorted(times) == times, "comments are found oldest first"
        again = [comment.created for comment in fixture.open().find_comments(item, op)]
        assert times == again, "the times of comments are the tracker's: two reads show the same"
        if posted[0] is not None:
            assert posted[0] == comments[0].id, "comments are found oldest first"
        actual = fixture.plugin.find_ops(item)
        assert actual in ((op, op), ()), "`find_ops` returns the operation of each comment"

    def test_a_quoted_marker_posted_nothing(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op, quoted = fixture.make(is_open=True), new_ulid(), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        words = f"You wrote: {visible(quoted)} and I wonder why"
        fixture.harness.add_comments(item.id, [words])
        assert quoted not in fixture.plugin.find_ops(item), "a quoted marker posted nothing"

    def test_a_copied_marker_of_a_stranger_does_not_count(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op, copied = fixture.make(is_open=True), new_ulid(), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        text = ours.replace(op, copied)
        offered(
            lambda: fixture.harness.add_comment_of_a_stranger(item.id, text),
            "the harness has no stranger",
        )
        counted = fixture.plugin.find_comments(item, copied)
        assert counted == (), "a stranger's comment does not count"
        assert copied not in fixture.plugin.find_ops(item), "a stranger's comment posted nothing"
        if fixture.can(Capability.HISTORY):
            comments = fixture.plugin.read_history(item).comments
            counts = [comment.counts for comment in comments if copied in ops_in(comment.text)]
            assert counts != [], "a stranger's comment with a marker is in the history"
            assert True not in counts, "a stranger's comment does not count in the history"

    def test_people_are_mentioned_only_on_request(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        if type(fixture.harness).mentioned is Harness.mentioned:
            pytest.skip("the harness does not tell who is mentioned")
        item, text = fixture.make(is_open=True), comment_text("ask @octocat about it")
        apply(fixture, item, Change(new_ulid(), comment=text))
        assert [*fixture.harness.mentioned(item.id)] == [], "a comment notifies nobody unasked"
        apply(fixture, item, Change(new_ulid(), comment=text, mentions=True))
        assert [*fixture.harness.mentioned(item.id)] == ["octocat"], (
            "`Change.mentions` lets @names take effect"
        )

    def test_a_comment_can_be_taken_back(self, fixture: Fixture) -> None:
        require(fixture, Capability.RETRACT)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("too much")))
        fixture.harness.add_comments(item.id, ["of a person"])
        comments = fixture.plugin.find_comments(item, op)
        assert len(comments) == 1, "a comment is found by its marker"
        fixture.proxy.arm(Fault(FaultKind.FORBIDDEN, matches=lambda request: request.is_write))
        refused = error_of(lambda: fixture.plugin.retract_comment(item, comments[0]))
        assert isinstance(refused, Forbidden), "a comment that stays is Forbidden"
        fixture.plugin.retract_comment(item, comments[0])
        left = fixture.plugin.find_comments(item, op)
        assert left == (), "a deleted comment is not found"
        others = ["of a person" in text for text in fixture.harness.comments(item.id)]
        assert others == [True], "only the comment with the marker is deleted"
        try:
            fixture.plugin.retract_comment(item, comments[0])
        except TrackerError as error:
            raise AssertionError("deleting a comment that is gone is a success") from error

    def test_a_created_item_is_found_again_by_its_marker(self, fixture: Fixture) -> None:
        require(fixture, Capability.CREATE)
        op, title = new_ulid(), f'{fixture.title()} <b>&amp; *now* {{code}} "quoted" @all'
        item = fixture.plugin.create(Change(op, draft=draft(title, HOSTILE))).after
        assert (title, True) == (item.title, item.category.is_open), "a new item is open"
        assert [item.ref.id] == [*fixture.harness.find_by_title(title)], "one item is created"
        for _ in range(3):
            fixture.make(is_open=True)
        _check_found(fixture, op, item.ref)
        if fixture.can(Capability.CLOSE):
            apply(fixture, item.ref, Change(new_ulid(), Goal.COMPLETED))
            _check_found(fixture, op, item.ref)
        quoted = fixture.plugin.find_created(ANOTHER, LONG_AGO)
        assert quoted is None, "a marker in people's words is no marker"
        newest = fixture.plugin.create(Change(op, draft=draft(fixture.title(), "A body"))).after
        _check_found(fixture, op, newest.ref)

    def test_an_item_of_a_stranger_with_a_copied_marker_does_not_count(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.CREATE)
        op, copied, title = new_ulid(), new_ulid(), fixture.title()
        ref = fixture.plugin.create(Change(op, draft=draft(title, "A body"))).after.ref
        body = fixture.harness.body(ref.id).replace(op, copied)
        item = offered(
            lambda: fixture.harness.add_item_of_a_stranger(title, body),
            "the harness has no stranger",
        )
        counted = fixture.plugin.find_created(copied, LONG_AGO)
        assert counted is None, "a stranger's item does not count"
        if fixture.can(Capability.LIST):
            listed = islice(fixture.plugin.list_items(None), _NEWEST)
            ops = [entry.ops for entry in listed if entry.ref.id == item]
            assert ops == [frozenset()], "a stranger's item has no marker"

    def test_threads_may_share_it_and_every_request_passes_the_transport(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.REOPEN)
        items = [fixture.make(is_open=False, labels=(KEPT, "completed")) for _ in range(4)]
        _ = fixture.plugin  # opened before the threads
        fixture.proxy.clear()
        counted: list[int] = []
        failed: list[Exception] = []
        wanted = {item: make_change(fixture, REOPEN) for item in items}

        def work(item: ItemRef) -> None:
            try:
                with measure() as meter:
                    apply(fixture, item, wanted[item])
                counted.append(meter.requests)
            except Exception as error:  # noqa: BLE001  # shown below, by the test's own thread
                failed.append(error)

        threads = [threading.Thread(target=work, args=(item,)) for item in items]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == [], "methods are called from several threads at once"
        for item in items:
            check_item(fixture, item, REOPEN, where="by several threads")
        assert sum(counted) == len(fixture.proxy.sent), "every request passes the transport"
        for item in items:
            said = only_comment(fixture, item)
            assert [wanted[item].op] == [
                change.op for change in wanted.values() if change.op in said
            ], "each comment has the marker of its own operation, and no other"
        check_reads_pass_the_transport(fixture, items[0])
        header = fixture.credential.scheme.header.lower()
        signed = {sent.request.headers.get(header) for sent in fixture.proxy.sent}
        assert {fixture.credential.header} == signed, "the transport signs every request"

    def test_a_plugin_prints_nothing(
        self, fixture: Fixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        require(fixture, Capability.REOPEN)
        clone, item = prepare(fixture, REOPEN)
        capfd.readouterr()
        (delivery,) = clone.reopen(plugin=fixture.open())
        comments = fixture.plugin.find_comments(item, delivery.operation.op)
        fixture.plugin.find_ops(item)
        assert len(comments) == 1, "a comment is found by its marker"
        printed = capfd.readouterr()
        assert (printed.out, printed.err) == ("", ""), "a plugin prints nothing"

    def test_no_secret_is_shown_or_logged(
        self, fixture: Fixture, caplog: pytest.LogCaptureFixture
    ) -> None:
        require(fixture, Capability.STATUS)
        item = fixture.make(is_open=True)
        with caplog.at_level(logging.DEBUG):
            for kind in (FaultKind.REFLECTED, FaultKind.UNAUTHORISED):
                fixture.proxy.arm(Fault(kind))
                # A process: a refused token ends its requests.
                error = error_of(lambda: fixture.open().read(item))
                assert error is not None, f"a read with {kind} raises an error"
                check_no_secret(fixture, error, f"a read with {kind}")
            fixture.plugin.read(item)
        logged = [form in caplog.text for form in fixture.credential.forms]
        assert True not in logged, "the log shows the secret"


def check_reads_pass_the_transport(fixture: Fixture, item: ItemRef) -> None:
    """Check that the transport sends each request of the other methods, too."""
    plugin = fixture.open()
    act: dict[Capability, Callable[[], object]] = {
        Capability.REOPEN: lambda: (plugin.find_comments(item, ANOTHER), plugin.find_ops(item)),
        Capability.STATUS: lambda: plugin.find_author(item),
        Capability.STATUS_OF_MANY: lambda: plugin.read_many([item]),
        Capability.LIST: lambda: next(iter(plugin.list_items(None))),
        Capability.EXAMINE: lambda: plugin.examine([item]),
        Capability.HISTORY: lambda: plugin.read_history(item),
    }
    for capability, call in act.items():
        if fixture.can(capability):
            before = len(fixture.proxy.sent)
            with measure() as meter:
                call()
            sent = len(fixture.proxy.sent) - before
            assert sent == meter.requests, f"{capability}: every request passes the transport"


def _check_found(fixture: Fixture, op: str, item: ItemRef) -> None:
    for since in (LONG_AGO, FAR_AHEAD):
        created = fixture.plugin.find_created(op, since)
        assert created is not None, "a created item is found by its marker, also with a wrong clock"
        assert item == created.ref, "the newest item with the marker is found"
        assert facts(fixture.plugin.read(item).item) == facts(created), (
            "`find_created` shows the item as `read` does"
        )
