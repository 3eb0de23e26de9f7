"""An index of sessions, in the user's own state folder: a cache that can be deleted at any time.

It has one entry for each file, and the entry's rows in TOON (Token-Oriented Object Notation,
github.com/toon-format/spec). Three flat tables, because TOON is short for flat tables only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.search_index import CacheDatabase, retry_if_damaged
from unlatch.worklog.times import stamp
from unlatch_sessions.session_model import CalloutKind, Phase, Session

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch_sessions.store import SessionStore

_VERSION = 1
_TABLES = """
DROP TABLE IF EXISTS session;
CREATE TABLE session (name TEXT PRIMARY KEY, stamp TEXT, entry TEXT, toon TEXT)
"""
_NAMES = ("sessions", "participants", "phases")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Indexed:
    """The rows of one session.

    Args:
        session: id, status, started, ended, channel, model, tokens, calls, failures and so on.
        participants: an agent each.
        phases: a phase each.
    """

    session: Row
    participants: tuple[Row, ...]
    phases: tuple[Row, ...]

    def tables(self) -> dict[str, list[Row]]:
        return {
            "sessions": [self.session],
            "participants": [*self.participants],
            "phases": [*self.phases],
        }


class SessionIndex(CacheDatabase):
    """The index of one store, in a file.

    Each call raises StoreError `index-unavailable` if SQLite can neither open nor create the file.
    """

    ERROR_ID = "index-unavailable"
    SUBJECT = "the index of sessions"
    VERSION, TABLES = _VERSION, _TABLES

    def __init__(self, path: Path, store: SessionStore) -> None:
        super().__init__(path)
        self._store = store

    def entries(self) -> list[Indexed]:
        """All sessions by file name, from the present files."""
        return [_read(json.loads(entry)) for entry, _ in retry_if_damaged(self._rows)]

    def toon(self, names: Iterable[str] | None = None) -> str:
        """The tables in TOON.

        Args:
            names: the ids of the sessions; by default all.
        """
        wanted = None if names is None else set(names)
        lines: dict[str, list[str]] = {table: [] for table in _NAMES}
        columns: dict[str, list[str]] = {}
        for entry, rows in retry_if_damaged(self._rows):
            tables = json.loads(entry)
            if wanted is None or tables["sessions"][0]["id"] in wanted:
                for table, table_rows in json.loads(rows).items():
                    lines[table] += table_rows
                    columns |= {table: [*tables[table][0]]} if table_rows else {}
        return "".join(_table(table, columns.get(table), rows) for table, rows in lines.items())

    def _rows(self) -> list[tuple[str, str]]:
        """The entry of each session, and its rows in TOON."""
        with self._open() as database:
            self._refresh(database)
            return database.execute(
                "SELECT entry, toon FROM session WHERE entry <> '' ORDER BY name"
            ).fetchall()

    def _refresh(self, database: sqlite3.Connection) -> None:
        """Read changed files; forget removed ones."""
        database.execute("BEGIN IMMEDIATE")
        versions = dict(database.execute("SELECT name, stamp FROM session").fetchall())
        for name, version in self._store.stamps():
            if versions.pop(name, None) != version:
                entry = _entry(self._store, name)
                row = (name, version, *entry)
                database.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?)", row)
        gone = [(name,) for name in versions]
        database.executemany("DELETE FROM session WHERE name = ?", gone)


def rows_of(session: Session) -> Indexed:
    """The rows of a session; a missing value is None."""
    meta = session.meta
    calls = [call for phase in session.phases for call in phase.calls]
    row = {
        "id": session.id,
        "title": session.title,
        "status": meta.status.value,
        "started": stamp(meta.started) if meta.started else None,
        "ended": stamp(meta.ended) if meta.ended else None,
        "channel": meta.channel,
        "model": meta.model,
        "tokens": meta.tokens_used,
        "calls": len(calls),
        "failures": sum(call.failed for call in calls),
        "decisions": _count(session, CalloutKind.DECISION),
        "errors": _count(session, CalloutKind.ERROR),
    }
    agents = [participant.partition("@") for participant in meta.participants]
    participants = tuple(
        {"session": session.id, "agent": name, "version": version or None}
        for name, _, version in agents
    )
    return Indexed(row, participants, tuple(_phase_row(session, phase) for phase in session.phases))


def _phase_row(session: Session, phase: Phase) -> Row:
    calls = [*phase.calls]
    return {
        "session": session.id,
        "id": phase.id,
        "title": phase.title,
        "agent": phase.agent.name if phase.agent else None,
        "version": phase.agent.version if phase.agent else None,
        "channel": phase.channel,
        "at": stamp(phase.at) if phase.at else None,
        "calls": len(calls),
        "failures": sum(call.failed for call in calls),
    }


def _count(session: Session, kind: CalloutKind) -> int:
    return sum(1 for phase in session.phases for _ in phase.callouts(kind))


def _entry(store: SessionStore, name: str) -> tuple[str, str]:
    """The entry of a file, and its rows in TOON; empty for a file that is no session."""
    try:
        tables = rows_of(store.read(store.root / name).session).tables()
    except (UnlatchError, OSError):
        return "", ""
    rows = {table: _rows(table, table_rows) for table, table_rows in tables.items()}
    return json.dumps(tables), json.dumps(rows)


def _rows(table: str, rows: list[Row]) -> list[str]:
    """The rows as they stand in a table in TOON."""
    import toon  # noqa: PLC0415  (only where a file is new)

    return toon.encode({table: rows}).split("\n")[1:] if rows else []


def _table(name: str, columns: list[str] | None, rows: list[str]) -> str:
    head = f"{name}[{len(rows)}]" + (f"{{{','.join(columns)}}}:" if columns else ":")
    return "".join(f"{line}\n" for line in (head, *rows))


def _read(tables: Mapping[str, list[Row]]) -> Indexed:
    (session,) = tables["sessions"]
    return Indexed(session, tuple(tables["participants"]), tuple(tables["phases"]))
