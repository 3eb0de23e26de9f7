"""An SQLite file that is a cache: it can be deleted at any time, and is rebuilt if damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeVar

    T = TypeVar("T")

# Errors that do not mean a damaged file, each with its next step.
_PASSING = {
    sqlite3.SQLITE_BUSY: "another process is using it; run the command again",
    sqlite3.SQLITE_FULL: "free disk space, then run the command again",
}


class IndexDamaged(StoreError):
    """The index was damaged and has been removed; it can be rebuilt."""


class CacheDatabase:
    """An index in a file; a file of another version is replaced.

    Each use raises StoreError with the id `ERROR_ID` if SQLite cannot use the file; IndexDamaged if
    a new file may work.
    """

    ERROR_ID: str
    SUBJECT: str  # as in "the search index"
    VERSION: int
    PATIENCE = 30.0  # seconds to wait for another process
    TABLES: str  # statements that drop the tables and make them, with semicolons between them

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        try:
            with contextlib.closing(self._connect()) as database, database:
                yield database
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def _connect(self) -> sqlite3.Connection:
        with contextlib.suppress(OSError):  # SQLite reports the cause
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        database = sqlite3.connect(self._path, timeout=self.PATIENCE)
        try:
            if not self._is_current(database):
                database.execute("BEGIN IMMEDIATE")
                if not self._is_current(database):  # another process may have made it meanwhile
                    for statement in self.TABLES.split(";"):
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {self.VERSION}")
                database.commit()
        except BaseException:
            database.close()
            raise
        return database

    def _is_current(self, database: sqlite3.Connection) -> bool:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        return bool(version == self.VERSION)

    def _failure(self, error: sqlite3.DatabaseError) -> StoreError:
        message = f"{self.SUBJECT} cannot be used: {error}"
        if hint := _PASSING.get(getattr(error, "sqlite_errorcode", 0) & 0xFF):
            return StoreError(self.ERROR_ID, message, hint=hint)
        hint = f"rm -r {quote(str(self._path))}, then run the command again"
        if "no such module" in str(error):
            hint = "install a Python whose SQLite has FTS5"
        try:
            # The journal first: SQLite would apply it to the next file.
            for path in (self._path.with_name(f"{self._path.name}-journal"), self._path):
                path.unlink(missing_ok=True)
        except OSError:
            return StoreError(self.ERROR_ID, message, hint=hint)
        return IndexDamaged(self.ERROR_ID, message, hint=hint)


def retry_if_damaged(use: Callable[[], T]) -> T:
    """Use an index; once more if the first use found it damaged."""
    try:
        return use()
    except IndexDamaged:
        return use()
