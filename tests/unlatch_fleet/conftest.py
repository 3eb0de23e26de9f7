"""A fleet of bare repositories on the sandbox, and PostgreSQL, for the tests of the fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.servers import postgres
from tests.servers.postgres_fixtures import empty_database, postgres_server, shared_folder
from tests.unlatch_fleet.repositories import Fleet

from unlatch_fleet.database.connect import connect
from unlatch_fleet.database.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from unlatch_sandbox import Sandbox


__all__ = ["empty_database", "postgres_server", "shared_folder"]


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
