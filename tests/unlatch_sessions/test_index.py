"""TOON Index Derivation: the scenarios of the requirement, under their own names."""

import os
from pathlib import Path
from typing import cast

import pytest
import toon
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_sessions.conftest import Log

from unlatch.errors import StoreError
from unlatch.worklog import search_index
from unlatch_sessions.document import Document
from unlatch_sessions.index import Indexed, SessionIndex, rows_of
from unlatch_sessions.lifecycle import Start, end, start
from unlatch_sessions.recorder import Recorder
from unlatch_sessions.session_model import Agent, Status
from unlatch_sessions.statistics import GroupBy, choose, group
from unlatch_sessions.store import SessionStore

NOT_ENDED = {"started": None, "ended": None}


@pytest.fixture
def index(store: SessionStore, tmp_path: Path) -> SessionIndex:
    return SessionIndex(tmp_path / "sessions.sqlite3", store)


def fill(log: Log) -> None:
    """Two sessions: one of two agents that has ended, and one without agent, calls and channel."""
    with log.recorder as recorder:
        recorder.phase("Look, and see", Agent("coder", "1.2"), "dev")
        recorder.call("Bash", "npm test", "3 failed", failed=True)
        recorder.call("Read", "a", "ok")
        recorder.phase("Review", Agent("reviewer"), "ops")
        recorder.call("Read", "b", "ok")
        recorder.tokens(300)
    end(log.store, log.path, Status.COMPLETED, now=log.clock())
    start(log.store, Start('Other: "quoted"'), now=log.clock())


def whole(store: SessionStore) -> str:
    """The tables as the library encodes them in one go."""
    tables: dict[str, list[dict[str, object]]] = {"sessions": [], "participants": [], "phases": []}
    for path in store.paths():
        for name, rows in rows_of(store.read(path).session).tables().items():
            tables[name] += rows
    return f"{toon.encode(tables)}\n"


def test_index_session_on_save(log: Log, index: SessionIndex) -> None:
    log.recorder.phase("Look")
    log.recorder.save()
    (before,) = index.entries()
    log.recorder.call("Bash", "npm test", "3 failed", failed=True)
    log.recorder.save()
    (after,) = index.entries()
    assert (before.session["calls"], after.session["calls"], after.session["failures"]) == (0, 1, 1)


def test_the_index_is_rebuilt_bit_for_bit(log: Log, index: SessionIndex, tmp_path: Path) -> None:
    fill(log)
    first = index.toon()
    assert first == SessionIndex(tmp_path / "other.sqlite3", log.store).toon()
    assert first == whole(log.store)
    decoded = toon.decode(first)
    assert [one["title"] for one in decoded["sessions"]] == ["Fix the login", 'Other: "quoted"']
    assert [one["title"] for one in decoded["phases"]] == ["Look, and see", "Review"]


def test_only_changed_files_are_read(
    log: Log, index: SessionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_UNSURE", 0)  # as if written seconds ago
    fill(log)
    index.entries()
    read: list[str] = []
    kept = type(log.store).read

    def noting(store: SessionStore, path: Path) -> Document:
        read.append(path.name)
        return kept(store, path)

    monkeypatch.setattr(type(log.store), "read", noting)
    index.entries()
    assert read == []
    os.utime(log.path, (1, 1))
    index.entries()
    assert read == [log.path.name]


def test_a_file_that_is_gone_or_broken_is_not_in_the_index(log: Log, index: SessionIndex) -> None:
    fill(log)
    assert len(index.entries()) == 2
    log.path.write_text("no session", encoding="utf-8")
    assert len(index.entries()) == 1
    for path in log.store.paths():
        path.unlink()
    assert index.entries() == []
    assert index.toon() == "sessions[0]:\nparticipants[0]:\nphases[0]:\n"


def test_query_sessions_by_agent(log: Log, index: SessionIndex) -> None:
    fill(log)
    entries = index.entries()
    for wanted, count in (("coder", 1), ("@coder@1.2", 1), ("coder@2", 0), ("nobody", 0)):
        assert len(choose(entries, agent=wanted)) == count
    assert len(choose(entries, channel="#ops")) == 1
    assert len(choose(entries, status="active")) == 1
    assert len(choose(entries, agent="coder", status="active")) == 0


def test_aggregate_session_metrics(log: Log, index: SessionIndex) -> None:
    fill(log)
    entries = index.entries()
    coder, reviewer, none = group(entries, GroupBy.AGENT)
    assert (coder.group, coder.calls, coder.failure_rate, coder.tokens) == ("coder", 2, 0.5, 300)
    assert (reviewer.group, reviewer.failure_rate) == ("reviewer", 0.0)
    assert (none.group, none.failure_rate, none.mean_seconds) == (None, None, None)
    active, completed = group(entries, GroupBy.STATUS)
    assert (active.sessions, completed.calls, completed.failures) == (1, 3, 1)
    assert completed.mean_seconds
    meta = log.session.meta
    assert meta.started
    assert meta.ended
    assert completed.mean_seconds == (meta.ended - meta.started).total_seconds()
    dev, ops, without = group(entries, GroupBy.CHANNEL)
    assert [one.group for one in (dev, ops, without)] == ["dev", "ops", None]
    assert (dev.calls, ops.calls) == (2, 1)


@given(st.data())
def test_each_call_is_counted_once_by_agent_and_channel(data: st.DataObject) -> None:
    names = st.sampled_from([None, "a", "b"])
    entries = [
        Indexed(
            {"channel": data.draw(names), "status": "active", "tokens": 1} | NOT_ENDED,
            tuple({"agent": it} for it in data.draw(st.lists(st.sampled_from("ab"), max_size=2))),
            tuple(
                {"agent": data.draw(names), "channel": data.draw(names), "calls": 2, "failures": 1}
                for _ in range(data.draw(st.integers(0, 3)))
            ),
        )
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    calls = sum(2 for one in entries for _ in one.phases)
    for by in (GroupBy.AGENT, GroupBy.CHANNEL):
        groups = group(entries, by)
        assert (calls, calls / 2) == (
            sum(it.calls for it in groups),
            sum(it.failures for it in groups),
        )
        for it in groups:
            # A call of a phase without a name counts for the session's first one.
            assert it.calls == sum(
                2
                for one in entries
                for phase in one.phases
                if it.group == (phase[by.value] or first_of(one, by))
            )


def first_of(one: Indexed, by: GroupBy) -> str | None:
    if by is GroupBy.CHANNEL:
        return cast("str | None", one.session["channel"])
    return next((cast("str", it["agent"]) for it in one.participants), None)


def test_an_index_that_is_no_database_is_made_again(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    path.write_bytes(b"garbage" * 1000)
    assert len(SessionIndex(path, log.store).entries()) == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_index_that_cannot_be_made_says_what_to_do(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    path.mkdir()
    with pytest.raises(StoreError, match="index-unavailable") as caught:
        SessionIndex(path, log.store).entries()
    assert caught.value.hint == f"rm -r {path}, then run the command again"


def test_a_session_in_progress_is_found_by_its_phases(log: Log, index: SessionIndex) -> None:
    with Recorder(log.store, log.path, log.clock) as recorder:
        recorder.phase("Look", Agent("scout"))
    assert len(choose(index.entries(), agent="scout")) == 1
