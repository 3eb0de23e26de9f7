"""Tests that operations survive faults and concurrent clones, and are reported also in part."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import TrackerError
from unlatch.spi import Capability, Change, Outcome, Snapshot
from unlatch.testing.actions import make_change, require
from unlatch.testing.clone import (
    CLOSE,
    KEPT,
    REASON,
    REOPEN,
    Transition,
    check_files,
    check_item,
    check_labels,
)
from unlatch.testing.faults import Fault, FaultKind, Request
from unlatch.testing.harness import Fixture, Harness
from unlatch.testing.scenario import FaultCase, prepare, run_create_faults, run_faults
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.spi.item import ItemRef


def _cases(*kinds: FaultKind, writes: bool = True) -> tuple[FaultCase, ...]:
    return tuple(FaultCase(kind, writes) for kind in kinds)


REOPEN_FAULTS = (
    *_cases(*FaultKind),
    *_cases(FaultKind.DROPPED, FaultKind.LIMITED, FaultKind.UNAUTHORISED, writes=False),
)
# A reopen already covers the faults that concern the transport and delivery alone.
CLOSE_FAULTS = _cases(
    FaultKind.LOST_REPLY,
    FaultKind.TRUNCATED,
    FaultKind.DROPPED,
    FaultKind.FAILED_BEFORE,
    FaultKind.UNAUTHORISED,
    FaultKind.FORBIDDEN,
    FaultKind.STALE,
    FaultKind.INTERRUPTED,
)
CREATE_FAULTS = (
    *_cases(
        FaultKind.LOST_REPLY,
        FaultKind.FAILED_AFTER,
        FaultKind.TRUNCATED,
        FaultKind.TIMEOUT,
        FaultKind.DROPPED,
        FaultKind.LIMITED,
        FaultKind.REDIRECTED,
        FaultKind.UNAUTHORISED,
    ),
    *_cases(FaultKind.DROPPED, writes=False),
)


class Resilience:
    """Faults, and clones that deliver at the same time."""

    @pytest.mark.parametrize("case", REOPEN_FAULTS, ids=str)
    def test_reopen_survives(
        self, fixture: Fixture, case: FaultCase, record_property: Callable[[str, object], None]
    ) -> None:
        require(fixture, Capability.REOPEN)
        scenarios = list(run_faults(fixture, REOPEN, case))
        record_property("scenarios", len(scenarios))
        assert scenarios != [] or not case.writes, "the operation sent no request"

    @pytest.mark.parametrize("case", CLOSE_FAULTS, ids=str)
    def test_close_survives(
        self, fixture: Fixture, case: FaultCase, record_property: Callable[[str, object], None]
    ) -> None:
        require(fixture, Capability.CLOSE)
        scenarios = list(run_faults(fixture, CLOSE, case))
        record_property("scenarios", len(scenarios))
        assert scenarios != [], "the operation sent no request"

    @pytest.mark.parametrize("case", CREATE_FAULTS, ids=str)
    def test_create_survives(
        self, fixture: Fixture, case: FaultCase, record_property: Callable[[str, object], None]
    ) -> None:
        require(fixture, Capability.CREATE)
        scenarios = list(run_create_faults(fixture, case))
        record_property("scenarios", len(scenarios))
        assert scenarios != [] or not case.writes, "the operation sent no request"

    def test_two_clones_that_deliver_at_once_leave_one_comment(
        self, fixture: Fixture, record_property: Callable[[str, object], None]
    ) -> None:
        require(fixture, Capability.REOPEN)
        guarded = fixture.plugin.read(fixture.make(is_open=True)).item.revision is not None
        if not guarded and not fixture.can(Capability.RETRACT):
            pytest.skip("the tracker can neither delete a comment nor guard it by a revision")
        number = 0
        while _delivers_beside_another(fixture, number):
            number += 1
        record_property("scenarios", number)
        assert number > 0, "the operation sent no request"


def _delivers_beside_another(fixture: Fixture, number: int) -> bool:
    """Whether another clone delivered completely before request `number` of the first one."""
    fixture.proxy.clear()
    clone, item = prepare(fixture, REOPEN)
    clone.reopen(deliver_now=False)
    other = clone.copied("other")

    def meanwhile() -> None:
        other.sync(plugin=fixture.open())

    fixture.proxy.arm(Fault(FaultKind.INTERRUPTED, number, meanwhile=meanwhile))
    clone.sync()
    where = f"another clone before request no. {number + 1}"
    check_item(fixture, item, REOPEN, where=where)
    check_files(clone, item, REOPEN, where=where)
    faulted = any(sent.faulted for sent in fixture.proxy.sent)
    if faulted:
        check_files(other, item, REOPEN, where=where)
    return faulted


# With these faults the tracker ignores the request.
_REFUSALS = (FaultKind.FORBIDDEN, FaultKind.REFLECTED, FaultKind.UNAUTHORISED, FaultKind.DROPPED)


@dataclass(frozen=True, slots=True)
class PartialChange:
    """A change with one request that had no effect.

    Args:
        outcome: the plugin's report, returned or in an error.
        where: the request.
    """

    item: ItemRef
    outcome: Outcome
    where: str


class Parts:
    """Reports of state, comment and labels: exactly the parts done."""

    @pytest.mark.parametrize("kind", _REFUSALS, ids=lambda kind: kind.value)
    def test_an_error_carries_the_parts_that_were_done(
        self, fixture: Fixture, kind: FaultKind
    ) -> None:
        require(fixture, Capability.REOPEN)
        changes = list(_partial_changes(fixture, REOPEN, kind))
        assert changes != [], "a change sends a writing request"
        for partial in changes:
            check_parts(fixture, partial)
            done = partial.outcome
            assert done.after.category.is_open or not done.commented, (
                f"{partial.where}: the comment comes after the state"
            )

    @pytest.mark.parametrize(
        "transition", [REOPEN, CLOSE], ids=lambda transition: transition.operation.value
    )
    def test_a_part_that_the_tracker_ignored_is_not_reported(
        self, fixture: Fixture, transition: Transition
    ) -> None:
        require(fixture, Capability.REOPEN if transition.opens else Capability.CLOSE)
        if type(fixture.harness).ignore_next is Harness.ignore_next:
            pytest.skip("the harness's server cannot ignore a request")
        changes = list(
            _partial_changes(
                fixture, transition, FaultKind.INTERRUPTED, fixture.harness.ignore_next
            )
        )
        assert changes != [], "a change sends a writing request"
        for partial in changes:
            check_parts(fixture, partial)


def check_parts(fixture: Fixture, partial: PartialChange) -> None:
    """Check a report against the server."""
    harness, outcome = fixture.harness, partial.outcome
    item, after = partial.item.id, partial.outcome.after
    assert harness.is_open(item) == after.category.is_open, f"{partial.where}: the reported state"
    is_there = any(REASON in text for text in harness.comments(item))
    assert is_there == outcome.commented, f"{partial.where}: the reported comment"
    labels = {label.casefold() for label in after.labels}
    check_labels(fixture, partial.item, labels, where=f"{partial.where}: the reported labels")


def _partial_changes(
    fixture: Fixture,
    transition: Transition,
    kind: FaultKind,
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[PartialChange]:
    """Apply a fault to each writing request of a change in turn."""
    for number in count():
        item = fixture.make(is_open=not transition.opens, labels=(KEPT, transition.before))
        wanted = make_change(fixture, transition)
        snapshot = fixture.plugin.read(item, wanted)
        fixture.proxy.clear()
        fixture.proxy.arm(Fault(kind, number, _writes, meanwhile))
        outcome = _reported(fixture, snapshot, wanted)
        faulted = [sent.request for sent in fixture.proxy.sent if sent.faulted]
        if not faulted:
            return
        yield PartialChange(item, outcome, f"{kind} at {faulted[0].method} {faulted[0].target}")


def _reported(fixture: Fixture, snapshot: Snapshot, wanted: Change) -> Outcome:
    try:
        return fixture.plugin.write(snapshot, wanted)
    except TrackerError as error:
        if error.done is None:
            raise AssertionError("the error does not carry the parts that were done") from error
        reported: Outcome = error.done
        return reported


def _writes(request: Request) -> bool:
    return request.is_write
