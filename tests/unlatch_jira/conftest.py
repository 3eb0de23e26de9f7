"""The sandbox's Jira, as Cloud and as Data Center, and the plugin over the real SDK."""

from __future__ import annotations

import zlib
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.unlatch_jira.making import plugin_for

if TYPE_CHECKING:
    from unlatch_jira.plugin import JiraPlugin
    from unlatch_sandbox import Sandbox


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where only the deployment varies, run one of the two, in turn; `make torture` runs both."""
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    for _, group in groupby(here, lambda item: item.nodeid.partition("[")[0]):
        cases = [item for item in group if isinstance(item, pytest.Function)]
        if [case.callspec.params.keys() for case in cases if hasattr(case, "callspec")] == [
            {"either"}
        ] * 2:
            cases[zlib.crc32(cases[0].originalname.encode()) % 2].add_marker("sweep")


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
