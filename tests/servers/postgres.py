"""PostgreSQL for tests: one server a test session, which all workers share.

The server that `UNLATCH_TEST_DATABASE` names (a URL or "host=... dbname=..."; its role creates
databases and roles), else one that a keeper starts: a process that ends with the last test process
that uses it, also when that is killed.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from filelock import FileLock
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from tests.servers.process import NotStarted, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

START_SECONDS = 60.0
# Of the databases of this process, on whichever server.
_NUMBERS = count()
_KEEPER = Path(__file__).with_name("postgres_keeper.py")


@dataclass(frozen=True)
class Postgres:
    """A running server.

    Args:
        address: of its database `postgres`, for a role that creates databases and roles.
        control: the words that stop and start it (`stop`, `start`), if the tests started it.
    """

    address: str
    keeper: socket.socket | None = None

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """The address of a new database, which is dropped at the end with all connections."""
        name = f"unlatch_{os.getpid()}_{next(_NUMBERS)}"
        self._execute("CREATE DATABASE {} TEMPLATE {}", name, template)
        try:
            yield make_conninfo(self.address, dbname=name)
        finally:
            self._execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def restart(self) -> None:
        """Restart it as after a crash; it accepts connections again when this returns."""
        assert self.keeper is not None, "the server is not ours to restart"
        self.keeper.sendall(b"restart\n")
        assert self.keeper.recv(16) == b"done\n"

    def _execute(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(SQL(statement).format(*map(Identifier, names)))


@contextmanager
def running(
    shared: Path, environment: Mapping[str, str] = os.environ, *, is_own: bool = False
) -> Iterator[Postgres]:
    """The server of this test session.

    Args:
        shared: the folder that all workers of the session see.
        is_own: start one for the caller alone, to restart it.

    Raises:
        Unavailable: this machine has no PostgreSQL.
    """
    if (address := environment.get("UNLATCH_TEST_DATABASE")) and not is_own:
        yield Postgres(address)
        return
    note = shared / ("postgres.json" if not is_own else f"postgres-{os.getpid()}.json")
    with FileLock(f"{note}.lock"):
        keeper = _joined(note) or _started(note)
    with keeper:
        yield Postgres(json.loads(note.read_text(encoding="utf-8"))["address"], keeper)


def _joined(note: Path) -> socket.socket | None:
    """A connection to the keeper: the server lives as long as there is one."""
    keeper = socket.socket(socket.AF_UNIX)
    with suppress(OSError, ValueError, KeyError):
        keeper.connect(json.loads(note.read_text(encoding="utf-8"))["keeper"])
        if keeper.recv(16) == b"here\n":
            return keeper
    keeper.close()
    return None


def _started(note: Path) -> socket.socket:
    note.unlink(missing_ok=True)
    log = note.with_suffix(".log")
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", str(_KEEPER), str(note), _temporary()],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    ends = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < ends:
        if note.exists() and (keeper := _joined(note)):
            process.returncode = 0  # it outlives this process where others use the server
            return keeper
        time.sleep(0.02)
    text = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise Unavailable(text.strip()) if process.poll() == os.EX_UNAVAILABLE else NotStarted(text)


def _temporary() -> str:
    """A folder that every user may enter, for the server refuses to run as root."""
    folder = Path(tempfile.gettempdir())
    is_open = all(place.stat().st_mode & 0o001 for place in (folder, *folder.parents))
    return str(folder) if is_open or os.geteuid() != 0 else "/tmp"
