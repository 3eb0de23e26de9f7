"""Tables, versions, roles and the address of the fleet's database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import errors

from unlatch.errors import UnlatchError
from unlatch_fleet.database import rows, setup
from unlatch_fleet.database.address import choose_address
from unlatch_fleet.database.connect import opened
from unlatch_fleet.database.rows import Listed
from unlatch_fleet.database.setup import ENQUEUE, WORKER

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = "github.com/acme/api"


def test_tables_are_set_up_once_and_keep_their_rows(empty_database: str) -> None:
    assert setup.set_up(empty_database).before == 0
    with opened(empty_database) as connection:
        rows.list_repositories(connection, [Listed(REPOSITORY, "acme", 60)])
    assert setup.set_up(empty_database).before == setup.VERSION
    with opened(empty_database) as connection:
        setup.check_version(connection)
        assert rows.listed_names(connection) == [REPOSITORY]


def test_database_without_tables_is_named_with_the_command(empty_database: str) -> None:
    with pytest.raises(UnlatchError, match="fleet-not-initialised") as caught:
        rows.status(empty_database)
    assert caught.value.hint is not None
    assert "unlatch fleet init" in caught.value.hint


@pytest.mark.parametrize(
    ("version", "compatible", "refused"),
    [
        (setup.VERSION + 1, setup.VERSION, False),  # upgraded: older nodes go on
        (setup.VERSION + 1, setup.VERSION + 1, True),
        (setup.VERSION - 1, setup.VERSION - 1, True),
    ],
)
def test_node_leaves_tables_of_another_version_alone(
    connection: psycopg.Connection[Any], *, version: int, compatible: int, refused: bool
) -> None:
    query = "UPDATE fleet_version SET version = %s, compatible = %s"
    connection.execute(query, (version, compatible))
    if not refused:
        setup.check_version(connection)
        return
    with pytest.raises(UnlatchError, match="fleet-version"):
        setup.check_version(connection)


def test_init_refuses_tables_of_a_newer_version(database: str) -> None:
    with opened(database) as connection:
        connection.execute("UPDATE fleet_version SET version = 99")
    with pytest.raises(UnlatchError, match="fleet-version"):
        setup.set_up(database)


@pytest.fixture
def as_role(connection: psycopg.Connection[Any]) -> Iterator[psycopg.Connection[Any]]:
    rows.list_repositories(connection, [Listed(REPOSITORY, "acme", 60)])
    yield connection
    connection.execute("RESET ROLE")


ALLOWED = {
    "SELECT fleet_enqueue('github.com/acme/api', 10, '{}')": {ENQUEUE, WORKER},
    "SELECT * FROM fleet_status": {ENQUEUE, WORKER},
    "SELECT * FROM fleet_unit": {WORKER},
    "SELECT * FROM fleet_delivery": {WORKER},
    "SELECT * FROM procrastinate_jobs": {WORKER},
    "UPDATE fleet_repository SET is_paused = true": {WORKER},
    "SELECT fleet_defer('github.com/acme/api', 10)": {WORKER},
    "SELECT fleet_end(1, 1, 'done', '', NULL, false)": {WORKER},
    "SELECT fleet_reserve('a', 1, '{1}', '{1}', 0, 9, 0.2, false)": {WORKER},
    "UPDATE fleet_version SET version = 2": set[str](),
    "DROP TABLE fleet_unit": set[str](),
    "CREATE TABLE other (id integer)": set[str](),
}


@pytest.mark.parametrize("role", [ENQUEUE, WORKER])
def test_roles_may_do_no_more_than_their_task(as_role: psycopg.Connection[Any], role: str) -> None:
    as_role.execute(f"SET ROLE {role}")
    allowed = set()
    for statement in ALLOWED:
        try:
            with as_role.transaction(force_rollback=True):
                as_role.execute(statement)
            allowed.add(statement)
        except errors.InsufficientPrivilege:
            pass
    assert allowed == {statement for statement, roles in ALLOWED.items() if role in roles}


@pytest.mark.parametrize(
    ("typed", "noted", "variable", "expected"),
    [
        ("postgresql:///fleet", "postgresql:///noted", "postgresql:///variable", "typed"),
        (None, "postgresql:///noted", "postgresql:///variable", "variable"),
        (None, "postgresql:///noted", None, "noted"),
        (None, None, None, "fleet-database-missing"),
        ("postgresql://me:secret@localhost/fleet", None, None, "fleet-password-typed"),
        ("host=localhost password=secret", None, None, "fleet-password-typed"),
        ("postgresql://localhost/fleet?password=secret", None, None, "fleet-password-typed"),
        ("host=localhost sslpassword=secret", None, None, "fleet-password-typed"),
        ("postgresql://me:secret@host/fleet?nothing=1", None, None, "fleet-database-invalid"),
        (None, "postgresql://me:secret@localhost/fleet", None, "noted"),
        (None, "postgresql://db.example/fleet?sslmode=prefer", None, "fleet-database-plain"),
        (None, "host=127.0.0.1,db.example sslmode=disable", None, "fleet-database-plain"),
        (None, "service=fleet sslmode=allow", None, "fleet-database-plain"),
        (None, "postgresql://[::1]/fleet?sslmode=disable", None, "noted"),
        (None, "host=/run/postgresql", None, "noted"),
    ],
)
def test_address_comes_from_safe_places_and_needs_tls_elsewhere(
    typed: str | None, noted: str | None, variable: str | None, expected: str
) -> None:
    given = {"typed": typed, "noted": noted, "variable": variable}
    environment = {} if variable is None else {"UNLATCH_FLEET_DATABASE": variable}
    if expected in given:
        assert choose_address(typed, noted, environment) == given[expected]
        return
    with pytest.raises(UnlatchError, match=expected) as caught:
        choose_address(typed, noted, environment)
    assert "secret" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("mode", [None, "require", "verify-full"])
def test_tls_is_required_where_the_address_leaves_it_open(mode: str | None) -> None:
    noted = "host=db.example" + (f" sslmode={mode}" if mode else "")
    assert f"sslmode={mode or 'require'}" in choose_address(None, noted, {})


@pytest.mark.parametrize("variable", ["PGHOST", "PGHOSTADDR", "PGSERVICE"])
def test_tls_is_required_where_a_variable_names_the_host(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "192.0.2.1")
    assert "sslmode=require" in choose_address(None, "dbname=fleet", {})


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("host=/nowhere password=secret user=me", '"/nowhere/.s.PGSQL.5432" failed: No such file'),
        ("postgresql://me:secret@127.0.0.1:1/db", '"127.0.0.1", port 1 failed: Connection refused'),
        ("postgresql://me:my@secret@nowhere.invalid/db", "resolve host 'nowhere.invalid'"),
    ],
)
def test_database_that_is_away_is_said_with_its_cause_and_no_password(
    address: str, why: str
) -> None:
    with pytest.raises(UnlatchError, match="fleet-database-away") as caught:
        rows.status(address)
    assert why in caught.value.message
    assert "secret" not in str(caught.value)
