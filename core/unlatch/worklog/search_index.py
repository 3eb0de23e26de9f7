"""A full-text index of finished and open work, in the user's own state folder.

It is a cache: it can be deleted at any time, is rebuilt if damaged, and is brought up to date
before each search. Kinds of work give the documents. SQLite's FTS5 ranks them (bm25 over stems,
https://sqlite.org/fts5.html).
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import sqlite3
import time
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import StoreError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

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


# Words of the title weigh more than words of the log, and repeated words of the query more than
# others: of 46 known duplicates, 37 to 38 are among the first five results; without both rules 35
# to 36 (`python -m benchmarks search`).
_WEIGHTS = "3.0, 2.0, 1.0"
_COLUMNS = ("title", "summary", "text")
# The maximum words of a long query, and of its different words those that `coverage` counts.
_MOST_WORDS, _MOST_COUNTED = 400, 64
# A word's rarity means little in a small collection: count as many more documents without it.
_OTHERS = 50
# Words without a subject; `coverage` does not count them.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "about after again all also and any are back been before but can come could did does done "
        "for from get going had has have here how into its just let like look lets make more need "
        "new not now off okay one other our out over please same see should some still sure than "
        "thanks that the their them then there these they this too use used using very want was "
        "way well were what when where which who why will with work working would yes you your",
    )
)
# Names of work have the short form, and what people say about it has the long one.
_SHORT_FORMS = {
    "admin": "administrator",
    "auth": "authentication",
    "config": "configuration",
    "db": "database",
    "deps": "dependencies",
    "docs": "documentation",
    "env": "environment",
    "infra": "infrastructure",
    "k8s": "kubernetes",
    "perf": "performance",
    "prod": "production",
    "repo": "repository",
}
_LONG_FORMS = {long: short for short, long in _SHORT_FORMS.items()}
_WORD, _NUMBER = re.compile(r"\w+"), re.compile(r"\d")
# Words that may be one, as in T-002 and 10.20.30.40.
_COMPOUND = re.compile(r"\w+(?:[-.:]\w+)*")
_FIRST, _LAST = "\x01", "\x02"
# Marking takes quadratic time: only this many characters of a title and a summary are marked, and
# the rest counts as text.
_MARKED = 20_000
# Nanoseconds; the longest tick is that of FAT.
_UNSURE = 2_000_000_000
_VERSION = 2
_TABLES = f"""
DROP TABLE IF EXISTS source;
DROP TABLE IF EXISTS document;
CREATE TABLE source (id INTEGER PRIMARY KEY, kind TEXT, key TEXT, stamp TEXT, UNIQUE (kind, key));
CREATE VIRTUAL TABLE document USING fts5 ({", ".join(_COLUMNS)}, tokenize = 'porter unicode61')
"""


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    summary: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of work, whose document is read only if its stamp is new.

    Args:
        key: its id within its kind.
        stamp: changes whenever the document can have changed, as size and time of files do.
    """

    key: str
    stamp: str
    read: Callable[[], Document]


def file_stamp(path: Path) -> str:
    """A text that changes with a file, for stamps; "-" if it does not exist.

    A file may change twice within one tick of its file system's clock. As in git's index, one that
    changed less than two seconds ago has a stamp that no later one is equal to.
    """
    try:
        status = path.lstat()
    except OSError:
        return "-"
    stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
    now = time.time_ns()
    return stamp if status.st_ctime_ns < now - _UNSURE else f"{stamp}:{now}"


