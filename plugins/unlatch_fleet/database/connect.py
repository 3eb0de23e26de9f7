"""Connections to the database; its errors become ours, without the address or a password."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors
from psycopg.rows import namedtuple_row

from unlatch.errors import Transient, UnlatchError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Seconds to wait for a connection.
PATIENCE = 2.0
# The connection is checked, so that one whose other side is gone ends within half a minute.
_OPTIONS: Any = {
    "application_name": "unlatch",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def connect(address: str, *, patience: float = PATIENCE) -> psycopg.Connection[Any]:
    """A connection that commits each statement, with named columns.

    Raises:
        Transient: `fleet-database-away`.
    """
    with translated():
        return psycopg.connect(
            address,
            autocommit=True,
            connect_timeout=max(2, round(patience)),
            row_factory=namedtuple_row,
            **_OPTIONS,
        )


@contextmanager
def opened(address: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection for one use.

    Raises:
        Transient: `fleet-database-away`.
        UnlatchError: `fleet-not-initialised`, `fleet-rights`.
    """
    with translated(), connect(address) as connection:
        yield connection


@contextmanager
def translated() -> Iterator[None]:
    """Raise the database's errors as ours."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise UnlatchError(
            "fleet-rights",
            f"the database refuses this role: {error.diag.message_primary}",
            hint="use a member of the roles that `unlatch fleet init` lists",
        ) from error
    except (errors.UndefinedTable, errors.UndefinedFunction) as error:
        raise UnlatchError(
            "fleet-not-initialised",
            "the database does not have the fleet's tables of this version",
            hint="run `unlatch fleet init` with a role that owns the database",
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Transient(
            "fleet-database-away",
            f"the fleet's database cannot be reached: {_why(error)}",
            hint="check that it runs and accepts this role; nothing is lost meanwhile",
        ) from error


def _why(error: psycopg.Error) -> str:
    """The cause with host and port, which libpq says without a password."""
    first, _, _ = str(error).partition("\n")
    # A password with an @ that is not encoded reads as a part of the host.
    before, _, after = first.rpartition("@")
    return before[: max(before.rfind("'"), before.rfind('"')) + 1] + after


class Line:
    """A connection for many short uses, by any thread; after a failure it is opened anew."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def ask(self, query: str, *values: object) -> Any:
        """The first row of an answer, or None.

        Raises:
            Transient: `fleet-database-away`; what was asked may have been done.
        """
        with self.open() as connection:
            return connection.execute(query, values).fetchone()

    @contextmanager
    def open(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for this thread alone."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = connect(self._address)
                with translated():
                    yield self._connection
            except Transient:
                self._close()
                raise

    def close(self) -> None:
        """End the connection; the next use opens another."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def single(connection: psycopg.Connection[Any], query: str, *values: object) -> Any:
    """The first row of an answer."""
    row = connection.execute(query, values).fetchone()
    assert row is not None  # noqa: S101  (each function of ours answers with a row)
    return row
