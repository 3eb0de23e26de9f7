"""A coordinator that dies anywhere: the run is recovered, and every task is completed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at every third of some 500 boundaries, and in recoveries.
EVERY = "199"


def test_death_at_any_boundary_of_a_coordinator_loses_and_repeats_nothing(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.run_kill", "--every", EVERY)

    record_property("runs", f"{sum(told['deaths'].values())} deaths")
    assert told["wrong"] == {}
    assert told["deaths"]["start"] > 1
