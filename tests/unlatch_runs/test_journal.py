"""The log of a run: durable, repaired after a crash, and written by one coordinator alone."""

import json
import signal
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import append_lines
from unlatch_runs import events as e
from unlatch_runs import journal as journal_module
from unlatch_runs.journal import LOG, Journal, is_held, read_events, read_state
from unlatch_runs.run_model import RunState
from unlatch_runs.state_file import STATE, save_state, saved

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "2026-01-01-search"
    place.mkdir()
    return place


class Opened:
    """A journal whose lock is held as long as this is entered."""

    def __init__(self, folder: Path) -> None:
        numbers = count()
        self._held = Journal.locked(
            folder,
            clock=lambda: NOW + timedelta(seconds=next(numbers)),
            new_id=lambda: f"{next(numbers):026}",
        )

    def __enter__(self) -> Journal:
        return self._held.__enter__()

    def __exit__(self, *error: object) -> None:
        self._held.__exit__(None, None, None)


def written(folder: Path) -> None:
    """A run with a task that was dispatched twice and is complete."""
    with Opened(folder) as journal:
        journal.record(e.RunCreated, plan_file="plan.md", title="Søk", attempts=3, by="ann")
        journal.take_over("S1")
        tasks = (e.TaskFacts(id="1", title="one", digest="d"),)
        journal.record(e.PlanLoaded, tasks=tasks)
        for agent in ("A1", "A2"):
            journal.record(
                e.DeveloperDispatched, agent_id=agent, task_id="1", blocked_by=(), resumed=False
            )
            journal.record(e.Checkpoint, agent_id=agent, task_id="1", text=f"½ of {agent}")
            if agent == "A1":
                journal.record(e.AgentFailed, agent_id=agent, task_id="1", reason="exit 1")
        journal.record(e.TaskSubmitted, agent_id="A2", task_id="1")
        journal.record(e.AuditorDispatched, agent_id="B1", task_id="1")
        journal.record(e.TaskComplete, agent_id="B1", task_id="1")


def oracle(lines: list[bytes]) -> dict[str, object]:
    """A second way to read a log: which task is done, in whose hands, after how many failures."""
    found: dict[str, object] = {}
    for line in lines:
        event = json.loads(line)
        kind, agent = event["event_type"], event["agent_id"]
        if kind.endswith("_dispatched"):
            found["agent"] = agent
        elif kind == "checkpoint":
            found["checkpoint"] = event["details"]["text"]
        elif kind == "agent_failed":
            found["attempts"], found["agent"] = int(str(found.get("attempts", 0))) + 1, None
        elif kind in ("task_submitted", "task_complete"):
            found["agent"], found["done"] = None, kind == "task_complete"
    return found


def facts(state: RunState) -> dict[str, object]:
    if not (task := state.tasks.get("1")):
        return {}
    return {
        "agent": task.dispatch.agent if task.dispatch else None,
        "checkpoint": task.checkpoint or None,
        "attempts": task.attempts,
        "done": state.done == 1,
    }


def test_the_state_is_read_from_the_log_alone(folder: Path) -> None:
    written(folder)
    state = read_state(folder)
    assert facts(state) == {"agent": None, "checkpoint": "½ of A2", "attempts": 1, "done": True}
    assert state.sequence == len(list(read_events(folder))) == 11
    assert (folder / LOG).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.sweep)])
def test_a_log_cut_at_any_byte_gives_the_state_of_its_whole_lines(folder: Path, step: int) -> None:
    written(folder)
    whole = (folder / LOG).read_bytes()
    for size in range(0, len(whole) + 1, step):
        (folder / LOG).write_bytes(whole[:size])
        lines = whole[:size].split(b"\n")
        complete = lines[:-1] + ([lines[-1]] if whole[size : size + 1] == b"\n" else [])
        with Opened(folder) as journal:
            state = journal.state
            assert state.sequence == len([one for one in complete if one])
            journal.record(e.ContextReported, left=50)
        expected = oracle([one for one in complete if one])
        found = facts(read_state(folder))
        assert {key: found.get(key) for key in expected} == expected
        assert read_state(folder).context_left == 50
        cut = list(folder.glob(f"{LOG}.cut-*"))
        assert b"".join(one.read_bytes() for one in cut) in (b"", lines[-1])
        for one in cut:
            one.unlink()


def test_a_missing_event_is_an_error_with_its_line(folder: Path) -> None:
    written(folder)
    lines = (folder / LOG).read_bytes().split(b"\n")
    (folder / LOG).write_bytes(b"\n".join(lines[:4] + lines[5:]))
    with pytest.raises(StoreError) as caught:
        read_state(folder)
    assert caught.value.id == "run-damaged"
    assert "line 5" in caught.value.message


def test_an_event_that_comes_twice_counts_once(folder: Path) -> None:
    written(folder)
    expected = read_state(folder)
    lines = (folder / LOG).read_bytes().split(b"\n")
    (folder / LOG).write_bytes(b"\n".join(lines[:7] + lines[5:]))
    assert read_state(folder) == expected


def test_a_second_coordinator_is_refused_while_the_first_lives(folder: Path) -> None:
    with Opened(folder):
        assert is_held(folder)
        with pytest.raises(StoreError) as caught, Opened(folder):
            pass
    assert caught.value.id == "run-active"
    assert not is_held(folder)


def test_a_coordinator_that_lost_its_lock_writes_no_more(folder: Path, tmp_path: Path) -> None:
    written(folder)
    with Opened(folder) as stale:
        # The lock is on the folder; another one in its place is locked by nobody.
        folder.rename(tmp_path / "moved")
        folder.mkdir()
        (folder / LOG).write_bytes((tmp_path / "moved" / LOG).read_bytes())
        with Opened(folder) as new:
            new.take_over("S2")
        before = (folder / LOG).read_bytes()
        with pytest.raises(StoreError) as caught:
            stale.record(e.RunFinished)
    assert caught.value.id == "run-taken-over"
    assert (folder / LOG).read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_a_write_interrupts_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def append(*arguments: Any, **options: Any) -> None:
        append_lines(*arguments, **options)
        signal.raise_signal(number)

    before = signal.signal(number, interrupt)
    try:
        with Opened(folder) as journal:
            monkeypatch.setattr(journal_module, "append_lines", append)
            with pytest.raises(KeyboardInterrupt):
                journal.record(e.Checkpoint, agent_id="a", task_id="1", text="first")
            monkeypatch.undo()
            journal.record(e.Checkpoint, agent_id="a", task_id="1", text="second")
    finally:
        signal.signal(number, before)

    texts = [event.text for event in read_events(folder) if isinstance(event, e.Checkpoint)]
    assert ["first", "second"] == texts


def test_a_log_that_was_removed_is_not_begun_again(folder: Path) -> None:
    written(folder)
    with Opened(folder) as journal:
        (folder / LOG).unlink()
        with pytest.raises(StoreError) as caught:
            journal.record(e.RunFinished)
    assert "was removed" in caught.value.message
    assert not (folder / LOG).exists()


def test_the_state_file_names_its_last_event_and_is_never_the_truth(folder: Path) -> None:
    written(folder)
    state = read_state(folder)
    save_state(folder, state, now=NOW, reason="checkpoint")
    assert saved(folder) == (NOW, 11)
    document = json.loads((folder / STATE).read_text())
    assert document["completed_tasks"] == ["1"]
    assert document["attempts"] == {"1": 1}
    (folder / STATE).write_text(json.dumps(document | {"completed_tasks": [], "sequence": 10**6}))
    assert read_state(folder) == state
    (folder / STATE).write_text("{")
    assert saved(folder) is None
