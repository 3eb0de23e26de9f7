"""Tests that operations survive faults and concurrent clones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.spi import Capability
from unlatch.testing.actions import require
from unlatch.testing.checks import CLOSE, REOPEN, check_files, check_item
from unlatch.testing.faults import Fault, FaultKind
from unlatch.testing.scenario import FaultCase, prepare, run_create_faults, run_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.testing.fixture import Fixture


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
    one, item = prepare(fixture, REOPEN)
    one.reopen(deliver_now=False)
    other = one.copied("other")

    def meanwhile() -> None:
        other.sync(plugin=fixture.open())

    fixture.proxy.arm(Fault(FaultKind.INTERRUPTED, number, meanwhile=meanwhile))
    one.sync()
    where = f"another clone before request no. {number + 1}"
    check_item(fixture, item, REOPEN, where=where)
    check_files(one, item, REOPEN, where=where)
    faulted = any(sent.faulted for sent in fixture.proxy.sent)
    if faulted:
        check_files(other, item, REOPEN, where=where)
    return faulted
