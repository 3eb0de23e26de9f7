"""A process that dies at any write leaves the session as it was, or as it was meant to be."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.efforts.test_random_life import in_a_process

from unlatch.config.choices import SubagentMode
from unlatch.sessions.lifecycle import Start, end, pause, resume, start
from unlatch.sessions.model import Agent, Status
from unlatch.sessions.recorder import Recorder
from unlatch.sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
# The syncs of a file and of its folder for one write, and one more; a linked subagent has writes
# for its session, its phase, its end and the callout.
MOST_SYNCS = {"subagent": 12}


def act(store: SessionStore, name: str) -> None:
    """One change of the only session, or its start."""
    if name == "start":
        start(store, Start("Fix the login"), now=NOW)
        return
    (path,) = (one for one in store.paths() if "fix-the-login" in one.name)
    recorder = Recorder(store, path, lambda: NOW)
    if name == "pause":
        pause(store, path)
    elif name == "resume":
        resume(store, path, now=NOW)
    elif name == "complete":
        end(store, path, Status.COMPLETED, now=NOW, summary="Done.")
    elif name == "phase":
        with recorder:
            recorder.phase("More", Agent("coder"))
            recorder.call("Read", "a", "ok")
    elif name == "subagent":
        with recorder:
            recorder.subagent(Agent("scout"), "Work", mode=SubagentMode.LINK)


PREPARED = {"resume": ("pause",)}


@pytest.mark.parametrize("name", ["start", "phase", "subagent", "pause", "resume", "complete"])
def test_a_death_at_any_write_is_all_or_nothing(name: str, tmp_path: Path) -> None:
    texts = set()
    for dies_at in range(MOST_SYNCS.get(name, 3) + 1):
        root = tmp_path / str(dies_at) / ".unlatch" / "sessions"
        root.parent.mkdir(parents=True)
        store = SessionStore(root)
        if name != "start":
            act(store, "start")
            act(store, "phase")
        for earlier in PREPARED.get(name, ()):
            act(store, earlier)
        in_a_process(partial(act, store, name), dies_at=dies_at)
        found = [one for one in store.all() if not isinstance(one, Broken)]
        assert len(found) == len(store.paths())
        texts.add(tuple(path.read_text(encoding="utf-8") for path in store.paths()))
        act_again(store, name)
    # Before and after; a subagent's own session is there before the callout that names it.
    assert 2 <= len(texts) <= (5 if name == "subagent" else 2)


def act_again(store: SessionStore, name: str) -> None:
    """The next writer works, and removes the unfinished files of the one that died."""
    if name == "start" and not store.paths():
        act(store, "start")
    path = store.paths()[0]
    status = store.read(path).session.meta.status
    if status is Status.ACTIVE:
        pause(store, path)
    elif status is Status.PAUSED:
        resume(store, path, now=NOW)
    else:
        resume(store, path, now=NOW, reason="More to do")
    assert [one.name for one in store.root.iterdir() if one.name.startswith(".")] == []
