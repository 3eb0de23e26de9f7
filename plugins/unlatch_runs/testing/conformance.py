"""The tests that every dispatcher passes.

class TestPostgres(DispatchConformance):
@pytest.fixture
def harness(self) -> DispatchHarness: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# Before they are imported, so that their asserts show both values.
pytest.register_assert_rewrite(
    "unlatch_runs.testing.claims",
    "unlatch_runs.testing.ends",
    "unlatch_runs.testing.recovery",
    "unlatch_runs.testing.reports",
)

from unlatch_runs.testing.claims import Claims  # noqa: E402
from unlatch_runs.testing.ends import Ends  # noqa: E402
from unlatch_runs.testing.recovery import Recovering  # noqa: E402
from unlatch_runs.testing.reports import Reports  # noqa: E402

if TYPE_CHECKING:
    from unlatch_runs.testing.harness import DispatchHarness

__all__ = ["DispatchConformance"]


class DispatchConformance(Claims, Reports, Ends, Recovering):
    """All tests; a subclass whose name begins with Test gives them a harness."""

    @pytest.fixture
    def harness(self) -> DispatchHarness:
        """Dispatchers on a storage of their own."""
        raise NotImplementedError("override the fixture `harness`")
