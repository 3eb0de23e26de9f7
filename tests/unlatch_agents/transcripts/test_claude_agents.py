import json
from pathlib import Path

from tests.unlatch_agents.transcripts.lines import (
    Session,
    all_of,
    calls,
    outline,
    read_one,
    said,
    write,
)

from unlatch_agents.transcripts import ToolCall, Transcript


def agent(
    path: Path, id: str, *, started: str = "", depth: int = 1, call: str = "", **meta: object
) -> None:
    """Write the file of an agent that was started by the call `started` and makes `call`."""
    session = Session(isSidechain=True, agentId=id)
    session.ask("Look")
    session.reply("m1", said(f"I am {id}."))
    if call:
        session.reply("m2", calls(call, "Agent"))
        session.result(call, [said("ok"), said("agentId: no-such")], toolUseResult=None)
    write(path / f"agent-{id}.jsonl", session.lines)
    facts = {"toolUseId": started, "spawnDepth": depth, **meta}
    (path / f"agent-{id}.meta.json").write_text(json.dumps(facts))


def parent(path: Path, *started_by: tuple[str, str]) -> Path:
    """Write a session with calls and the ids of the agents that they started."""
    session = Session()
    session.ask("Go")
    for call, started in started_by:
        session.reply(f"m-{call}", calls(call, "Agent"))
        session.result(call, "ok", toolUseResult={"agentId": started} if started else {})
    return write(path / "s1.jsonl", session.lines)


def started(transcript: Transcript) -> list[str]:
    return [
        it.result.subagent for it in transcript.events if isinstance(it, ToolCall) and it.result
    ]


def test_agents_are_those_of_their_calls_down_to_the_fifth_level(tmp_path: Path) -> None:
    path = parent(tmp_path, ("t1", "a1"))
    folder = tmp_path / "s1" / "subagents"
    for depth in range(1, 6):
        agent(folder, f"a{depth}", started=f"t{depth}", depth=depth, call=f"t{depth + 1}")
    found = list(all_of(read_one(path)))
    assert [it.id for it in found] == ["s1", "a1", "a2", "a3", "a4", "a5"]
    assert [it.parent for it in found] == ["", "s1", "a1", "a2", "a3", "a4"]
    assert outline(found[5].events) == ["I am a5.", "Agent: ok\nagentId: no-such"]


def test_call_without_a_result_id_is_linked_by_the_agents_own_facts(tmp_path: Path) -> None:
    path = parent(tmp_path, ("t1", ""))
    agent(tmp_path / "s1" / "subagents", "a1", started="t1", agentType="Plan", description="Look")
    found = read_one(path)
    assert started(found) == ["a1"]
    assert [(it.role, it.title) for it in found.subagents] == [("Plan", "Look")]


def test_agents_of_earlier_versions_are_beside_the_session(tmp_path: Path) -> None:
    path = parent(tmp_path, ("t1", "a1"))
    agent(tmp_path, "a1")
    agent(tmp_path, "of-another-session")
    assert [it.id for it in read_one(path).subagents] == ["a1"]


def test_agents_that_start_each_other_end(tmp_path: Path) -> None:
    path = parent(tmp_path, ("t1", "a1"))
    folder = tmp_path / "s1" / "subagents"
    agent(folder, "a1", started="t2", depth=0, call="t1")
    agent(folder, "a2", started="t1", depth=0, call="t2")
    assert sorted(it.id for it in all_of(read_one(path))) == ["a1", "a2", "s1"]


def test_links_and_ids_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    agent(outside, "a1")
    inside = tmp_path / "projects"
    path = parent(inside, ("t1", "../outside/a1"), ("t2", "a1"))
    (inside / "s1").mkdir()
    (inside / "s1" / "subagents").symlink_to(outside)
    (inside / "agent-a1.jsonl").symlink_to(outside / "agent-a1.jsonl")
    found = read_one(path)
    assert found.subagents == ()
    assert found.unknown == {"agent's file that cannot be read": 1}, "the link beside the session"


def test_unreadable_facts_and_agents_are_passed_over(tmp_path: Path) -> None:
    path = parent(tmp_path, ("t1", "a1"))
    folder = tmp_path / "s1" / "subagents"
    agent(folder, "a1")
    (folder / "agent-a1.meta.json").write_text("{broken")
    (folder / "agent-a2.jsonl").mkdir()
    assert [it.id for it in read_one(path).subagents] == ["a1"]
