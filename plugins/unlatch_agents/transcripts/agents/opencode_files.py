"""OpenCode before 1.2: a JSON file for each session, message and part, read as its database is.

They are `session/<project>/<id>.json`, `message/<session>/<id>.json` and `part/<message>/<id>.json`
in `storage`. Their names are the ids: earlier moves of files left other ones inside.
Source: anomalyco/opencode packages/opencode/src/storage/json-migration.ts (062aa8c0).
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from glob import escape
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents.sqlite_file import Bounded
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import MAX_LINE
from unlatch_agents.transcripts.values import count, mapping, parsed_object, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch_agents.transcripts.conversation import Json

_COLUMNS = "id, parent_id, directory, title, version, revert, time_created, time_updated"
_TABLES = (
    f"CREATE TABLE session ({_COLUMNS})",
    "CREATE TABLE message (id, session_id, time_created, data)",
    "CREATE TABLE part (id, message_id, session_id, time_created, data)",
)


def is_session(value: Json) -> bool:
    """Whether an object is that of a session's file."""
    return {"id", "projectID", "title", "time"} <= value.keys()


def read_session(path: Path) -> Json:
    """The session in a file, as its row in the database; empty if it is none."""
    value = parsed_object(_content(path))
    time = mapping(value.get("time"))
    if not is_session(value):
        return {}
    return {
        "id": path.stem,
        "parent_id": text(value.get("parentID")),
        "directory": text(value.get("directory")),
        "title": text(value.get("title")),
        "version": text(value.get("version")),
        "revert": json.dumps(mapping(value.get("revert"))),
        "time_created": count(time.get("created")),
        "time_updated": count(time.get("updated")),
    }


@contextmanager
def database(path: Path) -> Iterator[Bounded]:
    """A database in memory with the session in a file, and those that its agents began."""
    path = path.absolute()
    storage = path.parent.parent.parent
    files = dict.fromkeys([*_files(storage, "session", path.parent.name), path])
    sessions = [row for file in files if (row := read_session(file))]
    with closing(sqlite3.connect(":memory:", factory=Bounded)) as connection:
        for query in _TABLES:
            connection.execute(query)
        wanted = [row for row in sessions if row["id"] == path.stem]
        for row in wanted:  # it grows
            wanted += [
                session
                for session in sessions
                if session["parent_id"] == row["id"] and session not in wanted
            ]
            connection.execute(
                "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row.values(),)
            )
            _add_messages(connection, storage, row["id"])
        yield connection


def _add_messages(connection: sqlite3.Connection, storage: Path, session: str) -> None:
    for file in _files(storage, "message", session):
        message, content = file.stem, _content(file)
        at = count(mapping(parsed_object(content).get("time")).get("created"))
        own = (message, session, at, content)
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", own)
        for part in _files(storage, "part", message):
            values = (part.stem, message, session, at, _content(part))
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", values)


def _files(storage: Path, kind: str, owner: str) -> Iterator[Path]:
    return (file for file, _ in matching(storage, [kind, escape(owner), "*.json"]))


def _content(path: Path) -> str:
    """The text of a file; none, which is no JSON, if it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(MAX_LINE).decode("utf-8", "replace")
    except StoreError:
        return ""
