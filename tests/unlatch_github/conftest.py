"""The sandbox's GitHub, and the plugin over the real SDK and the real transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_github.making import plugin_for

from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_github.plugin import GithubPlugin


@pytest.fixture(scope="session")
def _running() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


@pytest.fixture
def box(_running: Sandbox) -> Sandbox:
    _running.reset()
    return _running


@pytest.fixture
def plugin(box: Sandbox) -> GithubPlugin:
    return plugin_for(box)
