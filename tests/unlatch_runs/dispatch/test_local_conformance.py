"""The dispatcher for this machine keeps the promises of the port."""

import pytest
from tests.unlatch_runs.dispatch.local_harness import LocalHarness

from unlatch_runs.testing.conformance import DispatchConformance


class TestLocal(DispatchConformance):
    @pytest.fixture
    def harness(self, local: LocalHarness) -> LocalHarness:
        return local
