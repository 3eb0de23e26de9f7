"""Independent servers, one of each per test session (per worker under xdist).

Tests share them, so each makes the issues it changes: `closed_issue()`, `done_issue()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.servers import emulate, jira820, roundup
from tests.servers.availability import skipped_unless_available

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def emulate_github(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[emulate.EmulateGitHub]:
    folder = tmp_path_factory.mktemp("emulate")
    with skipped_unless_available(), emulate.emulate_github(folder) as server:
        yield server


@pytest.fixture(scope="session")
def jira820_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[jira820.Jira820]:
    folder = tmp_path_factory.mktemp("jira820")
    with skipped_unless_available(), jira820.jira820_server(folder) as server:
        yield server


@pytest.fixture(scope="session")
def roundup_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[roundup.Roundup]:
    folder = tmp_path_factory.mktemp("roundup")
    with skipped_unless_available(), roundup.roundup_server(folder) as server:
        yield server
