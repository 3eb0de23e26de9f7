"""A database of an agent, opened so that nothing is written beside it.

SQLite makes files beside a database in WAL mode even where it is opened with `mode=ro`. So one
without a log is read as immutable, and one whose log has lost its index (`-shm`) is copied. Only
with both, which a running agent has, are they used as they are.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from unlatch_agents.transcripts.files import unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = b"SQLite format 3\0"


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
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
def _connected(path: Path, options: str) -> Iterator[sqlite3.Connection]:
    uri = f"{path.absolute().as_uri()}?{options}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection
