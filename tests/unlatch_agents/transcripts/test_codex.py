from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_agents.transcripts.lines import Json, all_of, outline, read_one, write

from unlatch_agents.transcripts import (
    Compaction,
    Correction,
    Result,
    ToolCall,
    Transcript,
    findings,
)


class Rollout:
    """Lines of Codex; with `ordinal` as today's versions write them."""

    def __init__(self, *, ordinals: bool = True) -> None:
        self.lines: list[Json] = []
        self._numbers = count() if ordinals else None

    def add(self, type: str, /, **payload: Any) -> Rollout:
        line: Json = {"timestamp": "2026-11-22T05:45:45.430Z", "type": type, "payload": payload}
        if self._numbers is not None:
            line["ordinal"] = next(self._numbers)
        self.lines.append(line)
        return self

    def item(self, type: str, /, **fields: Any) -> Rollout:
        return self.add("response_item", type=type, **fields)

    def event(self, type: str, /, **fields: Any) -> Rollout:
        return self.add("event_msg", type=type, **fields)

    def completed(self, type: str, /, **fields: Any) -> Rollout:
        return self.event("item_completed", item={"type": type, **fields})

    def message(self, role: str, text: str) -> Rollout:
        kind = "output_text" if role == "assistant" else "input_text"
        return self.item("message", role=role, content=[{"type": kind, "text": text}])

    def call(self, id: str, **arguments: Any) -> Rollout:
        given = json.dumps(arguments)
        return self.item("function_call", name="exec_command", arguments=given, call_id=id)

    def output(self, id: str, output: object) -> Rollout:
        return self.item("function_call_output", call_id=id, output=output)


def read(tmp_path: Path, rollout: Rollout) -> Transcript:
    return read_one(write(tmp_path / "rollout-1.jsonl", rollout.lines))


def results(transcript: Transcript) -> list[Result | None]:
    return [it.result for it in transcript.events if isinstance(it, ToolCall)]


def test_thread_is_read_from_items_and_events(tmp_path: Path) -> None:
    rollout = Rollout()
    git = {"branch": "main"}
    rollout.add("session_meta", id="t1", cwd="/home/dev/demo", cli_version="0.169.0", git=git)
    rollout.add("world_state", cut=True)
    rollout.add("turn_context", model="gpt", cwd="/home/dev/demo")
    rollout.message("developer", "Rules").message("user", "<environment_context>x")
    rollout.message("user", "Fix add").completed("UserMessage", content=[{"text": "Fix add"}])
    rollout.completed("Reasoning", id="r1", summary_text=["Look."])
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "Look."}])
    rollout.item("reasoning", summary=[], encrypted_content="x")
    rollout.completed("AgentMessage", content=[{"text": "Looking."}])
    rollout.message("assistant", "Looking.").call("c1", cmd="pytest")
    rollout.completed("CommandExecution", id="c1", exit_code=1, aggregated_output="1 failed\n")
    rollout.output("c1", "Process exited with code 1\nOutput:\n1 failed\n")
    found = read(tmp_path, rollout)
    assert outline(found.events) == ["> Fix add", "thought", "Looking.", "exec_command: 1 failed\n"]
    assert [it.key for it in found.events] == ["6", "8", "11", "12"]
    (call,) = (it for it in found.events if isinstance(it, ToolCall))
    assert call.arguments == {"cmd": "pytest"}
    assert call.result is not None
    assert (call.result.failed, call.result.exit_code) == (True, 1)
    assert (found.id, found.version, found.cwd) == ("t1", "0.169.0", "/home/dev/demo")
    assert (found.branch, found.model, found.title) == ("main", "gpt", "Fix add")
    assert not found.unknown


@pytest.mark.parametrize("form", ["event", "item"])
@pytest.mark.parametrize(
    "before",
    [
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## Open tabs:\n- a.py: a.py\n\n",
        "# Files mentioned by the user:\n\n## a.png:\n/tmp/a.png\n\n",
    ],
)
def test_context_of_an_ide_is_no_persons_words(tmp_path: Path, before: str, form: str) -> None:
    words = f"{before}## My request for Codex:\nExport as CSV\n\n## Notes\nwith a header\n"
    rollout = Rollout().add("session_meta", id="t1")
    if form == "event":
        rollout.event("user_message", message=words)
    else:
        rollout = Rollout(ordinals=False).add("session_meta", id="t1").message("user", words)
    transcript = read(tmp_path, rollout)
    assert outline(transcript.events) == ["> Export as CSV\n\n## Notes\nwith a header"]
    assert transcript.title == "Export as CSV"


def test_oldest_files_have_items_as_lines(tmp_path: Path) -> None:
    call = {"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls"]}}
    meta = {"id": "t1", "timestamp": "2025-06-14T10:00:00Z", "instructions": None}
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    output = {"type": "function_call_output", "call_id": "c1", "output": "a.txt"}
    lines = [meta, {"record_type": "state"}, prompt, call, output]
    found = read_one(write(tmp_path / "rollout.jsonl", lines))
    assert (found.id, outline(found.events)) == ("t1", ["> Go", "local_shell: a.txt"])


