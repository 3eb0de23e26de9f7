"""The dispatcher for this machine keeps the promises of the port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.testing.dispatch.conformance import DispatchConformance

if TYPE_CHECKING:
    from tests.runs.dispatch.local_harness import LocalHarness


class TestLocal(DispatchConformance):
    @pytest.fixture
    def harness(self, local: LocalHarness) -> LocalHarness:
        return local
