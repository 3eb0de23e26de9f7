"""Creating the tables, and bringing them to this version."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from procrastinate.schema import SchemaManager
from psycopg.errors import DuplicateObject, InsufficientPrivilege, UniqueViolation
from psycopg.sql import SQL, Identifier

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch_fleet.database.connect import opened, single, translated

if TYPE_CHECKING:
    import psycopg

# Of the tables: the number of the last file in migrations/. The oldest code that may use them.
VERSION, COMPATIBLE = 3, 1
ENQUEUE, WORKER = "unlatch_fleet_enqueue", "unlatch_fleet_worker"
_ENGINE = "procrastinate"
# Only one `init` at a time; the number means nothing else.
_LOCK = "SELECT pg_advisory_xact_lock(7262816050013)"
_GRANTS = f"""
  GRANT USAGE ON SCHEMA public TO {ENQUEUE}, {WORKER};
  GRANT SELECT ON fleet_version, fleet_status, fleet_nodes, fleet_budgets, fleet_recent
    TO {ENQUEUE}, {WORKER};
  GRANT EXECUTE ON FUNCTION fleet_enqueue TO {ENQUEUE};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {WORKER};
  REVOKE INSERT, UPDATE, DELETE ON fleet_version FROM {WORKER};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {WORKER};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {WORKER};
"""  # noqa: S608  (the names are the two above)


@dataclass(frozen=True, slots=True)
class Tables:
    """What `set_up` did.

    Args:
        before: the version of the tables that it found; 0 for none.
        version: the present one.
        roles: the roles that logins of servers and of nodes have to be members of.
    """

    before: int
    version: int
    roles: tuple[str, str] = (ENQUEUE, WORKER)


def set_up(address: str) -> Tables:
    """Create what is missing of the tables and roles, all or nothing.

    Raises:
        Transient: `fleet-database-away`.
        UnlatchError: `fleet-rights`; `fleet-version`: a newer unlatch made the tables.
    """
    with opened(address) as connection, translated(), connection.transaction():
        connection.execute(_LOCK)
        before, engine = _present(connection)
        if before > VERSION:
            raise _newer(before)
        _set_up_engine(connection, engine)
        for number in range(before + 1, VERSION + 1):
            connection.execute(_migration(number))
        connection.execute("DELETE FROM fleet_version")
        installed = version(_ENGINE)
        row = VERSION, COMPATIBLE, installed
        connection.execute("INSERT INTO fleet_version VALUES (%s, %s, %s)", row)
        _set_up_roles(connection)
    return Tables(before, VERSION)


def check_version(connection: psycopg.Connection[Any]) -> None:
    """Raise unless this code may use the tables: an older node goes on beside a newer one.

    Raises:
        UnlatchError: `fleet-version`, `fleet-not-initialised`.
    """
    with translated():
        row = single(connection, "SELECT version, compatible FROM fleet_version")
    if row.compatible > VERSION:
        raise _newer(row.version)
    if row.version < VERSION:
        raise UnlatchError(
            "fleet-version",
            f"the tables have version {row.version}, but version {VERSION} is needed",
            hint="run `unlatch fleet init` with a role that owns the database",
        )


def _newer(number: int) -> UnlatchError:
    return UnlatchError(
        "fleet-version",
        f"a newer unlatch made these tables (version {number}; this one knows {VERSION})",
        hint="upgrade unlatch on this machine",
    )


def _present(connection: psycopg.Connection[Any]) -> tuple[int, str]:
    """The versions of our tables and of the engine's, 0 and "" for none."""
    if single(connection, "SELECT to_regclass('public.fleet_version') AS found").found is None:
        return 0, ""
    row = single(connection, "SELECT version, engine FROM fleet_version")
    return row.version, row.engine


def _set_up_engine(connection: psycopg.Connection[Any], before: str) -> None:
    if not before:
        connection.execute(SchemaManager.get_schema())
        return
    folder = Path(SchemaManager.get_migrations_path())
    # "03.04.00_50_post_add_retry.sql": the version that needs it, then the order.
    for file in sorted(folder.glob("*.sql")):
        if _numbers(before) < _numbers(file.name) <= _numbers(version(_ENGINE)):
            connection.execute(file.read_text(encoding="utf-8"))


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", name)[:3]))


def _migration(number: int) -> str:
    file = files(__package__) / "migrations" / f"{number:04}.sql"
    return file.read_text(encoding="utf-8")


def _set_up_roles(connection: psycopg.Connection[Any]) -> None:
    for name in (ENQUEUE, WORKER):
        row = single(connection, "SELECT to_regrole(%s) AS found", name)
        if row.found is None:
            try:
                # Roles belong to the server: another database of it may make them just now.
                with suppress(DuplicateObject, UniqueViolation), connection.transaction():
                    connection.execute(SQL("CREATE ROLE {} NOLOGIN").format(Identifier(name)))
            except InsufficientPrivilege as error:
                raise UnlatchError(
                    "fleet-rights",
                    f"this role may not create the role {name}",
                    hint=f"let an administrator run: CREATE ROLE {ENQUEUE}; CREATE ROLE {WORKER};",
                ) from error
    connection.execute(_GRANTS)