def test_first_form_is_one_object(tmp_path: Path) -> None:
    session = {"timestamp": "2025-05-14T10:00:00Z", "id": "t1", "instructions": ""}
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    call = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "a.txt"}
    path = tmp_path / "rollout-2025-05-14-t1.json"
    whole = {"session": session, "items": [prompt, call, output]}
    path.write_text(json.dumps(whole, indent=2), encoding="utf-8")
    found = read_one(path)
    assert (found.id, outline(found.events)) == ("t1", ["> Go", "shell: a.txt"])
    assert not found.unknown


# `codex exec` 0.171.0, of a command that asks to leave the sandbox.
DENIED = "approval policy is Never"


@pytest.mark.parametrize(
    ("output", "text", "expected"),
    [
        ("Chunk ID: 1\nProcess exited with code 2\nOutput:\nx", None, (True, False, 2)),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx", None, (False, False, 0)),
        ("x\nProcess exited with code 2\n", None, (False, False, None)),
        ('{"output": "x", "metadata": {"exit_code": 3}}', "x", (True, False, 3)),
        (
            [{"type": "input_text", "text": '{"output": "x", "exit_code": 0}'}],
            "x",
            (False, False, 0),
        ),
        ({"content": "x", "success": False}, "x", (True, False, None)),
        ("exec command rejected by user", None, (True, True, None)),
        ("patch rejected by user", None, (True, True, None)),
        ("aborted by user after 2s", None, (False, False, None)),
        (f"{DENIED}; reject command \u2014 you cannot ask", None, (True, False, None)),
        ("apply_patch verification failed: no match", None, (True, False, None)),
        ('{"task_name": "research"}', None, (False, False, None)),
        ("{broken", None, (False, False, None)),
        (None, "", (False, False, None)),
    ],
)
def test_outputs_say_whether_a_call_failed(
    tmp_path: Path, output: object, text: str | None, expected: tuple[bool, bool, int | None]
) -> None:
    rollout = Rollout().add("session_meta", id="t1").call("c1").output("c1", output)
    (result,) = results(read(tmp_path, rollout))
    assert result is not None
    assert result.text == (output if text is None else text)
    assert result.denied is result.text.startswith(DENIED)
    assert (result.failed, result.rejected, result.exit_code) == expected


@pytest.mark.parametrize(
    ("kind", "fields", "failed"),
    [
        ("exec_command_end", {"exit_code": 1, "aggregated_output": "x"}, True),
        ("exec_command_end", {"exit_code": 0}, False),
        ("patch_apply_end", {"success": False, "stdout": "no match"}, True),
        ("patch_apply_end", {"success": True}, False),
        ("mcp_tool_call_end", {"result": {"Err": "down"}}, True),
        ("mcp_tool_call_end", {"result": {"Ok": {}}}, False),
    ],
)
def test_events_say_whether_a_call_failed(
    tmp_path: Path, kind: str, fields: Json, failed: bool
) -> None:
    rollout = Rollout(ordinals=False).add("session_meta", id="t1").call("c1")
    rollout.event(kind, call_id="c1", **fields).output("c1", "as the model got it")
    (result,) = results(read(tmp_path, rollout))
    assert result is not None
    assert result.failed is failed


@pytest.mark.parametrize("source", ["exec", "cli"])
def test_call_that_a_person_stopped_has_not_failed(tmp_path: Path, source: str) -> None:
    rollout = Rollout().add("session_meta", id="t1", source=source)
    rollout.event("task_started", turn_attribution={"turn_trigger": source}).call("c1")
    rollout.output("c1", "Wall time: 2.2 seconds\naborted by user")
    rollout.event("turn_aborted", reason="interrupted")
    rollout.completed("CommandExecution", id="c1", status="failed", exit_code=-1)
    rollout.message("user", "Write a loop")
    rollout.completed("UserMessage", content=[{"text": "Write a loop"}])
    events = read(tmp_path, rollout).events
    # At the terminal, a person stops the agent to say something else.
    expected = [] if source == "exec" else [Correction("interrupted", "7", "Write a loop")]
    assert findings(events) == expected


def test_interruption_compaction_and_name(tmp_path: Path) -> None:
    rollout = Rollout().add("session_meta", id="t1")
    rollout.event("turn_aborted", reason="interrupted").event("turn_aborted", reason="replaced")
    rollout.add("compacted", message="All is well.").event("context_compacted")
    rollout.event("thread_name_updated", thread_name="Calculator")
    found = read(tmp_path, rollout)
    assert outline(found.events) == ["interruption", "compaction"]
    assert isinstance(found.events[1], Compaction)
    assert found.events[1].summary == "All is well."
    assert found.title == "Calculator"


def test_thread_of_an_agent_names_its_parent_and_has_no_prompts(tmp_path: Path) -> None:
    spawn = {"thread_spawn": {"parent_thread_id": "t0", "agent_role": "explorer"}}
    rollout = Rollout().add("session_meta", id="t1", source={"subagent": spawn})
    rollout.add("session_meta", id="t0", source="cli")
    rollout.completed("UserMessage", content=[{"text": "Look around"}])
    rollout.message("assistant", "I see.")
    found = read(tmp_path, rollout)
    assert (found.id, found.parent, found.role) == ("t1", "t0", "explorer")
    assert outline(found.events) == ["I see."]
    assert found.title == "Look around"


