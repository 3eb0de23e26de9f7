"""A database of an agent, opened so that nothing is written beside it.

SQLite makes files beside a database in WAL mode even where it is opened with `mode=ro`. So one
without a log is read as immutable, and one whose log has lost its index (`-shm`) is copied. Only
with both, which a running agent has, are they used as they are.

A file can have views in place of tables, computed columns and pages that occur twice, so what it
reads as and the steps that this takes are limited by its size.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from unlatch_agents.transcripts.files import unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = b"SQLite format 3\0"
# Of a database of any size: characters of a query's rows, and steps of SQLite's machine in all.
_LEAST, _LEAST_STEPS = 1 << 20, 200_000_000
# For each byte of the file; a row without texts counts as some characters.
_TIMES, _STEPS, _ROW = 4, 200, 8
_INTERVAL = 100_000


class Bounded(sqlite3.Connection):
    """A connection whose rows and steps are limited; without limits by default."""

    size: int | None = None

    def limit(self, size: int) -> None:
        """Limit rows and steps to what a file of this size, in bytes, can need."""
        self.size = size
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LEAST + size)
        left = iter(range(0, _LEAST_STEPS + size * _STEPS, _INTERVAL))
        self.set_progress_handler(lambda: next(left, None) is None, _INTERVAL)

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """The rows of a query by the names of their columns; sqlite3.Error."""
        left = None if self.size is None else _LEAST + self.size * _TIMES
        cursor = self.execute(query, values)
        names = [column[0] for column in cursor.description]
        rows: list[dict[str, Any]] = []
        for row in cursor:
            rows.append(dict(zip(names, row, strict=True)))
            if left is not None:
                left -= _ROW + sum(len(value) for value in row if isinstance(value, str | bytes))
                if left < 0:
                    raise sqlite3.DatabaseError("its tables are larger than the file")
        return rows


@contextmanager
def database(path: Path) -> Iterator[Bounded]:
    """Open a database for reading; StoreError `transcript-unreadable`, also while it is read."""
    log, index = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    try:
        if not log.exists():
            with _connected(path, "mode=ro&immutable=1") as connection:
                yield connection
        elif index.exists():
            with _connected(path, "mode=ro") as connection:
                yield connection
        else:
            with TemporaryDirectory(prefix="unlatch-") as folder:
                copy = Path(folder, path.name)
                copyfile(path, copy)
                copyfile(log, copy.with_name(log.name))
                with _connected(copy, "mode=ro") as connection:
                    yield connection
    except (sqlite3.Error, OSError) as error:
        raise unreadable(path, str(error)) from error


@contextmanager
def _connected(path: Path, options: str) -> Iterator[Bounded]:
    uri = f"{path.absolute().as_uri()}?{options}"
    with closing(sqlite3.connect(uri, uri=True, factory=Bounded)) as connection:
        log = path.with_name(f"{path.name}-wal")
        connection.limit(sum(file.stat().st_size for file in (path, log) if file.exists()))
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection
