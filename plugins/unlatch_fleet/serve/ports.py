"""What the server needs of the database, with the rights of the enqueue role alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from unlatch.values import dataclass
from unlatch_fleet.database import rows
from unlatch_fleet.database.connect import opened
from unlatch_fleet.database.setup import check_version

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch_fleet.database.rows import Status


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


@dataclass(frozen=True, slots=True)
class Database:
    """The queue in PostgreSQL at an address."""

    address: str

    def enqueue(self, repository: str, deliveries: Collection[str]) -> str:
        return rows.enqueue(self.address, repository, [*deliveries])

    def status(self) -> Status:
        return rows.status(self.address)

    def check(self) -> None:
        with opened(self.address) as connection:
            check_version(connection)
