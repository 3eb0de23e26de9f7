"""Dispatchers for this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_runs.dispatch.local_harness import LocalHarness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalHarness]:
    """A harness that ends all its workers."""
    harness = LocalHarness(tmp_path)
    yield harness
    harness.end()
