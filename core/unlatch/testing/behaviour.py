"""Tests without faults."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from unlatch.errors import ConfigError, NotFound
from unlatch.project.find_increment import is_item
from unlatch.project.plugins.loading import load
from unlatch.spi import SPI_VERSION, Capability, Change, DeliveryOptions, Goal
from unlatch.spi.change import Result
from unlatch.testing.actions import (
    apply,
    check_time,
    comment_text,
    error_of,
    make_change,
    offered,
    only_comment,
    read_state,
    require,
    writes,
)
from unlatch.testing.clone import (
    CLOSE,
    KEPT,
    REOPEN,
    Transition,
    check_files,
    check_item,
    check_labels,
    make_clone,
)
from unlatch.testing.harness import Fixture, Harness
from unlatch.testing.scenario import prepare
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import ItemRef, Settings


class Behaviour:
    """Items, read and changed without faults."""

    def test_the_manifest_is_found_and_says_what_is_true(self, fixture: Fixture) -> None:
        manifest = fixture.manifest
        actual = manifest.name, manifest.spi_version
        assert (fixture.harness.tracker, SPI_VERSION) == actual, (
            "the manifest has the name of its entry point, and the version of the interface"
        )
        problems = {*map(manifest.label_problem, fixture.labels("reopened", "completed"))}
        assert problems <= {None}, "`label_problem` accepts the labels of the tests"
        if fixture.can(Capability.LABELS):
            assert manifest.label_problem(""), "`label_problem` refuses an empty label"

    def test_bytes_that_are_no_message_are_refused(self, fixture: Fixture) -> None:
        for reader in fixture.manifest.events.values():
            for message in (b"", b"[]", b"\xff"):
                assert _is_refused(load(fixture.manifest.name, reader), message), (
                    f"{reader} reads {message!r}"
                )

    def test_an_address_leads_back_to_its_item(self, fixture: Fixture) -> None:
        settings = fixture.settings
        ref = fixture.make(is_open=True)
        assert fixture.manifest.name == ref.tracker, "`ItemRef.tracker` is the manifest's name"
        assert ref == settings.recognise(ref.url), "`recognise` reads the address of an item"
        assert ref == settings.locate(ref.id, ref.url), "`locate` reads the address of an item"
        assert settings.allows(ref), "an item of the configured place is allowed"
        name = settings.name(ref)
        assert ref.id in name, "`name` has the id of the item"
        assert is_item(name), "`name` has a form that commands take for an item"
        assert ref == _located(settings, name.replace(" ", "#")), "`locate` accepts the name"
        assert ref == settings.recognise(f"{ref.url}#comment"), "a fragment is ignored"
        for url in (f"{ref.url}-and-more", urlsplit(ref.url)._replace(netloc="x.invalid").geturl()):
            assert settings.recognise(url) is None, "`recognise` reads whole addresses of this host"

    def test_an_item_elsewhere_is_not_allowed(self, fixture: Fixture) -> None:
        settings, ref = fixture.settings, fixture.make(is_open=True)
        url = offered(
            lambda: fixture.harness.elsewhere(fixture.proxy.url), "the harness names no other place"
        )
        recognised = settings.recognise(url)
        assert recognised is None or not settings.allows(recognised), (
            "an item elsewhere is not allowed"
        )
        if recognised is not None:
            named = _located(settings, settings.name(recognised).replace(" ", "#"))
            assert named in (recognised, None), "`locate` goes by the target in front of an id"
        with suppress(ConfigError):
            assert ref != settings.locate(ref.id, url), (
                "`locate` goes by the address if it is known"
            )

    def test_a_read_shows_the_item(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        for is_open in (True, False):
            title = fixture.title()
            labels = fixture.labels(KEPT)
            ref = fixture.ref(fixture.harness.make(title, is_open=is_open, labels=labels))
            seen = fixture.plugin.read(ref).item
            assert ref == seen.ref, "a read shows the item at its place"
            actual = (seen.title, seen.category.is_open, seen.labels)
            assert (title, is_open, labels) == actual, "a read shows title, state and labels"
            assert not seen.deliberate, "an item closed in the usual way is not `deliberate`"
            again = fixture.open().read(ref).item
            for moment in filter(None, (seen.updated, seen.created)):
                check_time(moment, "the times of items")
            assert (seen.updated, seen.created) == (again.updated, again.created), (
                "the times of items are the tracker's: two reads show the same"
            )
        assert writes(fixture) == [], "a read writes nothing"

    def test_a_missing_item_is_not_found(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        missing = fixture.ref(fixture.harness.missing)
        error = error_of(lambda: fixture.plugin.read(missing))
        assert isinstance(error, NotFound), "a missing item is NotFound"

    def test_a_revision_changes_with_the_item(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=False)
        before = fixture.plugin.read(item).item.revision
        outcome = apply(fixture, item, Change(new_ulid(), Goal.OPEN))
        if before is None:
            pytest.skip("the plugin shows no revisions")
        after = fixture.plugin.read(item).item.revision
        assert before not in (after, outcome.after.revision), "a revision changes with the item"

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_an_operation_does_what_it_says(self, fixture: Fixture, transition: Transition) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        clone, item = prepare(fixture, transition)
        (delivery,) = clone.reopen() if transition.opens else clone.close()
        assert delivery.error is None, "an operation without a fault succeeds"
        check_item(fixture, item, transition, where="without faults")
        check_files(clone, item, transition, where="without faults")
        assert clone.sync() == [], "a delivered operation is not delivered again"
        effect = delivery.effect
        assert effect is not None, "a delivery has an effect"
        result = Result.REOPENED if transition.opens else Result.CLOSED
        actual = effect.result, effect.commented
        assert (result, True) == actual, "the outcome shows the new state and the comment"
        assert fixture.labels(transition.after) == effect.labels_added, "the added labels are shown"
        assert fixture.labels(transition.before) == effect.labels_removed, (
            "the removed labels are shown"
        )

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
        actual = outcome.after.state, outcome.commented
        assert (before, True) == actual, "an item keeps a state that reaches the goal"
        assert before == read_state(fixture, item), "an item keeps a state that reaches the goal"
        check_item(fixture, item, transition, where="with its state reached before")

    def test_abandoned_work_is_closed(self, fixture: Fixture) -> None:
        require(fixture, Capability.CLOSE)
        item = fixture.make(is_open=True)
        outcome = apply(fixture, item, Change(new_ulid(), Goal.NOT_PLANNED))
        assert not outcome.after.category.is_open, "abandoned work is shown as closed"
        assert not fixture.harness.is_open(item.id), "abandoned work is closed"
        if not _has_deliberate_state(fixture.harness):
            return
        actual = outcome.after.deliberate, fixture.plugin.read(item).item.deliberate
        assert actual == (True, True), "abandoned work is closed deliberately"
        completed = fixture.make(is_open=True)
        outcome = apply(fixture, completed, Change(new_ulid(), Goal.COMPLETED))
        actual = outcome.after.deliberate, fixture.plugin.read(completed).item.deliberate
        assert actual == (False, False), "completed work is not closed deliberately"

    def test_an_item_that_was_closed_on_purpose_stays_closed_unasked(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True, labels=(KEPT, REOPEN.before))
        clone = make_clone(fixture, finished=True, title=fixture.title(), item=item)
        offered(
            lambda: fixture.harness.close_deliberately(item.id), "the tracker has no such state"
        )
        seen = fixture.plugin.read(item).item
        assert seen.deliberate, "an item that was closed on purpose is `deliberate`"
        (refused,) = clone.reopen()
        assert refused.error is not None, "an item that was closed on purpose is not reopened"
        actual = refused.error.id, refused.is_blocked
        assert actual == ("deliberately-closed", True), "a person decides about its reopen"
        left = [*fixture.harness.comments(item.id)], fixture.harness.is_open(item.id)
        assert left == ([], False), "an item that was closed on purpose is left as it is"
        (done,) = clone.sync(options=DeliveryOptions(even_if_not_planned=True))
        assert done.error is None, "it is reopened on request"
        check_item(fixture, item, REOPEN, where="although it was closed on purpose")

    @pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
    def test_a_comment_alone_leaves_the_state(self, fixture: Fixture, is_open: bool) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=is_open, labels=(KEPT,))
        before = read_state(fixture, item)
        outcome = apply(fixture, item, Change(new_ulid(), comment=comment_text("done")))
        actual = outcome.after.state, outcome.commented
        assert (before, True) == actual, "a comment alone leaves the state"
        assert before == read_state(fixture, item), "a comment alone leaves the state"
        check_labels(fixture, item, {KEPT}, where="after a comment")
        only_comment(fixture, item)

    def test_where_nothing_is_to_be_done_nothing_is_written(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True, labels=(KEPT, "reopened"))
        add, remove = fixture.labels("reopened"), fixture.labels("completed")
        fixture.proxy.clear()
        outcome = apply(fixture, item, Change(new_ulid(), Goal.OPEN, None, add, remove))
        actual = outcome.after.category.is_open, outcome.commented
        assert actual == (True, False), "a change without differences shows the item as it is"
        assert writes(fixture) == [], "a change without differences writes nothing"


def _located(settings: Settings, item: str) -> ItemRef | None:
    with suppress(ConfigError):
        return settings.locate(item, None)
    return None


def _has_deliberate_state(harness: Harness) -> bool:
    is_known = type(harness).close_deliberately is not Harness.close_deliberately
    return is_known and harness.abandons_deliberately


def _is_refused(read: Callable[[bytes], object], message: bytes) -> bool:
    try:
        read(message)
    except ValueError:
        return True
    return False


class People:
    """What other people did, and who they are."""

    def test_the_assignee_is_named(self, fixture: Fixture) -> None:
        require(fixture, Capability.STATUS)
        item = fixture.make(is_open=True)
        name = offered(lambda: fixture.harness.assign(item.id), "the harness assigns no item")
        assert name == fixture.plugin.read(item).item.assignee, "a read names the assignee"

    def test_a_person_who_closed_an_item_is_named(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True)
        name = offered(
            lambda: fixture.harness.close_as_a_person(item.id), "the harness has no other person"
        )
        seen = fixture.plugin.read(item).item
        assert seen.closed_by is None, "no automation closed an item that a person closed"
        actual = seen.changed_by or fixture.plugin.find_author(item)
        assert name == actual, "who closed an item is its `changed_by`, or found by `find_author`"
        apply(fixture, item, Change(new_ulid(), comment=comment_text("seen")))
        author = fixture.plugin.find_author(item)
        assert author in (name, None), "a comment does not change the author of the state"
        if fixture.can(Capability.HISTORY):
            closed = fixture.plugin.read_history(item).changes[-1]
            assert closed.by in (name, None), "the history names the author of a change of state"
            assert not closed.own, "a change of state by another person is not `own`"
