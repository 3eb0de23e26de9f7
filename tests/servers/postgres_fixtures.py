"""Fixtures of tests that need PostgreSQL; a conftest imports them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.servers import postgres
from tests.servers.availability import skipped_unless_available

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this test session, the same for all workers."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def postgres_server(shared_folder: Path) -> Iterator[postgres.Postgres]:
    with skipped_unless_available(), postgres.running(shared_folder) as server:
        yield server


@pytest.fixture
def empty_database(postgres_server: postgres.Postgres) -> Iterator[str]:
    """The address of a database without tables."""
    with postgres_server.database() as address:
        yield address
