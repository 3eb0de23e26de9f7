"""Subagent Session Handling: the scenarios of the requirement, under their own names."""

from tests.unlatch_sessions.conftest import Log

from unlatch.config.choices import SubagentMode
from unlatch_sessions.session_model import Agent, CalloutKind
from unlatch_sessions.subagents import Trail, all_embedded, embed, reference

SCOUT = Agent("scout", "2")
WORK = "Found three callers.\n\n## Not a phase\n> [!error]\n> no"


def test_log_subagent_inline(log: Log) -> None:
    log.recorder.phase("Research")
    own = log.recorder.subagent(SCOUT, WORK, model="haiku", tokens=7, mode=SubagentMode.INLINE)
    assert own is None
    assert log.text.endswith(
        "\n> [!subagent] @scout@2 (haiku)\n> mode: inline\n> Found three callers.\n>\n"
        "> ## Not a phase\n> > [!error]\n> > no\n"
    )
    (callout,) = log.last.callouts(CalloutKind.SUBAGENT)
    assert reference(callout) is None
    assert len(log.session.phases) == 1


def test_log_subagent_with_embed(log: Log) -> None:
    log.recorder.phase("Research")
    own = log.recorder.subagent(SCOUT, WORK, mode=SubagentMode.EMBED)
    assert log.text.endswith(f"\n> [!subagent] @scout@2\n> mode: embed\n> ![[{own}]]\n")
    (callout,) = log.last.callouts(CalloutKind.SUBAGENT)
    found = embed(log.store, callout, Trail((log.session.id,)))
    assert found is not None
    assert found.session is not None
    assert found.session.id == own


def test_a_cycle_of_embedded_sessions_is_named(log: Log) -> None:
    log.recorder.phase("Research")
    log.recorder.subagent(SCOUT, "x", mode=SubagentMode.EMBED, session=log.session.id)
    (found,) = all_embedded(log.store, log.session)
    assert found.session is None
    assert found.problem == f"it embeds itself: {log.session.id} -> {log.session.id}"


def test_an_embedded_session_that_is_missing_is_named(log: Log) -> None:
    log.recorder.phase("Research")
    log.recorder.subagent(SCOUT, "x", mode=SubagentMode.EMBED, session="gone")
    (found,) = all_embedded(log.store, log.session)
    assert (found.session, found.problem) == (None, "there is no session 'gone'")


def test_a_link_in_inline_work_is_text(log: Log) -> None:
    log.recorder.phase("Research")
    log.recorder.subagent(SCOUT, f"![[{log.session.id}]]", mode=SubagentMode.INLINE)
    assert [*all_embedded(log.store, log.session)] == []


def test_sessions_that_embed_each_other_many_times_are_read_once(log: Log) -> None:
    callouts = "\n\n> [!subagent] @scout\n> mode: embed\n> ![[{}]]" * 12
    for level in range(8):
        head = f"---\nsession_id: e{level}\nstatus: active\n---\n\n## A"
        text = head + callouts.replace("{}", f"e{level + 1}") + "\n"
        (log.store.root / f"e{level}.md").write_text(text, encoding="utf-8")
    log.recorder.phase("Research")
    log.recorder.subagent(SCOUT, "x", mode=SubagentMode.EMBED, session="e0")
    found = [*all_embedded(log.store, log.session)]
    assert [f"e{level}" for level in range(7)] == [one.session.id for one in found if one.session]
    assert "embedded above" in {one.problem for one in found}


def test_a_session_that_is_embedded_twice_is_shown_once(log: Log) -> None:
    log.recorder.phase("Research")
    own = log.recorder.subagent(SCOUT, "Work", mode=SubagentMode.EMBED)
    log.recorder.subagent(SCOUT, "Work", mode=SubagentMode.EMBED, session=own)
    assert [None, "embedded above"] == [o.problem for o in all_embedded(log.store, log.session)]