def test_unknown_types_are_counted(tmp_path: Path) -> None:
    rollout = Rollout().add("session_meta", id="t1").add("hologram")
    rollout.item("dream").event("thought_bubble")
    assert read(tmp_path, rollout).unknown == {
        "hologram": 1,
        "item: dream": 1,
        "event: thought_bubble": 1,
    }


def thread(id: str, *, parent: str = "", starts: tuple[str, ...] = ()) -> list[Json]:
    """The lines of a thread that starts agents with these ids."""
    spawn = {"thread_spawn": {"parent_thread_id": parent}}
    rollout = Rollout().add("session_meta", id=id, source={"subagent": spawn} if parent else "cli")
    rollout.message("assistant", f"I am {id}.")
    for agent in starts:
        rollout.item("function_call", name="spawn_agent", arguments="{}", call_id=agent)
        rollout.output(agent, json.dumps({"agent_id": agent}))
    return rollout.lines


def test_agents_are_in_the_files_that_name_their_parent(tmp_path: Path) -> None:
    days = tmp_path / "sessions" / "2026" / "11"
    path = days / "22" / "rollout-2026-11-22T05-00-00-t1.jsonl"
    write(path, thread("t1", starts=("a1", "a2")))
    write(
        days / "22" / "rollout-2026-11-22T05-10-00-a1.jsonl",
        thread("a1", parent="t1", starts=("b1",)),
    )
    write(days / "23" / "rollout-2026-11-23T00-10-00-b1.jsonl", thread("b1", parent="a1"))
    write(days / "22" / "rollout-2026-11-22T05-20-00-o1.jsonl", thread("o1", parent="other"))
    write(days / "22" / "rollout-2026-11-22T05-30-00-o2.jsonl", ["{broken"])
    write(days / "22" / "rollout-2026-11-22T04-00-00-o3.jsonl", thread("o3", parent="t1"))
    (days / "22" / "rollout-2026-11-22T05-40-00-l1.jsonl").symlink_to(path)
    found = read_one(path)
    assert [(it.id, it.parent) for it in all_of(found)] == [("t1", ""), ("a1", "t1"), ("b1", "a1")]
    assert [it.subagent for it in results(found) if it] == ["a1", ""]


def test_time_that_no_name_can_have_limits_nothing(tmp_path: Path) -> None:
    lines = [it | {"timestamp": "9999-12-31T23:59:59Z"} for it in thread("t1", starts=("a1",))]
    path = write(tmp_path / "rollout-1-t1.jsonl", lines)
    write(tmp_path / "rollout-2-a1.jsonl", thread("a1", parent="t1"))
    assert [it.id for it in all_of(read_one(path))] == ["t1", "a1"]


def test_script_that_starts_an_agent_is_a_start(tmp_path: Path) -> None:
    rollout = Rollout().add("session_meta", id="t1")
    rollout.item("custom_tool_call", name="exec", input="tools.spawn_agent({})", call_id="c1")
    path = write(tmp_path / "rollout-1-t1.jsonl", rollout.lines)
    write(tmp_path / "rollout-2-a1.jsonl", thread("a1", parent="t1"))
    assert [it.id for it in all_of(read_one(path))] == ["t1", "a1"]


@pytest.mark.parametrize(("before", "kept"), [("Done.", ["Done."]), ("Done.\nNext: b", [])])
def test_summary_of_a_compaction_is_no_reply(tmp_path: Path, before: str, kept: list[str]) -> None:
    """0.171.0 writes it as a message as well, without an AgentMessage (findings/)."""
    rollout = Rollout().add("session_meta", id="t1").message("assistant", before)
    rollout.add("compacted", message="Here is the summary:\nDone.\nNext: b")
    assert outline(read(tmp_path, rollout).events) == [*kept, "compaction"]


@pytest.mark.parametrize(
    ("code", "is_idle", "failed"), [(-1, True, False), (-1, False, True), (4, True, True)]
)
def test_command_that_runs_when_codex_ends_has_not_failed(
    tmp_path: Path, code: int, is_idle: bool, failed: bool
) -> None:
    """As 0.171.0 records a server that the agent started: the end of Codex ends it."""
    rollout = Rollout().add("session_meta", id="t1").event("task_started").call("c1")
    rollout.output("c1", "Chunk ID: 1\nProcess running with session ID 2597\nOutput:\nserving\n")
    rollout.message("assistant", "done")
    if is_idle:
        rollout.event("task_complete")
    output = {"aggregated_output": "serving\n", "exit_code": code}
    rollout.completed("CommandExecution", id="c1", status="failed", **output)
    found = read(tmp_path, rollout)
    (result,) = results(found)
    assert result == Result("serving\n", failed, exit_code=code if failed else None)
    assert [it.rule for it in findings(found.events)] == ["exit-code"] * failed
    assert not found.unknown
