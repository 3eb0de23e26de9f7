"""The kit fails on plugins that break the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.conformance.test_github import GithubHarness
from tests.testing.mutated import MutatedFixture

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch.project.registry import Registry
from unlatch.spi import Capability, Category
from unlatch.testing import FaultKind, Proxy
from unlatch.testing.behaviour import Behaviour
from unlatch.testing.checks import CLOSE, REOPEN, check_no_secret
from unlatch.testing.fixture import Fixture
from unlatch.testing.markers import Markers
from unlatch.testing.parts import Parts
from unlatch.testing.planning import Planning
from unlatch.testing.resilience import REOPEN_FAULTS
from unlatch.testing.scenario import FaultCase, run_create_faults, run_faults
from unlatch_github.api.paths import issue_path
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from unlatch.spi import (
        Change,
        CommentRef,
        ItemRef,
        Manifest,
        Outcome,
        PlannedRequest,
        RemoteItem,
        Snapshot,
    )


class Forgetful(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return ()


class Hurried(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome:
            return super().write(snapshot, change)


class Hopeful(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome:
            outcome = super().write(snapshot, replace(change, comment=None))
            return replace(outcome, commented=True)


class Possessive(GithubPlugin):
    """Writes labels as a set."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        rest = replace(change, add_labels=(), remove_labels=())
        outcome = super().write(snapshot, rest)
        kept = [name for name in snapshot.item.labels if name not in change.remove_labels]
        labels = [*kept, *change.add_labels]
        self._client._ask("PATCH", issue_path(snapshot.item.ref), {"labels": labels})
        return replace(outcome, after=replace(outcome.after, labels=tuple(labels)))


class Vague(GithubPlugin):
    """Says that everything was refused."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome as error:
            raise Rejected("rejected", error.message) from error


class Doubling(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        return None


class Insistent(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        try:
            return super().create(change)
        except UnknownOutcome:
            return super().create(change)


class Boastful(GithubPlugin):
    """Reports the labels that were asked for."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        labels = tuple({*outcome.after.labels, *change.add_labels})
        return replace(outcome, after=replace(outcome.after, labels=labels), refused=())


class Trusting(GithubPlugin):
    """Reports the state that was asked for."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=replace(outcome.after, category=Category.TODO))


class Silent(GithubPlugin):
    """Does not say which parts were done."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except TrackerError as error:
            error.done = None
            raise


class Punctual(GithubPlugin):
    """Believes clocks."""

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        if any(op in listed.ops for listed in self.list_items(since)):
            return super().find_created(op, since)
        return None


class Reticent(GithubPlugin):
    """Lists fewer requests than it sends."""

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        return super().plan(snapshot, change)[:-1]


@pytest.fixture(scope="module")
def harness() -> Iterator[GithubHarness]:
    with Sandbox() as box:
        yield GithubHarness(box)


@pytest.fixture
def fixture(harness: GithubHarness, tmp_path: Path) -> Iterator[MutatedFixture]:
    with Proxy(harness.server) as proxy:
        yield MutatedFixture(harness, proxy, tmp_path)


@pytest.mark.parametrize(
    ("plugin", "kind", "complaint"),
    [
        (Forgetful, FaultKind.LOST_REPLY, "2 comments"),
        (Hurried, FaultKind.LOST_REPLY, "2 comments"),
        (Hopeful, FaultKind.DROPPED, "0 comments"),
        (Possessive, FaultKind.INTERRUPTED, "the labels"),
        (Vague, FaultKind.TRUNCATED, "untrue error"),
    ],
)
def test_a_reopen_that_goes_wrong_is_noticed(
    plugin: type[GithubPlugin], kind: FaultKind, complaint: str, fixture: MutatedFixture
) -> None:
    fixture.mutate(plugin)
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        list(run_faults(fixture, REOPEN, FaultCase(kind)))


