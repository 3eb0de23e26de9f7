import os
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from unlatch.errors import StoreError
from unlatch.worklog import search_index
from unlatch.worklog.search_index import (
    Document,
    Hit,
    IndexDamaged,
    SearchIndex,
    Source,
    file_stamp,
)

AUTH = Document(
    "auth-bug", "Fixed 401 errors by adding an axios interceptor.", "user: token refresh"
)
POOL = Document(
    "db-pool-fix", "Increased connection pool from 5 to 25.", "user: the database is slow"
)
DOCUMENTS = {"auth-bug": AUTH, "db-pool-fix": POOL}


def sources(documents: dict[str, Document], stamp: str = "1") -> list[Source]:
    return [Source(key, stamp, partial(documents.__getitem__, key)) for key in documents]


class Limited(SearchIndex):
    """An index on a disk with room for a few pages more."""

    def _connect(self) -> sqlite3.Connection:
        database = super()._connect()
        database.execute("PRAGMA max_page_count = 1")  # as many as there are
        return database


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    made = SearchIndex(tmp_path / "search.sqlite3")
    made.refresh("effort", sources(DOCUMENTS))
    return made


def keys(hits: list[Hit]) -> list[str]:
    return [hit.key for hit in hits]


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("I'm seeing 401 errors again", "auth-bug"),
        ("We need to look at the database connections", "db-pool-fix"),
        ("The database is running out of connections again", "db-pool-fix"),
    ],
)
def test_an_example_of_the_requirement_is_found_first(
    index: SearchIndex, query: str, key: str
) -> None:
    assert keys(index.search(query))[0] == key


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("a database issue", "db-pool"),
        ("databases", "db-pool"),
        ("the k8s cluster", "kubernetes-nodes"),
        ("Authentication", "auth-bug"),
    ],
)
def test_a_short_form_is_found_by_the_long_one_and_the_other_way(
    tmp_path: Path, query: str, title: str
) -> None:
    index = SearchIndex(tmp_path / "search.sqlite3")
    index.refresh("effort", sources({"it": Document(title), "other": Document("data-authors")}))
    (hit,) = index.search(query)
    assert (hit.key, hit.matches[0].where) == ("it", "title")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("10.20.30.40", ["address"]),
        ("T-002", ["task"]),
        ("Fix T-002!", ["task"]),
        ("0007-smart-discipline", ["task"]),
        ("smart-others", ["task"]),
    ],
)
def test_words_with_a_number_are_found_together(
    index: SearchIndex, query: str, found: list[str]
) -> None:
    texts = {
        "address": "the proxy is 10.20.30.40",
        "numbers": "40 of 30 connections, 20 since 10; we don't know t or 002",
        "task": "T-002 of 0007-smart-discipline",
    }
    documents = {name: Document(name, "", text) for name, text in texts.items()}
    index.refresh("effort", sources(documents))
    assert keys(index.search(query)) == found


@pytest.mark.parametrize("word", ["Redis", "redis", "REDIS"])
def test_a_word_is_shown_as_it_was_typed_or_found(index: SearchIndex, word: str) -> None:
    documents = {"a": Document("Redis", "", ""), "b": Document("b", "", "on redis")}
    index.refresh("effort", sources(documents))
    shown = {hit.key: hit.matches[0].word for hit in index.search(word)}
    assert shown == {"a": "Redis", "b": word}


@pytest.mark.parametrize(
    "query",
    [*("vacation Japan", "?! ...", '"', "title:", "* OR", "NEAR(", "-x", "'; DROP TABLE"), "a AND"],
)
def test_a_query_is_words_and_no_expression(index: SearchIndex, query: str) -> None:
    assert index.search(query) == []


def test_only_new_stamps_are_read_and_what_is_gone_is_not_found(index: SearchIndex) -> None:
    def never() -> Document:
        raise AssertionError("it has not changed")

    index.refresh("effort", [Source(key, "1", never) for key in DOCUMENTS])
    changed = Document("auth-bug", "Something else.")
    index.refresh("effort", sources({"auth-bug": changed}, "2"))
    assert keys(index.search("axios connection")) == []
    assert keys(index.search("something")) == ["auth-bug"]


def test_a_file_that_changes_within_a_tick_of_the_clock_is_read_again(
    tmp_path: Path, index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "note.md"

    def search(word: str) -> list[str]:
        read = partial(lambda: Document("note", path.read_text()))
        index.refresh("note", [Source("note", file_stamp(path), read)])
        return keys(index.search(word))

    path.write_text("marmot")
    before = path.stat()
    assert ["note"] == search("marmot")
    path.write_text("badger")  # as large, of the same time
    monkeypatch.setattr(Path, "lstat", lambda _: before)
    assert ["note"] == search("badger")
    # Later than that, a stamp says that a file is the same.
    monkeypatch.setattr(search_index, "_UNSURE", 0)
    assert file_stamp(path) == file_stamp(path)


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\x00" + bytes(99)])
def test_a_file_that_is_no_index_is_removed_with_its_journal(
    tmp_path: Path, content: bytes
) -> None:
    path, journal = tmp_path / "search.sqlite3", tmp_path / "search.sqlite3-journal"
    path.write_bytes(content)
    journal.write_bytes(b"of the old file")
    index = SearchIndex(path)
    with pytest.raises(IndexDamaged):
        index.search("axios")
    assert (path.exists(), journal.exists()) == (False, False)
    index.refresh("effort", sources(DOCUMENTS))
    assert keys(index.search("axios")) == ["auth-bug"]


def test_a_full_disk_leaves_the_index_as_it_was(tmp_path: Path, index: SearchIndex) -> None:
    limited = Limited(tmp_path / "search.sqlite3")
    many = {str(number): Document("other", "x" * 5000) for number in range(50)}
    with pytest.raises(StoreError, match="full") as raised:
        limited.refresh("effort", sources(many))
    assert raised.value.hint == "free disk space, then run the command again"
    assert keys(index.search("axios")) == ["auth-bug"]


def test_documents_that_time_does_not_suffice_for_are_left(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search.sqlite3")
    index.refresh("effort", sources({"auth-bug": AUTH}))
    index.refresh("effort", sources(DOCUMENTS), seconds=0)
    assert keys(index.search("axios connection")) == ["auth-bug"]
    index.refresh("effort", sources({"db-pool-fix": POOL}), seconds=0)
    assert keys(index.search("axios connection")) == []
    index.refresh("effort", sources(DOCUMENTS), seconds=60)
    assert len(index.search("axios connection")) == 2


def test_an_index_of_another_version_is_made_again_and_private(
    tmp_path: Path, index: SearchIndex
) -> None:
    path = tmp_path / "search.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
    index.refresh("effort", sources(DOCUMENTS))
    assert keys(index.search("axios")) == ["auth-bug"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_processes_refresh_at_once(tmp_path: Path) -> None:
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                index = SearchIndex(tmp_path / "search.sqlite3")
                for _ in range(5):
                    index.refresh("effort", sources(DOCUMENTS, str(number)))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0, 0]
    assert keys(SearchIndex(tmp_path / "search.sqlite3").search("axios")) == ["auth-bug"]
