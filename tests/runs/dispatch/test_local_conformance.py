"""The dispatcher for this machine keeps the promises of the port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.runs.dispatch.local_harness import LocalHarness

from unlatch.testing.dispatch.conformance import DispatchConformance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestLocal(DispatchConformance):
    @pytest.fixture
    def harness(self, tmp_path: Path) -> Iterator[LocalHarness]:
        harness = LocalHarness(tmp_path)
        yield harness
        harness.end()
