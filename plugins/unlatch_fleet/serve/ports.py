"""What the server needs of the database, with the rights of the enqueue role alone."""

from __future__ import annotations

from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import Transient
from unlatch_fleet.database import rows
from unlatch_fleet.database.connect import Line, opened
from unlatch_fleet.database.setup import check_version

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch_fleet.database.rows import Status

# Writes to the database at the same time.
WRITERS = 4


class Queue(Protocol):
    """Where units wait. Methods wait for the database, and are called in threads.

    All raise `UnlatchError` if the database cannot be reached or used.
    """

    def enqueue(self, repository: str, deliveries: Collection[str]) -> str:
        """Ask for a unit of a repository because of an event.

        Args:
            repository: by its name in fleet.toml.
            deliveries: digests of the messages, noted with the request or not at all; nothing is
                asked for if all are noted already.

        Returns:
            As `rows.enqueue`.
        """

    def status(self) -> Status:
        """The fleet now."""

    def check(self) -> None:
        """Raise unless units can be asked for."""


class Database:
    """The queue in PostgreSQL at an address, with connections that stay open between two writes."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lines: SimpleQueue[Line] = SimpleQueue()
        for _ in range(WRITERS):
            self._lines.put(Line(address))

    def enqueue(self, repository: str, deliveries: Collection[str]) -> str:
        line, ask = self._lines.get(), (repository, rows.EVENT, [*deliveries])
        try:
            with suppress(Transient), line.open() as connection:
                return rows.ask(connection, *ask)
            # The connection may have ended while nobody used it. If this was the answer that was
            # lost, the messages are known already, or one more unit finds nothing to do.
            with line.open() as connection:
                return rows.ask(connection, *ask)
        finally:
            self._lines.put(line)

    def status(self) -> Status:
        return rows.status(self._address)

    def check(self) -> None:
        with opened(self._address) as connection:
            check_version(connection)
