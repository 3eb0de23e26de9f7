"""A fixture of the kit whose plugin a test can mutate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conformance.test_github import GithubHarness
from tests.testing.mutated import MutatedFixture

from unlatch.testing import Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.testing import Harness
    from unlatch_sandbox import Sandbox


@pytest.fixture
def fixture(
    box: Sandbox, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[MutatedFixture]:
    """That of GitHub, or of another harness that the test names as its parameter."""
    harness: Harness = getattr(request, "param", GithubHarness)(box)
    with Proxy(harness.server) as proxy:
        yield MutatedFixture(harness, proxy, tmp_path)
