"""Operations end well in spite of faults, and beside other clones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.spi import Capability
from unlatch.testing.aim import CLOSE, REOPEN
from unlatch.testing.asking import need
from unlatch.testing.blows import BLOWS, BLOWS_FOR_CLOSE, BLOWS_FOR_CREATE, Blow
from unlatch.testing.checks import check_files, check_item
from unlatch.testing.faults import Fault, Kind
from unlatch.testing.trial import every_creation, every_trial, set_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.testing.bench import Bench


class Endurance:
    """Faults, and clones that deliver at the same time."""

    @pytest.mark.parametrize("blow", BLOWS, ids=str)
    def test_reopen_survives(
        self, bench: Bench, blow: Blow, record_property: Callable[[str, object], None]
    ) -> None:
        need(bench, Capability.REOPEN)
        trials = list(every_trial(bench, REOPEN, blow))
        record_property("trials", len(trials))
        assert trials != [] or not blow.writes, "the operation sent no request"

    @pytest.mark.parametrize("blow", BLOWS_FOR_CLOSE, ids=str)
    def test_close_survives(
        self, bench: Bench, blow: Blow, record_property: Callable[[str, object], None]
    ) -> None:
        need(bench, Capability.CLOSE)
        trials = list(every_trial(bench, CLOSE, blow))
        record_property("trials", len(trials))
        assert trials != []

    @pytest.mark.parametrize("blow", BLOWS_FOR_CREATE, ids=str)
    def test_create_survives(
        self, bench: Bench, blow: Blow, record_property: Callable[[str, object], None]
    ) -> None:
        need(bench, Capability.CREATE)
        trials = list(every_creation(bench, blow))
        record_property("trials", len(trials))
        assert trials != [] or not blow.writes, "the operation sent no request"

    def test_two_clones_that_deliver_at_once_leave_one_comment(
        self, bench: Bench, record_property: Callable[[str, object], None]
    ) -> None:
        need(bench, Capability.REOPEN)
        guarded = bench.plugin.read(bench.make(is_open=True)).item.revision is not None
        if not guarded and not bench.can(Capability.RETRACT):
            pytest.skip("the tracker can neither delete a comment nor guard it by a revision")
        number = 0
        while _delivers_beside_another(bench, number):
            number += 1
        record_property("trials", number)
        assert number > 0


def _delivers_beside_another(bench: Bench, number: int) -> bool:
    """Whether a whole delivery by another clone came before request `number` of the first's."""
    bench.proxy.clear()
    one, item = set_out(bench, REOPEN)
    one.reopen(deliver_now=False)
    other = one.copied("other")

    def meanwhile() -> None:
        other.sync(plugin=bench.open())

    bench.proxy.arm(Fault(Kind.INTERRUPTED, number, meanwhile=meanwhile))
    one.sync()
    where = f"another clone before request no. {number + 1}"
    check_item(bench, item, REOPEN, where=where)
    check_files(one, item, REOPEN, where=where)
    struck = any(sent.struck for sent in bench.proxy.sent)
    if struck:
        check_files(other, item, REOPEN, where=where)
    return struck
