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
    "unlatch.testing.dispatch.claims",
    "unlatch.testing.dispatch.ends",
    "unlatch.testing.dispatch.recovery",
    "unlatch.testing.dispatch.reports",
)

from unlatch.testing.dispatch.claims import Claims  # noqa: E402
from unlatch.testing.dispatch.ends import Ends  # noqa: E402
from unlatch.testing.dispatch.recovery import Recovering  # noqa: E402
from unlatch.testing.dispatch.reports import Reports  # noqa: E402

if TYPE_CHECKING:
    from unlatch.testing.dispatch.harness import DispatchHarness

__all__ = ["DispatchConformance"]


class DispatchConformance(Claims, Reports, Ends, Recovering):
    """All tests; a subclass whose name begins with Test gives them a harness."""

    @pytest.fixture
    def harness(self) -> DispatchHarness:
        """Dispatchers on a storage of their own."""
        raise NotImplementedError("override the fixture `harness`")
