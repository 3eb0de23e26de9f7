"""The kit fails on plugins that do what plugins must not do."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import pytest
from tests.conformance.test_github import GithubLaboratory

from unlatch.errors import Rejected, UnknownOutcome
from unlatch.sandbox import Sandbox
from unlatch.testing import Kind, Proxy
from unlatch.testing.bench import READ_SECONDS, Bench
from unlatch.testing.trial import (
    BLOWS,
    REOPEN,
    Blow,
    check_no_secret,
    every_creation,
    every_trial,
)
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.spi import (
        Change,
        CommentRef,
        Draft,
        ItemRef,
        Outcome,
        RemoteItem,
        SyncPlugin,
    )


class Forgetful(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        return ()


class Hurried(GithubPlugin):
    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        try:
            return super().reopen_issue(ref, change)
        except UnknownOutcome:
            return super().reopen_issue(ref, change)


class Hopeful(GithubPlugin):
    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        try:
            return super().reopen_issue(ref, change)
        except UnknownOutcome:
            return super().reopen_issue(ref, replace(change, comment=None))


class Possessive(GithubPlugin):
    """Writes labels as a set."""

    def _relabel(self, item: RemoteItem, change: Change) -> RemoteItem:
        kept = [name for name in item.labels if name not in change.remove_labels]
        path = f"/repos/{item.ref.target}/issues/{item.ref.id}"
        labels = [*kept, *change.add_labels]
        requester = self._client._requester()
        requester.requestJsonAndCheck("PATCH", path, input={"labels": labels})
        return replace(item, labels=tuple(labels))


class Vague(GithubPlugin):
    """Says that everything was refused."""

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        try:
            return super().reopen_issue(ref, change)
        except UnknownOutcome as error:
            raise Rejected("rejected", error.message) from error


class Doubling(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        return None


class Insistent(GithubPlugin):
    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        try:
            return super().create_issue(draft, change)
        except UnknownOutcome:
            return super().create_issue(draft, change)


class OtherBench(Bench):
    other: type[GithubPlugin]

    @cached_property
    def plugin(self) -> SyncPlugin:
        return self.open()

    def open(self, read_seconds: float = READ_SECONDS) -> SyncPlugin:
        usual = super().open(read_seconds)
        assert isinstance(usual, GithubPlugin)
        usual.__class__ = self.other
        return usual


@pytest.fixture(scope="module")
def laboratory() -> Iterator[GithubLaboratory]:
    with Sandbox() as box:
        yield GithubLaboratory(box)


@pytest.fixture
def bench(laboratory: GithubLaboratory, tmp_path: Path) -> Iterator[OtherBench]:
    with Proxy(laboratory.server) as proxy:
        bench = OtherBench(laboratory, proxy, tmp_path)
        bench.other = GithubPlugin
        yield bench


@pytest.mark.parametrize(
    ("plugin", "kind", "complaint"),
    [
        (Forgetful, Kind.LOST_REPLY, "2 comments"),
        (Hurried, Kind.LOST_REPLY, "2 comments"),
        (Hopeful, Kind.DROPPED, "0 comments"),
        (Possessive, Kind.INTERRUPTED, "the labels"),
        (Vague, Kind.TRUNCATED, "untrue error"),
    ],
)
def test_a_reopen_that_goes_wrong_is_noticed(
    plugin: type[GithubPlugin], kind: Kind, complaint: str, bench: OtherBench
) -> None:
    bench.other = plugin
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        list(every_trial(bench, REOPEN, Blow(kind)))


@pytest.mark.parametrize("plugin", [Doubling, Insistent])
def test_an_item_that_is_made_twice_is_noticed(
    plugin: type[GithubPlugin], bench: OtherBench
) -> None:
    bench.other = plugin
    with pytest.raises(AssertionError, match="2 items were made"):
        list(every_creation(bench, Blow(Kind.LOST_REPLY)))


def test_a_secret_in_an_error_is_noticed(bench: OtherBench) -> None:
    error = Rejected("refused", "no", hint=f"try {bench.credential.secret} again")
    with pytest.raises(AssertionError, match="shows the secret"):
        check_no_secret(bench, error, "status")
    check_no_secret(bench, Rejected("refused", "no"), "status")


def test_every_request_of_a_reopen_is_struck_in_turn(bench: OtherBench) -> None:
    struck = list(every_trial(bench, REOPEN, Blow(Kind.LIMITED)))
    assert [one.partition(" ")[0] for one in struck] == ["PATCH", "POST", "POST", "DELETE"]
    assert {blow.kind for blow in BLOWS} == set(Kind)
