"""The sandbox's Azure DevOps, and the plugin over the real SDK and the real transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_ado.making import plugin_for

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_ado.plugin import AdoPlugin
    from unlatch_sandbox import Sandbox


@pytest.fixture
def plugin(box: Sandbox, tmp_path: Path) -> AdoPlugin:
    return plugin_for(box, cache=tmp_path)
