"""The sandbox's Jira, as Cloud and as Data Center, and the plugin over the real SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_jira.making import plugin_for

if TYPE_CHECKING:
    from unlatch_jira.plugin import JiraPlugin
    from unlatch_sandbox import Sandbox


@pytest.fixture
def server(box: Sandbox) -> Sandbox:
    """Jira Data Center."""
    box.jira.add_project("SCRUM", deployment="Server")
    return box


@pytest.fixture(params=["Cloud", "Server"])
def either(request: pytest.FixtureRequest, box: Sandbox) -> Sandbox:
    """Each of the two."""
    box.jira.add_project("SCRUM", deployment=request.param)
    return box


@pytest.fixture
def plugin(box: Sandbox) -> JiraPlugin:
    return plugin_for(box)
