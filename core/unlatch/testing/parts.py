"""What a plugin reports of a change of which only some parts were made."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import TrackerError
from unlatch.spi import Capability
from unlatch.testing.aim import CLOSE, KEPT, REOPEN, Aim
from unlatch.testing.asking import change, need
from unlatch.testing.checks import check_labels
from unlatch.testing.clone import REASON
from unlatch.testing.faults import Fault, Kind, Request
from unlatch.testing.laboratory import Laboratory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.spi import Change, Outcome, Snapshot
    from unlatch.spi.item import ItemRef
    from unlatch.testing.bench import Bench

# The tracker does nothing about a request that one of these strikes.
_REFUSALS = (Kind.FORBIDDEN, Kind.REFLECTED, Kind.UNAUTHORISED, Kind.DROPPED)


@dataclass(frozen=True, slots=True)
class Half:
    """A change with one request that had no effect.

    Args:
        outcome: what the plugin reported, by an outcome or with an error.
        where: the request.
    """

    item: ItemRef
    outcome: Outcome
    where: str


class Parts:
    """State, comment and labels: those that are there are reported, and no others."""

    @pytest.mark.parametrize("kind", _REFUSALS, ids=lambda kind: kind.value)
    def test_an_error_carries_the_parts_that_were_done(self, bench: Bench, kind: Kind) -> None:
        need(bench, Capability.REOPEN)
        made = list(_every_half(bench, REOPEN, kind))
        assert made != []
        for half in made:
            check_parts(bench, half)

    @pytest.mark.parametrize("aim", [REOPEN, CLOSE], ids=lambda aim: aim.operation.value)
    def test_a_part_that_the_tracker_ignored_is_not_reported(self, bench: Bench, aim: Aim) -> None:
        need(bench, Capability.REOPEN if aim.opens else Capability.CLOSE)
        if type(bench.laboratory).ignore_next is Laboratory.ignore_next:
            pytest.skip("the laboratory's server cannot ignore a request")
        made = list(_every_half(bench, aim, Kind.INTERRUPTED, bench.laboratory.ignore_next))
        assert made != []
        for half in made:
            check_parts(bench, half)


def check_parts(bench: Bench, half: Half) -> None:
    """A report says what is really there."""
    laboratory, outcome = bench.laboratory, half.outcome
    item, after = half.item.id, half.outcome.after
    assert laboratory.is_open(item) == after.category.is_open, f"{half.where}: the reported state"
    is_there = any(REASON in text for text in laboratory.comments(item))
    assert is_there == outcome.commented, f"{half.where}: the reported comment"
    labels = {label.casefold() for label in after.labels}
    check_labels(bench, half.item, labels, where=f"{half.where}: the reported labels")


def _every_half(
    bench: Bench, aim: Aim, kind: Kind, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[Half]:
    """Strike each writing request of a change in turn."""
    for number in count():
        item = bench.make(is_open=not aim.opens, labels=(KEPT, aim.before))
        wanted = change(bench, aim)
        snapshot = bench.plugin.read(item, wanted)
        bench.proxy.clear()
        bench.proxy.arm(Fault(kind, number, _writes, meanwhile))
        outcome = _reported(bench, snapshot, wanted)
        struck = [one.request for one in bench.proxy.sent if one.struck]
        if not struck:
            return
        yield Half(item, outcome, f"{kind} at {struck[0].method} {struck[0].target}")


def _reported(bench: Bench, snapshot: Snapshot, wanted: Change) -> Outcome:
    try:
        return bench.plugin.write(snapshot, wanted)
    except TrackerError as error:
        if error.done is None:
            raise AssertionError("the error does not carry the parts that were done") from error
        reported: Outcome = error.done
        return reported


def _writes(request: Request) -> bool:
    return request.is_write