@dataclass(frozen=True, slots=True)
class Match:
    """A word of the query as it was found, and where: title, summary, text or links."""

    word: str
    where: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of work that matches.

    Args:
        coverage: the share of the query that it has, by how rare the words are: 0 to 1.
    """

    kind: str
    key: str
    coverage: float
    matches: tuple[Match, ...]


class SearchIndex(CacheDatabase):
    """The index in a file.

    Each call raises StoreError `search-unavailable` if SQLite cannot use the file, or has no FTS5;
    IndexDamaged if a new file may work.
    """

    ERROR_ID = "search-unavailable"
    SUBJECT = "the search index"
    VERSION, TABLES = _VERSION, _TABLES

    def refresh(
        self, kind: str, sources: Iterable[Source], *, seconds: float | None = None
    ) -> None:
        """Update the documents of a kind, and remove those that are not among `sources`.

        Args:
            seconds: time for reading documents; a later call reads the rest.
        """
        until = math.inf if seconds is None else time.monotonic() + seconds
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")  # the known stamps must not change meanwhile
            stamps = {
                key: (number, stamp)
                for number, key, stamp in database.execute(
                    "SELECT id, key, stamp FROM source WHERE kind = ?", (kind,)
                )
            }
            for source in sources:
                number, stamp = stamps.pop(source.key, (None, None))
                if stamp != source.stamp and time.monotonic() < until:
                    _put(database, kind, source, number)
            for number, _ in stamps.values():
                _drop(database, number)

    def search(
        self, query: str, *, kinds: Sequence[str] | None = None, limit: int = 10
    ) -> list[Hit]:
        """The documents that have words of the query, the best first."""
        typed = _terms(query)[:_MOST_WORDS]
        if not typed:
            return []
        words = [term.casefold() for term in typed]
        as_typed = dict(zip(reversed(words), reversed(typed), strict=True))
        with self._open() as database:
            rows = _ranked(database, words, kinds, limit)
            about = dict.fromkeys(word for word in words if word not in STOP_WORDS)
            counted = list(about or dict.fromkeys(words))[:_MOST_COUNTED]
            weights = _weights(database, counted, [number for number, *_ in rows])
            in_text = {word: _having(database, f"text : {_term(word)}") for word in counted}
            return [
                Hit(
                    kind,
                    key,
                    _coverage(weights, number),
                    _matches(
                        texts, [as_typed[word] for word in counted if number in in_text[word]]
                    ),
                )
                for number, kind, key, *texts in rows
            ]


def _put(database: sqlite3.Connection, kind: str, source: Source, number: int | None) -> None:
    if number is not None:
        _drop(database, number)
    document = source.read()
    row = (kind, source.key, source.stamp)
    added = database.execute("INSERT INTO source (kind, key, stamp) VALUES (?, ?, ?)", row)
    title, summary = document.title.replace("-", " "), document.summary
    text = "\n".join((document.text, title[_MARKED:], summary[_MARKED:]))
    texts = (title[:_MARKED], summary[:_MARKED], text)
    database.execute(
        "INSERT INTO document (rowid, title, summary, text) VALUES (?, ?, ?, ?)",
        (added.lastrowid, *(text.encode(errors="replace").decode() for text in texts)),
    )


def _drop(database: sqlite3.Connection, number: int) -> None:
    database.execute("DELETE FROM source WHERE id = ?", (number,))
    database.execute("DELETE FROM document WHERE rowid = ?", (number,))


def _ranked(
    database: sqlite3.Connection, words: Sequence[str], kinds: Sequence[str] | None, limit: int
) -> list[tuple[int, str, str, str, str]]:
    """Number, kind, key, and title and summary with the matches marked."""
    marks = f"'{_FIRST}', '{_LAST}'"
    parts = [f"highlight(document, {number}, {marks})" for number in range(2)]
    chosen = f"AND kind IN ({', '.join('?' * len(kinds))})" if kinds is not None else ""
    return database.execute(
        f"SELECT source.id, kind, key, {', '.join(parts)} FROM document "  # noqa: S608  (no input)
        f"JOIN source ON source.id = document.rowid WHERE document MATCH ? {chosen} "
        f"ORDER BY bm25(document, {_WEIGHTS}), source.id LIMIT ?",
        (" OR ".join(map(_term, words)), *(kinds or ()), limit),
    ).fetchall()


def _weights(
    database: sqlite3.Connection, words: Sequence[str], numbers: Sequence[int]
) -> list[tuple[float, set[int]]]:
    """The weight of each word, the rarer the more, and the documents that have it."""
    (total,) = database.execute("SELECT count(*) FROM source").fetchone()
    total += _OTHERS
    weights, wanted = [], set(numbers)
    for word in words:
        having = _having(database, _term(word))
        rarity = math.log(1 + (total - len(having) + 0.5) / (len(having) + 0.5))
        weights.append((rarity, having & wanted))
    return weights


def _having(database: sqlite3.Connection, term: str) -> set[int]:
    rows = database.execute("SELECT rowid FROM document WHERE document MATCH ?", (term,))
    return {row[0] for row in rows}


def _coverage(weights: Sequence[tuple[float, set[int]]], number: int) -> float:
    every = sum(weight for weight, _ in weights)
    return sum(weight for weight, having in weights if number in having) / every


def _matches(texts: Sequence[str], in_text: Sequence[str]) -> tuple[Match, ...]:
    matches: dict[str, Match] = {}
    for where, text in zip(_COLUMNS, texts, strict=False):
        for word in re.findall(f"{_FIRST}([^{_FIRST}{_LAST}]*){_LAST}", text):
            matches.setdefault(word.casefold(), Match(word, where))
    for word in in_text:
        matches.setdefault(word.casefold(), Match(word, _COLUMNS[-1]))
    return tuple(matches.values())


def _terms(query: str) -> list[str]:
    """The words of a query; several that a number makes one are a phrase."""
    return [
        term
        for compound in _COMPOUND.findall(query)
        for term in ([compound] if _NUMBER.search(compound) else _WORD.findall(compound))
    ]


def _term(word: str) -> str:
    """A word of a query, or its other form; FTS5 takes care of plurals."""
    single = word if word in _SHORT_FORMS else word.removesuffix("s")
    other = _SHORT_FORMS.get(single) or _LONG_FORMS.get(single)
    return f'("{word}" OR "{other}")' if other else f'"{word}"'
