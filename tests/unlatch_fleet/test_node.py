"""Nodes: units of many repositories, taken over from nodes that die."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from psycopg.sql import SQL, Identifier
from tests.fleet.nodes import KEY, nodes_of
from tests.unlatch_fleet.repositories import REASON

from unlatch_fleet.database import rows
from unlatch_fleet.database.connect import connect
from unlatch_fleet.database.rows import Listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unlatch_fleet.repositories import Fleet


@pytest.mark.sweep
def test_nodes_deliver_each_repository_once(fleet: Fleet, database: str) -> None:
    for _ in range(2):
        fleet.add()
    fleet.write()
    with nodes_of(fleet, database, 2) as nodes:
        nodes.wait(nodes.is_idle)
        assert all(fleet.is_delivered(repository) for repository in fleet.repositories)
        assert [0, 0] == [node.stop() for node in nodes.nodes]
    content = "\n".join(_content(database))
    assert str(fleet.repositories[0].path) in content
    secrets = [*fleet.box.environ().values(), KEY, REASON, "Part", "Gil"]
    assert [] == [text for text in secrets if text in content]


def _content(database: str) -> Iterator[str]:
    """All that the database holds."""
    with connect(database) as connection:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        for (name,) in connection.execute(query).fetchall():
            whole = SQL("SELECT t::text FROM {} t").format(Identifier(name))
            yield from (row[0] for row in connection.execute(whole))


def test_unit_whose_end_the_database_lost_begins_again(fleet: Fleet, database: str) -> None:
    repository = fleet.add(items=1)
    fleet.write()
    with nodes_of(fleet, database, 1, lease=1.5, settle=0.1) as nodes:
        nodes.wait(nodes.is_idle)
        with connect(database) as connection:
            job = "SELECT fleet_begin(r.name, epoch, 999) FROM fleet_repository r, fleet_node"
            connection.execute(job)
        assert not nodes.is_idle()
        nodes.wait(nodes.is_idle)
        with connect(database) as connection:
            units = connection.execute("SELECT outcome, error FROM fleet_unit ORDER BY id")
            assert [("done", None), ("later", "unit-forgotten"), ("done", None)] == [*units]
    assert fleet.is_delivered(repository)


def test_row_of_the_database_begins_nothing_that_the_node_does_not_list(
    fleet: Fleet, database: str
) -> None:
    listed, stranger = fleet.add(items=1), fleet.add(items=1)
    fleet.repositories.remove(stranger)
    fleet.write()
    with connect(database) as connection:
        rows.list_repositories(connection, [Listed(str(stranger.path), "default", 60)])
    with nodes_of(fleet, database, 1) as nodes:
        nodes.wait(nodes.is_idle)
        clones = [*(nodes.nodes[0].folder / "clones").iterdir()]
        status = rows.status(database)
        assert {row.repository: (row.state, row.error) for row in status.repositories} == {
            str(listed.path): ("done", None),
            str(stranger.path): ("person", "fleet-repository-unknown"),
        }
        assert len(clones) == 1
        assert [0] == fleet.comments(stranger)

        fleet.repositories.append(stranger)
        fleet.write()
        with connect(database) as connection:
            rows.retry(connection, [str(stranger.path)])
        nodes.wait(lambda: fleet.is_delivered(stranger))
