"""A fleet of bare repositories on the sandbox, and PostgreSQL, for the tests of the fleet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.servers import postgres
from tests.servers.availability import skipped_unless_available
from tests.unlatch_fleet.repositories import Fleet

from unlatch_fleet.database.connect import connect
from unlatch_fleet.database.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from unlatch_sandbox import Sandbox


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


@pytest.fixture(scope="session")
def _template(postgres_server: postgres.Postgres) -> Iterator[str]:
    with postgres_server.database() as address:
        set_up(address)
        yield str(conninfo_to_dict(address)["dbname"])


@pytest.fixture
def database(postgres_server: postgres.Postgres, _template: str) -> Iterator[str]:
    """The address of a database with the fleet's tables."""
    with postgres_server.database(_template) as address:
        yield address


@pytest.fixture
def connection(database: str) -> Iterator[psycopg.Connection[Any]]:
    with connect(database) as opened:
        yield opened


@pytest.fixture
def fleet(box: Sandbox, tmp_path: Path) -> Fleet:
    """Without repositories."""
    folder = tmp_path / "fleet"
    folder.mkdir()
    return Fleet(box, folder)
