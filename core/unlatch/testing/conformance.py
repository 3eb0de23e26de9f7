"""The tests that every plugin passes.

    class TestRoundup(Conformance):
        @pytest.fixture
        def harness(self) -> Harness: ...

They name capabilities, never products: a test is skipped if the plugin does not declare its
capability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# ruff: noqa: E402
# Before they are imported, so that their asserts show both values.
pytest.register_assert_rewrite(
    "unlatch.testing.actions",
    "unlatch.testing.behaviour",
    "unlatch.testing.bodies",
    "unlatch.testing.clone",
    "unlatch.testing.failures",
    "unlatch.testing.history",
    "unlatch.testing.many",
    "unlatch.testing.resilience",
    "unlatch.testing.planning",
    "unlatch.testing.markers",
    "unlatch.testing.scenario",
)

from unlatch.testing.behaviour import Behaviour, People
from unlatch.testing.bodies import Bodies, Labels
from unlatch.testing.failures import Failures
from unlatch.testing.harness import Fixture, Harness
from unlatch.testing.history import Comments, History
from unlatch.testing.many import Many
from unlatch.testing.markers import Markers
from unlatch.testing.planning import Consultation, Planning
from unlatch.testing.proxy import Proxy
from unlatch.testing.resilience import Parts, Resilience

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


__all__ = ["Conformance"]


class Conformance(
    Behaviour,
    Labels,
    Planning,
    Consultation,
    Parts,
    Markers,
    Comments,
    History,
    People,
    Bodies,
    Many,
    Failures,
    Resilience,
):
    """All tests; a subclass whose name begins with Test gives them a harness."""

    @pytest.fixture
    def harness(self) -> Harness:
        """The server to test on."""
        raise NotImplementedError("override the fixture `harness`")

    @pytest.fixture
    def fixture(self, harness: Harness, tmp_path: Path) -> Iterator[Fixture]:
        """The plugin behind a proxy of its own."""
        with Proxy(harness.server) as proxy:
            yield Fixture(harness, proxy, tmp_path)
