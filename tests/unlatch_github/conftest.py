"""The sandbox's GitHub, and the plugin over the real SDK and the real transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_github.making import plugin_for

if TYPE_CHECKING:
    from unlatch_github.plugin import GithubPlugin
    from unlatch_sandbox import Sandbox


@pytest.fixture
def plugin(box: Sandbox) -> GithubPlugin:
    return plugin_for(box)
