"""All state of a sandbox: records as JSON in one SQLite file, one transaction per request."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=_Record)

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (kind, key)
);
CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


class BadState(ValueError):
    """The file cannot store the state of a sandbox."""


class Store:
    """The state; a request holds the lock for its whole transaction, so that others queue.

    Args:
        path: the file; without one the state is kept in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        with ExitStack() as stack:
            try:
                self._connection = sqlite3.connect(
                    path or ":memory:", check_same_thread=False, isolation_level=None
                )
                stack.callback(self._connection.close)
                # A sandbox must survive its own restart, but no power cut.
                self._connection.execute("PRAGMA synchronous = OFF")
                self._claim(path)
            except sqlite3.Error as error:
                raise BadState(f"the file cannot be used as state: {error}") from error
            stack.pop_all()

    def _claim(self, path: Path | None) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise BadState(f"{path} was written by a newer sandbox (version {version})")
        self._connection.executescript(_SCHEMA)
        self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._connection.execute("ROLLBACK")
                raise
            self._depth -= 1
            if self._depth == 0:
                self._connection.execute("COMMIT")

    def next(self, counter: str, *, first: int = 1) -> int:
        row = self._connection.execute(
            "INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + 1 "
            "RETURNING value",
            (counter, first),
        ).fetchone()
        return int(row[0])

    def clear(self) -> None:
        with self.transaction():
            self._connection.execute("DELETE FROM record")
            self._connection.execute("DELETE FROM counter")

    def copy(self) -> sqlite3.Connection:
        """A copy of the state in memory, for `restore`."""
        kept = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        with self._lock:
            self._connection.backup(kept)
        return kept

    def restore(self, kept: sqlite3.Connection) -> None:
        """Return to the state of a copy."""
        with self._lock:
            kept.backup(self._connection)

    @contextmanager
    def looking_back(self, kept: sqlite3.Connection) -> Iterator[None]:
        """Show the state of a copy in place of the present one."""
        with self._lock:
            present, self._connection = self._connection, kept
            try:
                yield
            finally:
                self._connection = present

    def fetch(self, sql: str, *values: str) -> list[tuple[str, str]]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: str) -> int:
        with self.transaction():
            return self._connection.execute(sql, values).rowcount


class Table(Generic[R]):
    """The records of one kind, each a dataclass of JSON values."""

    def __init__(self, store: Store, kind: str, record: type[R]) -> None:
        self._store = store
        self._kind = kind
        self._record = record
        self._names = [field.name for field in fields(record)]

    def get(self, key: str) -> R | None:
        rows = self._store.fetch(
            "SELECT key, body FROM record WHERE kind = ? AND key = ?", self._kind, key
        )
        return self._read(rows[0][1]) if rows else None

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with `prefix`."""
        rows = self._store.fetch(
            "SELECT key, body FROM record WHERE kind = ? AND key >= ? AND key < ?",
            self._kind,
            prefix,
            prefix + chr(0x10FFFF),
        )
        return [key for key, _ in rows]

    def under(self, prefix: str = "") -> list[R]:
        """The records whose key begins with `prefix`, in the order of creation."""
        rows = self._store.fetch(
            "SELECT key, body FROM record WHERE kind = ? AND key >= ? AND key < ? ORDER BY place",
            self._kind,
            prefix,
            prefix + chr(0x10FFFF),
        )
        return [self._read(body) for _, body in rows]

    def _read(self, body: str) -> R:
        """A record; an earlier sandbox may have written values that this one does not have."""
        values = json.loads(body)
        return self._record(**{name: values[name] for name in self._names if name in values})

    def put(self, key: str, record: R) -> None:
        self._store.change(
            "INSERT INTO record (kind, key, body) VALUES (?, ?, ?) "
            "ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
            self._kind,
            key,
            json.dumps({name: getattr(record, name) for name in self._names}),
        )

    def remove(self, key: str) -> bool:
        return (
            self._store.change("DELETE FROM record WHERE kind = ? AND key = ?", self._kind, key) > 0
        )
