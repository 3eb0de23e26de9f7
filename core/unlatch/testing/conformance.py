"""The tests that every plugin passes.

    class TestRoundup(Conformance):
        @pytest.fixture
        def laboratory(self) -> Laboratory: ...

They name capabilities, never products: what a plugin does not declare is not asked of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# Before they are loaded, so that their asserts say what was expected and what was there.
pytest.register_assert_rewrite(
    "unlatch.testing.behaviour",
    "unlatch.testing.checks",
    "unlatch.testing.endurance",
    "unlatch.testing.parts",
    "unlatch.testing.planning",
    "unlatch.testing.traces",
    "unlatch.testing.trial",
)

from unlatch.testing.behaviour import Behaviour  # noqa: E402
from unlatch.testing.bench import Bench  # noqa: E402
from unlatch.testing.endurance import Endurance  # noqa: E402
from unlatch.testing.parts import Parts  # noqa: E402
from unlatch.testing.planning import Planning  # noqa: E402
from unlatch.testing.proxy import Proxy  # noqa: E402
from unlatch.testing.traces import Traces  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.testing.laboratory import Laboratory

__all__ = ["Conformance"]


class Conformance(Behaviour, Planning, Parts, Traces, Endurance):
    """All tests; a subclass whose name begins with Test gives them a laboratory."""

    @pytest.fixture
    def laboratory(self) -> Laboratory:
        """The server to test on."""
        raise NotImplementedError("override the fixture `laboratory`")

    @pytest.fixture
    def bench(self, laboratory: Laboratory, tmp_path: Path) -> Iterator[Bench]:
        """The plugin behind a proxy of its own."""
        with Proxy(laboratory.server) as proxy:
            yield Bench(laboratory, proxy, tmp_path)