@pytest.mark.parametrize("plugin", [Doubling, Insistent])
def test_an_item_that_is_made_twice_is_noticed(
    plugin: type[GithubPlugin], fixture: MutatedFixture
) -> None:
    fixture.mutate(plugin)
    with pytest.raises(AssertionError, match="2 items were made"):
        list(run_create_faults(fixture, FaultCase(FaultKind.LOST_REPLY)))


_parts_after_an_error = Parts().test_an_error_carries_the_parts_that_were_done
_ignored_parts = Parts().test_a_part_that_the_tracker_ignored_is_not_reported
_plan = Planning().test_the_planned_requests_are_those_that_are_sent


@pytest.mark.parametrize(
    ("plugin", "test"),
    [
        (Boastful, partial(_parts_after_an_error, kind=FaultKind.FORBIDDEN)),
        (Silent, partial(_parts_after_an_error, kind=FaultKind.DROPPED)),
        (Boastful, partial(_ignored_parts, transition=CLOSE)),
        (Trusting, partial(_ignored_parts, transition=REOPEN)),
        (Punctual, Markers().test_a_created_item_is_found_again_by_its_marker),
        (Reticent, partial(_plan, transition=REOPEN)),
        (Reticent, Planning().test_the_planned_requests_of_an_update_are_those_that_are_sent),
        (Reticent, Planning().test_a_planned_create_lists_the_writing_requests),
    ],
)
def test_a_report_that_is_not_true_is_noticed(
    plugin: type[GithubPlugin], test: Callable[[Fixture], None], fixture: MutatedFixture
) -> None:
    test(fixture)
    fixture.mutate(plugin)
    with pytest.raises(AssertionError):
        test(fixture)


class LabellessRegistry(Registry):
    @property
    def manifests(self) -> Mapping[str, Manifest]:
        found = super().manifests.items()
        return {
            name: replace(manifest, capabilities=manifest.capabilities - {Capability.LABELS})
            for name, manifest in found
        }


class LabellessHarness(GithubHarness):
    def make(self, title: str, *, is_open: bool, labels: Sequence[str]) -> str:
        assert labels == ()
        return super().make(title, is_open=is_open, labels=labels)

    def labels(self, item: str) -> list[str]:
        raise NotImplementedError

    def add_label(self, item: str, label: str) -> None:
        raise NotImplementedError


def test_a_tracker_without_labels_passes_and_gets_none(tmp_path: Path) -> None:
    with Sandbox() as box, Proxy((harness := LabellessHarness(box)).server) as proxy:
        fixture = Fixture(harness, proxy, tmp_path)
        fixture.registry = LabellessRegistry()
        for transition in (REOPEN, CLOSE):
            Behaviour().test_an_operation_does_what_it_says(fixture, transition)
            Behaviour().test_an_item_that_is_there_already_keeps_its_state(fixture, transition)
            Planning().test_the_planned_requests_are_those_that_are_sent(fixture, transition)
        Behaviour().test_where_nothing_is_to_be_done_nothing_is_written(fixture)
        faulted = list(run_faults(fixture, REOPEN, FaultCase(FaultKind.INTERRUPTED)))
    assert [one.partition(" ")[0] for one in faulted] == ["PATCH", "POST"]


def test_a_secret_in_an_error_is_noticed(fixture: MutatedFixture) -> None:
    error = Rejected("refused", "no", hint=f"try {fixture.credential.secret} again")
    with pytest.raises(AssertionError, match="shows the secret"):
        check_no_secret(fixture, error, "status")
    check_no_secret(fixture, Rejected("refused", "no"), "status")


def test_every_request_of_a_reopen_is_struck_in_turn(fixture: MutatedFixture) -> None:
    faulted = list(run_faults(fixture, REOPEN, FaultCase(FaultKind.LIMITED)))
    assert [one.partition(" ")[0] for one in faulted] == ["PATCH", "POST", "POST", "DELETE"]
    assert {case.kind for case in REOPEN_FAULTS} == set(FaultKind)
