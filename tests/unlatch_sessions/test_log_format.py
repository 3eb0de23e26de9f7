"""Session Log Format: the scenarios of the requirement, under their own names."""

import pytest
from tests.unlatch_sessions.conftest import Log

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.times import stamp
from unlatch_sessions.session_model import Agent, CalloutKind, Status


def test_create_new_session_log(log: Log) -> None:
    meta = log.session.meta
    assert log.path.name == "2026-03-02-fix-the-login.md"
    assert log.path.parent.name == "sessions"
    assert log.text.startswith("---\ntype: session\nsession_id: 2026-03-02-fix-the-login\n")
    assert (meta.session_id, meta.status, meta.channel) == (log.path.stem, Status.ACTIVE, "dev")
    assert meta.started
    assert stamp(meta.started) == "2026-03-02T09:00:00Z"


def test_log_phase_with_agent_and_channel(log: Log) -> None:
    log.recorder.phase("Research", Agent("coder", "1.2"), "dev")
    assert "\n## Research @coder@1.2 #dev\n\n*2026-03-02T09:01:00Z*\n" in log.text
    phase = log.last
    assert (phase.title, str(phase.agent), phase.channel) == ("Research", "coder@1.2", "dev")
    assert phase.at


def test_log_tool_calls_within_phase(log: Log) -> None:
    log.recorder.phase("Research")
    log.recorder.call("Read", "src/login.py", "120 lines")
    log.recorder.call("Bash", "npm test", "x" * 101, failed=True)
    cut = "x" * 99 + "\u2026"
    assert (
        "\n**Tool calls:**\n- `Read src/login.py` \u2192 120 lines\n"
        f"- `Bash npm test` \u2192 \u2717 {cut}\n"
    ) in log.text
    first, second = log.last.calls
    assert (first.tool, first.arguments, first.result) == ("Read", "src/login.py", "120 lines")
    assert (second.result, second.failed) == (cut, True)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "words", ["no, use pnpm", 'say "no" - twice', 'ends with "quotes"', "two\nlines", '"']
)
def test_log_user_intervention(log: Log, words: str) -> None:
    log.recorder.phase("Research")
    log.recorder.user(words, 'switched to "pnpm"')
    log.recorder.user(words, 'read "npm" - as "pnpm" - now')
    log.recorder.user(words)
    acted, dashed, plain = log.last.callouts(CalloutKind.USER)
    assert (acted.words, acted.interpretation) == (words, 'switched to "pnpm')
    assert (dashed.words, "now" in (dashed.interpretation or "")) == (words, True)
    assert (plain.words, plain.interpretation) == (words, None)


def test_an_id_is_unique_among_renamed_files_too(log: Log) -> None:
    log.path.rename(log.path.with_name("renamed.md"))
    second = type(log)(log.store, log.clock)
    assert second.session.id == "2026-03-02-fix-the-login-2"


def test_tasks_of_a_phase_are_replaced_and_those_of_earlier_phases_stay(log: Log) -> None:
    log.recorder.phase("Plan")
    log.recorder.tasks([{"id": "1", "content": "A", "status": "pending"}])
    log.recorder.tasks([{"id": "1", "content": "A", "status": "in_progress"}])
    log.recorder.phase("Work")
    log.recorder.tasks([{"id": "1", "content": "A ```", "status": "completed"}])
    assert log.text.count("```json tasks\n") == 2
    assert [one["status"] for one in log.session.tasks] == ["completed"]
    assert '"in_progress"' in log.text


def test_nothing_is_logged_without_a_phase(log: Log) -> None:
    before = log.text
    log.recorder.decision("Use a lock")
    with pytest.raises(StoreError, match="session-no-phase"):
        log.recorder.save()
    assert log.path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("title", ["", "  ", "Summary", "\x1b"])
def test_a_phase_needs_a_title_of_its_own(log: Log, title: str) -> None:
    with pytest.raises(UsageError, match="phase-title"):
        log.recorder.phase(title)


def test_phases_go_before_the_summary(log: Log) -> None:
    log.recorder.phase("Work")
    log.recorder.save()
    text = log.path.read_text(encoding="utf-8") + "\n## Summary\n\nAll done.\n"
    log.path.write_text(text, encoding="utf-8")
    log.recorder.phase("More")
    log.recorder.prose("Text")
    assert [one.title for one in log.session.phases] == ["Work", "More"]
    assert log.session.summary == "All done."
    assert log.text.endswith("\nText\n\n## Summary\n\nAll done.\n")
