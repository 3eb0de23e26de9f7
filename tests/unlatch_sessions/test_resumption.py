"""Session Resumption: the scenarios of the requirement, under their own names."""

import os
from datetime import timedelta

import pytest
from tests.unlatch_sessions.conftest import Log

from unlatch.config.choices import AutoSave
from unlatch.errors import StoreError
from unlatch_sessions.context import resume_context
from unlatch_sessions.lifecycle import end, pause, pause_idle, resume
from unlatch_sessions.recorder import Recorder
from unlatch_sessions.session_model import LIFECYCLE, CalloutKind, Status


def fill(log: Log, phases: int = 6) -> None:
    for number in range(1, phases + 1):
        log.recorder.phase(f"Step {number}")
        log.recorder.decision(f"Decision {number}")
        log.recorder.prose(f"Prose {number}. " * 40)
    log.recorder.save()


def test_pause_session(log: Log) -> None:
    fill(log, 2)
    meta = pause(log.store, log.path).session.meta
    assert (meta.status, meta.resume_point) == (Status.PAUSED, "phase-2")
    assert "\nresume_point: phase-2\n" in log.path.read_text(encoding="utf-8")

    log.recorder.decision("Late")
    with pytest.raises(StoreError, match="session-not-active"):
        log.recorder.save()


def test_a_session_that_times_out_is_paused_unless_the_timeout_is_zero(log: Log) -> None:
    os.utime(log.path, (0, 0))
    assert pause_idle(log.store, after=timedelta(0), clock=log.clock) == []

    fill(log, 2)
    changed = log.clock()
    os.utime(log.path, (changed.timestamp(), changed.timestamp()))
    limit = timedelta(minutes=10)
    assert pause_idle(log.store, after=limit, clock=lambda: changed + limit / 2) == []
    (found,) = pause_idle(log.store, after=limit, clock=lambda: changed + limit)
    assert (found.meta.status, found.meta.resume_point) == (Status.PAUSED, "phase-2")
    assert pause_idle(log.store, after=limit, clock=lambda: changed + 2 * limit) == []


def test_resume_session(log: Log) -> None:
    fill(log, 2)
    pause(log.store, log.path)
    text = log.path.read_text(encoding="utf-8") + "\n## Step 3\n\nAdded by hand.\n"
    log.path.write_text(text, encoding="utf-8")
    context = resume_context(log.store, log.store.read(log.path).session)
    assert context.phases == ("phase-1", "phase-2")
    assert "Continue after: phase-2 (Step 2)" in context.text
    assert "Prose 1." in context.text
    assert "Added by hand" not in context.text
    session = resume(log.store, log.path, now=log.clock()).session
    assert (session.meta.status, session.meta.resume_point) == (Status.ACTIVE, None)
    log.recorder.phase("Step 4")
    assert log.last.title == "Step 4"


def test_the_line_of_a_decision_is_where_it_stands(log: Log) -> None:
    fill(log, 3)
    lines = log.text.splitlines()
    for one in resume_context(log.store, log.session).decisions:
        assert lines[one.line - 1] == "> [!decision]"
        assert lines[one.line] == f"> {one.text}"


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.FAILED])
def test_a_session_that_ended_is_resumed_with_a_reason(log: Log, status: Status) -> None:
    fill(log, 1)
    end(log.store, log.path, status, now=log.clock(), summary="Done.")
    with pytest.raises(StoreError, match="reason-required"):
        resume(log.store, log.path, now=log.clock())
    session = resume(log.store, log.path, now=log.clock(), reason="It came back").session
    assert (session.meta.status, session.meta.ended) == (Status.ACTIVE, None)
    (said,) = session.phases[0].callouts(CalloutKind.USER)
    assert (said.words, said.interpretation) == ("It came back", "session resumed")
    assert session.summary == "Done."


@pytest.mark.sample(5)
@pytest.mark.parametrize("status", [*Status])
@pytest.mark.parametrize("to", [*Status])
def test_the_status_table(log: Log, status: Status, to: Status) -> None:
    fill(log, 1)
    if status is Status.PAUSED:
        pause(log.store, log.path)
    elif status is not Status.ACTIVE:
        end(log.store, log.path, status, now=log.clock())
    before = log.path.read_text(encoding="utf-8")

    def move() -> Status:
        if to is Status.ACTIVE:
            return resume(log.store, log.path, now=log.clock(), reason="More").session.meta.status
        if to is Status.PAUSED:
            return pause(log.store, log.path).session.meta.status
        return end(log.store, log.path, to, now=log.clock()).session.meta.status

    if to in LIFECYCLE.moves[status]:
        assert move() is to
    else:
        with pytest.raises(StoreError, match=r"session-(not-)?active"):
            move()
        assert log.path.read_text(encoding="utf-8") == before


def test_entries_are_saved_as_configured(log: Log) -> None:
    def written() -> bool:
        return "Marked" in log.path.read_text(encoding="utf-8")

    log.recorder.phase("One")
    log.recorder.decision("Marked by phase")
    assert not written()
    log.recorder.phase("Two")
    assert written()
    each = Recorder(log.store, log.path, log.clock, AutoSave.CALL)
    each.decision("Each at once")
    assert "Each at once" in log.path.read_text(encoding="utf-8")
    slow = Recorder(log.store, log.path, log.clock, AutoSave.INTERVAL, timedelta(minutes=5))
    slow.decision("First of all")
    slow.decision("Soon after")
    assert "Soon after" not in log.path.read_text(encoding="utf-8")
    for _ in range(5):
        slow.decision("Later")
    assert "Soon after" in log.path.read_text(encoding="utf-8")


def test_an_edit_by_hand_between_two_saves_survives(log: Log) -> None:
    log.recorder.phase("One")
    log.recorder.save()
    text = log.path.read_text(encoding="utf-8").replace("# Fix the login", "# Fix it all\n\nA note")
    log.path.write_text(text.replace("channel: dev", "channel: ops # moved"), encoding="utf-8")
    log.recorder.decision("Use a lock")
    assert "# Fix it all\n\nA note\n" in log.text
    assert "channel: ops # moved\n" in log.text
