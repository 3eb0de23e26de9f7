"""TOON Index Derivation: the scenarios of the requirement, under their own names."""

from pathlib import Path
from typing import cast

import pytest
import toon
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_sessions.conftest import Log

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


def test_the_index_is_rebuilt_bit_for_bit(log: Log, index: SessionIndex, tmp_path: Path) -> None:
    fill(log)
    first = index.toon()
    assert first == SessionIndex(tmp_path / "other.sqlite3", log.store).toon()
    assert first == whole(log.store)
    decoded = toon.decode(first)
    assert [one["title"] for one in decoded["sessions"]] == ["Fix the login", 'Other: "quoted"']
    assert [one["title"] for one in decoded["phases"]] == ["Look, and see", "Review"]


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


def test_a_session_in_progress_is_found_by_its_phases(log: Log, index: SessionIndex) -> None:
    with Recorder(log.store, log.path, log.clock) as recorder:
        recorder.phase("Look", Agent("scout"))
    assert len(choose(index.entries(), agent="scout")) == 1
