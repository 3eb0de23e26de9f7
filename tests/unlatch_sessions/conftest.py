from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest

from unlatch_sessions.lifecycle import Start, start
from unlatch_sessions.recorder import Recorder
from unlatch_sessions.session_model import Agent
from unlatch_sessions.store import SessionStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch_sessions.session_model import Phase, Session

CODER = Agent("coder", "1.2")


class Log:
    """A session that is being recorded."""

    def __init__(self, store: SessionStore, clock: Callable[[], datetime]) -> None:
        self.store, self.clock = store, clock
        facts = Start("Fix the login", channel="dev", agent=CODER, model="gpt-5")
        self.path = start(store, facts, now=clock())
        self.recorder = Recorder(store, self.path, clock)

    @property
    def text(self) -> str:
        self.recorder.save()
        return self.path.read_text(encoding="utf-8")

    @property
    def session(self) -> Session:
        self.recorder.save()
        return self.store.read(self.path).session

    @property
    def last(self) -> Phase:
        return self.session.phases[-1]


@pytest.fixture
def clock() -> Callable[[], datetime]:
    """A clock that goes on by a minute each time that it is read."""
    minutes = count()
    begin = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return lambda: begin + timedelta(minutes=next(minutes))


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    (tmp_path / ".unlatch").mkdir()
    return SessionStore(tmp_path / ".unlatch" / "sessions")


@pytest.fixture
def log(store: SessionStore, clock: Callable[[], datetime]) -> Log:
    return Log(store, clock)
