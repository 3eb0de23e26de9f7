"""Nodes as processes keep what the port of dispatchers promises."""

import pytest
from tests.unlatch_fleet.tasks.fleet_harness import FleetHarness

from unlatch_runs.testing.conformance import DispatchConformance


class TestFleet(DispatchConformance):
    @pytest.fixture
    def harness(self, fleet: FleetHarness) -> FleetHarness:
        return fleet
