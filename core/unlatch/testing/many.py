"""Tests of many items at once: reading, listing and changing them."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.spi import Background, Capability, Change, ItemRef, Listed, Outcome, Snapshot
from unlatch.testing.actions import FAR_AHEAD, draft, facts, make_change, offered, require, writes
from unlatch.testing.clone import CLOSE, KEPT, REOPEN, Transition, check_item, check_labels
from unlatch.testing.failures import check_class
from unlatch.testing.faults import Fault, FaultKind, Request
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.testing.harness import Fixture

# Far from UTC and from the servers, so that a time without its zone is in the future.
_ZONE = timezone(timedelta(hours=14))
_REFUSED = {
    FaultKind.FORBIDDEN: Forbidden,
    FaultKind.UNAUTHORISED: Unauthorised,
    FaultKind.LIMITED: Limited,
}
Result = Outcome | TrackerError | None
# Items of other tests may be newer.
_NEWEST = 100


class Many:
    """Methods for many items; each item has a result of its own."""

    def test_many_items_are_read_as_one_is(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS_OF_MANY)
        states = (True, False, True, False)
        refs = [fixture.make(is_open=is_open, labels=(KEPT,)) for is_open in states]
        missing = fixture.ref(fixture.harness.missing)
        singly = {ref: fixture.plugin.read(ref).item for ref in refs}
        fixture.proxy.clear()
        results = fixture.plugin.read_many(refs)
        assert len(fixture.proxy.sent) < len(refs), "`read_many` reads many items in few requests"
        assert [facts(singly[ref]) for ref in refs] == [
            facts(_read(results, ref).item) for ref in refs
        ], "`read_many` shows each item as `read` does"
        results = fixture.plugin.read_many([refs[0], missing, refs[1]])
        assert isinstance(results.get(missing), NotFound), "a missing item has a result: NotFound"
        assert [_read(results, ref).item.ref for ref in refs[:2]] == refs[:2], "the others are read"

    def test_what_many_items_say_is_read(self, fixture: Fixture) -> None:
        require(fixture, Capability.BACKGROUND)
        refs = [fixture.make(is_open=True) for _ in range(4)]
        missing = fixture.ref(fixture.harness.missing)
        titles = [fixture.plugin.read(ref).item.title for ref in refs]
        url = f"https://example.com/alerts/{new_ulid()}"
        if fixture.can(Capability.UPDATE):
            fixture.harness.write_around_body(refs[0].id, f"See {url} first.", "Behind")
        fixture.proxy.clear()
        results = fixture.plugin.read_background(refs)
        assert len(fixture.proxy.sent) < len(refs), "`read_background` sends few requests"
        texts = [_background(results, ref).text for ref in refs]
        assert [title in text for title, text in zip(titles, texts, strict=True)] == [True] * 4, (
            "the background of an item has its title"
        )
        assert (url in texts[0]) is fixture.can(Capability.UPDATE), "and the text of its body"
        results = fixture.plugin.read_background([refs[0], missing])
        assert isinstance(results.get(missing), NotFound), "a missing item has a result: NotFound"
        assert titles[0] in _background(results, refs[0]).text, "the others are read"

    def test_the_commits_that_closed_an_item_are_read(self, fixture: Fixture) -> None:
        require(fixture, Capability.BACKGROUND)
        item, other = fixture.make(is_open=True), fixture.make(is_open=False)
        commit = hashlib.sha1(new_ulid().encode(), usedforsecurity=False).hexdigest()
        offered(
            lambda: fixture.harness.close_by_commit(item.id, commit),
            "the harness closes no item by a commit",
        )
        results = fixture.plugin.read_background([item, other])
        assert [commit] == [each.id for each in _background(results, item).commits], (
            "the background of an item has the commits that closed it"
        )
        assert _background(results, other).commits == (), "other items have none"

    @pytest.mark.parametrize(
        "kind", [FaultKind.FORBIDDEN, FaultKind.UNAUTHORISED], ids=lambda kind: kind.value
    )
    def test_a_refused_background_is_an_error(self, fixture: Fixture, kind: FaultKind) -> None:
        require(fixture, Capability.BACKGROUND)
        ref, plugin = fixture.make(is_open=True), fixture.open()
        fixture.proxy.arm(Fault(kind))
        try:
            result: object = plugin.read_background([ref])[ref]
        except TrackerError as error:
            result = error
        check_class(result, _REFUSED[kind], f"`read_background` with {kind}")

    def test_an_item_that_was_read_with_others_can_be_changed(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS_OF_MANY)
        require(fixture, Capability.REOPEN)
        refs = [fixture.make(is_open=False, labels=(KEPT, "completed")) for _ in range(2)]
        wanted = [make_change(fixture, REOPEN) for _ in refs]
        results = fixture.plugin.read_many(refs, wanted[0])
        for ref, change in zip(refs, wanted, strict=True):
            outcome = fixture.plugin.write(_read(results, ref), change)
            assert outcome.after.category.is_open, "a snapshot of `read_many` can be written"
            check_item(fixture, ref, REOPEN, where="after a write of a snapshot of `read_many`")

    def test_items_are_read_ahead_with_all_that_their_writes_need(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS_OF_MANY)
        require(fixture, Capability.REOPEN)
        if fixture.plugin.reads_ahead == 1:
            pytest.skip("the plugin reads each item right before its write")
        alone, *refs = [fixture.make(is_open=False, labels=(KEPT, "completed")) for _ in range(4)]
        change = make_change(fixture, REOPEN)
        snapshot = fixture.plugin.read(alone, change)
        expected = _requests_of_write(fixture, snapshot, change)
        results = fixture.plugin.read_many(refs, change)
        sent = [_requests_of_write(fixture, _read(results, ref), change) for ref in refs]
        assert max(sent) <= expected, (
            "a write of a snapshot of `read_many` needs no further request (`reads_ahead`)"
        )

    def test_items_are_listed_newest_first(self, fixture: Fixture) -> None:
        require(fixture, Capability.LIST)
        titles = [fixture.title() for _ in range(3)]
        item_ids = [
            fixture.harness.make(title, is_open=title != titles[1], labels=()) for title in titles
        ]
        refs = [fixture.ref(item_id) for item_id in item_ids]
        recently = datetime.now(_ZONE) - timedelta(hours=1)
        for since in (None, recently):
            listed = [item for item in _listed(fixture, since) if item.ref in refs]
            assert refs[::-1] == [item.ref for item in listed], (
                "items are listed newest first, closed ones, too"
            )
            assert titles[::-1] == [item.title for item in listed], "a list has the items' titles"
            assert {frozenset()} == {item.ops for item in listed}, "these items carry no marker"

    def test_items_are_found_among_many(self, fixture: Fixture) -> None:
        needed = {Capability.STATUS_OF_MANY, Capability.LIST, Capability.CREATE}
        if not needed & fixture.manifest.capabilities:
            pytest.skip("the plugin reads no more than one item")
        plugin, op = fixture.plugin, new_ulid()
        if fixture.can(Capability.CREATE):
            created = plugin.create(Change(op, draft=draft(fixture.title(), "A body"))).after.ref
        refs = [fixture.make(is_open=True) for _ in range(fixture.harness.many_items)]
        if fixture.can(Capability.CREATE):
            item = plugin.find_created(op, FAR_AHEAD)
            assert item is not None, "a created item is found among newer ones"
            assert created == item.ref, "the item with the marker is found"
        if fixture.can(Capability.STATUS_OF_MANY):
            read = plugin.read_many(refs)
            actual = [_read(read, ref).item.ref for ref in refs]
            assert refs == actual, "`read_many` reads each item, however many there are"
        if fixture.can(Capability.LIST):
            _check_list_of_many(fixture, refs)

    def test_a_list_shows_the_markers_of_bodies(self, fixture: Fixture) -> None:
        require(fixture, Capability.LIST)
        require(fixture, Capability.CREATE)
        op, title = new_ulid(), fixture.title()
        ref = fixture.plugin.create(Change(op, draft=draft(title, "A body"))).after.ref
        listed = [item for item in _listed(fixture, None) if item.ref == ref]
        assert [(title, frozenset({op}))] == [(item.title, item.ops) for item in listed], (
            "a list shows the operations whose markers a body has"
        )

    def test_many_items_are_changed_at_once(self, fixture: Fixture) -> None:
        require(fixture, Capability.BATCH)
        for transition in _transitions(fixture):
            wanted = _wanted(fixture, transition, 3)
            fixture.proxy.clear()
            results = fixture.plugin.write_many(wanted)
            assert len(writes(fixture)) == 1, "`write_many` changes its items with one request"
            check_results(fixture, transition, wanted, results)
            assert any(isinstance(result, Outcome) for result in results), (
                "`write_many` changes items"
            )

    def test_an_item_that_changed_meanwhile_is_not_written_with_others(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.BATCH)
        wanted = _wanted(fixture, REOPEN, 3)
        changed = wanted[1][0].item.ref
        fixture.harness.add_comments(changed.id, ["Me too"])
        if fixture.can(Capability.LABELS):
            fixture.harness.add_label(changed.id, "mine")
        results = fixture.plugin.write_many(wanted)
        assert isinstance(results[1], Conflict | None), "an item that changed meanwhile: Conflict"
        check_results(fixture, REOPEN, wanted, results)
        labels = {label.casefold() for label in fixture.labels(KEPT, "completed", "mine")}
        check_labels(fixture, changed, labels, where="an item that changed meanwhile is left alone")

    @pytest.mark.parametrize(
        "kind",
        [FaultKind.LOST_REPLY, FaultKind.FAILED_AFTER, FaultKind.TRUNCATED, FaultKind.DROPPED],
        ids=lambda kind: kind.value,
    )
    def test_a_lost_answer_about_many_items_is_unknown(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.BATCH)
        wanted = _wanted(fixture, REOPEN, 2)
        results = _write_many(fixture, wanted, kind)
        unknown = [isinstance(result, UnknownOutcome) for result in results]
        assert [True] * len(wanted) == unknown, "after a lost answer each result is UnknownOutcome"

    @pytest.mark.parametrize("kind", _REFUSED, ids=lambda kind: kind.value)
    def test_a_refused_write_of_many_items_changes_none(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.BATCH)
        wanted = _wanted(fixture, REOPEN, 2)
        results = _write_many(fixture, wanted, kind)
        check_results(fixture, REOPEN, wanted, results)
        for result in results:
            if result is not None:  # it is written alone
                check_class(result, _REFUSED[kind], f"`write_many` with {kind}")


def check_results(
    fixture: Fixture,
    transition: Transition,
    wanted: Sequence[tuple[Snapshot, Change]],
    results: Sequence[Result],
) -> None:
    """Check that each result of `write_many` tells what happened to its item."""
    assert len(wanted) == len(results), "`write_many` returns a result for each change"
    for (snapshot, change), result in zip(wanted, results, strict=True):
        ref = snapshot.item.ref
        if isinstance(result, Outcome):
            assert ref == result.after.ref, "the results of `write_many` are in order"
            check_item(fixture, ref, transition, where="changed with others")
            actual = (result.after.category.is_open, result.commented)
            assert (transition.opens, True) == actual, "the outcome shows the item afterwards"
            labels = {label.casefold() for label in result.after.labels}
            check_labels(fixture, ref, labels, where="the reported labels")
        else:
            is_open = fixture.harness.is_open(ref.id)
            comments = fixture.plugin.find_comments(ref, change.op)
            assert (snapshot.item.category.is_open, ()) == (is_open, comments), (
                "`write_many` changes an item completely or not at all"
            )


def _wanted(fixture: Fixture, transition: Transition, number: int) -> list[tuple[Snapshot, Change]]:
    labels = (KEPT, transition.before)
    refs = [fixture.make(is_open=not transition.opens, labels=labels) for _ in range(number)]
    changes = [make_change(fixture, transition) for _ in refs]
    return [(fixture.plugin.read(*pair), pair[1]) for pair in zip(refs, changes, strict=True)]


def _write_many(
    fixture: Fixture, wanted: Sequence[tuple[Snapshot, Change]], kind: FaultKind
) -> Sequence[Result]:
    """The results of a write of many items with a fault."""
    plugin = fixture.open()  # another process: a refused token ends its requests
    fixture.proxy.arm(Fault(kind, matches=_writes))
    try:
        return plugin.write_many(wanted)
    except TrackerError as error:
        return [error] * len(wanted)


def _requests_of_write(fixture: Fixture, snapshot: Snapshot, change: Change) -> int:
    fixture.proxy.clear()
    fixture.plugin.write(snapshot, change)
    return len(fixture.proxy.sent)


def _transitions(fixture: Fixture) -> list[Transition]:
    kinds = {REOPEN: Capability.REOPEN, CLOSE: Capability.CLOSE}
    return [transition for transition, capability in kinds.items() if fixture.can(capability)]


def _check_list_of_many(fixture: Fixture, refs: Sequence[ItemRef]) -> None:
    ours, listed = {*refs}, fixture.plugin.list_items(None)
    fixture.proxy.clear()
    next(listed)
    early = len(fixture.proxy.sent)
    # The first may be one of them.
    actual = [item.ref for item in islice(listed, len(refs) + _NEWEST) if item.ref in ours]
    assert [*refs[::-1]][-len(actual) :] == actual, "items are listed newest first, every page"
    assert len(actual) >= len(refs) - 1, "items are listed newest first, every page"
    assert early < len(fixture.proxy.sent), "a list reads a page when it is needed"


def _listed(fixture: Fixture, since: datetime | None) -> list[Listed]:
    return list(islice(fixture.plugin.list_items(since), _NEWEST))


def _read(results: Mapping[ItemRef, Snapshot | TrackerError], ref: ItemRef) -> Snapshot:
    result = results.get(ref)
    assert isinstance(result, Snapshot), f"`read_many` has no item for {ref.id}: {result!r}"
    return result


def _background(results: Mapping[ItemRef, Background | TrackerError], ref: ItemRef) -> Background:
    result = results.get(ref)
    assert isinstance(result, Background), f"`read_background` has none for {ref.id}: {result!r}"
    return result


def _writes(request: Request) -> bool:
    return request.is_write
