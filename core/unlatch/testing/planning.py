"""The requests that a plugin lists are those that it sends."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from unlatch.project.workspace import new_ulid
from unlatch.spi import Capability, Change
from unlatch.testing.aim import CLOSE, KEPT, REOPEN, Aim
from unlatch.testing.asking import act, change, draft, need, writes

if TYPE_CHECKING:
    from unlatch.spi import ItemRef, PlannedRequest
    from unlatch.testing.bench import Bench

Listed = list[tuple[str, str]]


class Planning:
    """`plan`, held against `read` and `write`, and against `create`."""

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_the_planned_requests_are_those_that_are_sent(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        item = bench.make(is_open=not aim.opens, labels=(KEPT, aim.before))
        bench.make(is_open=True, labels=(aim.after,))  # the tracker knows the label
        planned = _planned(bench, item, wanted := change(bench, aim))
        act(bench, item, wanted)
        assert planned == _sent(bench)

    def test_the_planned_requests_of_an_update_are_those_that_are_sent(self, bench: Bench) -> None:
        need(bench, Capability.UPDATE)
        item = bench.make(is_open=True)
        wanted = Change(new_ulid(), draft=draft(bench.title(), "A body"))
        planned = _planned(bench, item, wanted)
        act(bench, item, wanted)
        assert planned == _sent(bench)

    def test_a_planned_create_lists_the_writing_requests(self, bench: Bench) -> None:
        need(bench, Capability.CREATE)
        wanted = Change(new_ulid(), draft=draft(bench.title(), "A body"))
        planned = [one for one in _planned(bench, None, wanted) if one[0] != "GET"]
        bench.plugin.create(wanted)
        # A read that follows has an address that only the tracker's answer can give.
        assert planned == [one for one in _sent(bench) if one[0] != "GET"]


def _planned(bench: Bench, item: ItemRef | None, wanted: Change) -> Listed:
    """The requests of a change; planning it sends none that writes."""
    snapshot = None if item is None else bench.plugin.read(item, wanted)
    bench.proxy.clear()
    planned = bench.plugin.plan(snapshot, wanted)
    assert writes(bench) == []
    bench.proxy.clear()
    return [_shown(one) for one in planned]


def _shown(planned: PlannedRequest) -> tuple[str, str]:
    return planned.method, unquote(planned.url)


def _sent(bench: Bench) -> Listed:
    requests = [one.request for one in bench.proxy.sent]
    paths = [unquote(one.target.partition("?")[0]) for one in requests]
    return [
        (one.method, f"{bench.proxy.origin}{path}")
        for one, path in zip(requests, paths, strict=True)
    ]
