"""A fleet under blows, in small; `make torture` carries out larger ones (tests/fleet/load.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fleet.load import Load, carry_out

from unlatch_fleet.database.connect import connect

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.postgres import Postgres


def _break_connections(database: str) -> None:
    """As a restart of the server does; this one belongs to other tests, too."""
    query = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()"""
    with connect(database) as connection:
        connection.execute(query)


def test_blows_at_nodes_double_and_lose_nothing(postgres_server: Postgres, tmp_path: Path) -> None:
    load = Load(6, 3, webhooks=15, nodes=2, blows=2, lease=3.0, settle=0.3, is_warm=True)
    run = carry_out(load, tmp_path, postgres_server, _break_connections)
    assert ([], 18) == (run.wrong, run.figures["itemsJudged"])
    assert {"queued": 10, "known already": 5} == run.figures["webhooks"]
