"""Tests that a plugin sends exactly the planned requests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from unlatch.project.workspace import new_ulid
from unlatch.spi import Capability, Change, ItemRef, PlannedRequest
from unlatch.testing.actions import apply, draft, make_change, require, writes
from unlatch.testing.checks import CLOSE, KEPT, REOPEN, Transition

if TYPE_CHECKING:
    from unlatch.testing.fixture import Fixture

Listed = list[tuple[str, str]]


class Planning:
    """`plan`, compared with `read` and `write`, and with `create`."""

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_the_planned_requests_are_those_that_are_sent(
        self, fixture: Fixture, transition: Transition
    ) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        item = fixture.make(is_open=not transition.opens, labels=(KEPT, transition.before))
        fixture.make(is_open=True, labels=(transition.after,))  # the tracker knows the label
        planned = _planned(fixture, item, wanted := make_change(fixture, transition))
        apply(fixture, item, wanted)
        assert planned == _sent(fixture)

    def test_the_planned_requests_of_an_update_are_those_that_are_sent(
        self, fixture: Fixture
    ) -> None:
        require(fixture, Capability.UPDATE)
        item = fixture.make(is_open=True)
        wanted = Change(new_ulid(), draft=draft(fixture.title(), "A body"))
        planned = _planned(fixture, item, wanted)
        apply(fixture, item, wanted)
        assert planned == _sent(fixture)

    def test_a_planned_create_lists_the_writing_requests(self, fixture: Fixture) -> None:
        require(fixture, Capability.CREATE)
        wanted = Change(new_ulid(), draft=draft(fixture.title(), "A body"))
        planned = [one for one in _planned(fixture, None, wanted) if one[0] != "GET"]
        fixture.plugin.create(wanted)
        # A read that follows has an address that only the tracker's answer can give.
        assert planned == [one for one in _sent(fixture) if one[0] != "GET"]


def _planned(fixture: Fixture, item: ItemRef | None, wanted: Change) -> Listed:
    """The planned requests of a change; planning sends no write."""
    snapshot = None if item is None else fixture.plugin.read(item, wanted)
    fixture.proxy.clear()
    planned = fixture.plugin.plan(snapshot, wanted)
    assert writes(fixture) == []
    fixture.proxy.clear()
    return [_shown(one) for one in planned]


def _shown(planned: PlannedRequest) -> tuple[str, str]:
    return planned.method, unquote(planned.url)


def _sent(fixture: Fixture) -> Listed:
    requests = [one.request for one in fixture.proxy.sent]
    paths = [unquote(one.target.partition("?")[0]) for one in requests]
    return [
        (one.method, f"{fixture.proxy.origin}{path}")
        for one, path in zip(requests, paths, strict=True)
    ]
