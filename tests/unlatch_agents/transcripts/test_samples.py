"""The readers against recordings of the real programs, counted in another way.

The samples are not part of the project: the tests run where UNLATCH_SAMPLES names their folder.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_agents.transcripts import independent
from tests.unlatch_agents.transcripts.independent import objects
from tests.unlatch_agents.transcripts.lines import all_of

from unlatch.errors import StoreError
from unlatch_agents.transcripts import (
    Branch,
    Compaction,
    Decision,
    Failure,
    Interruption,
    Prompt,
    Reply,
    Thought,
    ToolCall,
    Transcript,
    Usage,
    findings,
    read_transcripts,
)

_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")
ROOT = Path(_SAMPLES or os.devnull) / "transcripts"
OLD = ROOT / "claude-code" / "claude-code-log-1.7.0"

Numbers = tuple[int, int, int, int, int]


def numbers(transcript: Transcript) -> Numbers:
    """Prompts, replies, thoughts, calls, failures."""
    kinds = Counter(type(it) for it in transcript.events)
    failed = [it for it in transcript.events if isinstance(it, ToolCall) and it.result]
    failures = sum(it.result.failed for it in failed if it.result)
    return (kinds[Prompt], kinds[Reply], kinds[Thought], kinds[ToolCall], failures)


def spent(usage: Usage) -> tuple[int, ...]:
    return (usage.input, usage.output, usage.cache_read, usage.cache_write)


def one(path: Path) -> Transcript:
    (found,) = read_transcripts(path)
    return found


def test_recorded_session_of_claude_code() -> None:
    (path,) = (ROOT / "claude-code/recorded-2.1.197").glob("*-*-*.jsonl")
    found = one(path)
    expected = independent.claude(path)
    assert (numbers(found), spent(found.usage)) == (expected.numbers, expected.tokens)
    assert spent(found.usage) == (12000, 600, 500, 1000)
    files = sorted((path.with_suffix("") / "subagents").glob("*.jsonl"))
    agents = {f"agent-{it.id}": it for it in found.subagents}
    assert sorted(agents) == [it.stem for it in files]
    for file in files:
        agent = agents[file.stem]
        expected = independent.claude(file, is_agent=True)
        assert (numbers(agent), spent(agent.usage)) == (expected.numbers, expected.tokens)
        assert (agent.role, agent.title, agent.parent) == (
            "general-purpose",
            "Review fix",
            found.id,
        )
    started = [it.result.subagent for it in found.events if isinstance(it, ToolCall) and it.result]
    assert [f"agent-{it}" for it in started if it] == [
        f"agent-{it.id}" for it in found.subagents
    ], "in the order of their start"
    (compaction,) = (it for it in found.events if isinstance(it, Compaction))
    assert compaction.trigger == "manual"
    assert "add() now adds" in compaction.summary
    assert not [it for it in found.events if isinstance(it, Branch | Interruption)]
    assert not sum((it.unknown for it in all_of(found)), Counter())
    assert (found.version, found.branch, found.cwd) == ("2.1.197", "master", "/home/dev/demo")


def test_sessions_of_older_claude_code() -> None:
    paths = sorted(it for it in OLD.glob("*.jsonl") if "sidechain" not in it.name)
    seen = Counter[str]()
    for path in paths:
        if not any(it.get("sessionId") or it.get("leafUuid") for it in objects(path)):
            seen["no session"] += 1
            continue
        found = one(path)
        is_agent = bool(found.parent)
        expected = independent.claude(path, is_agent=is_agent)
        assert (numbers(found), spent(found.usage)) == (expected.numbers, expected.tokens), path
        seen["agent" if is_agent else "session"] += 1
    assert len(paths) > 50
    assert seen["session"] > 35
    assert seen["no session"] == 1  # a lone snapshot of files


def test_calls_of_older_claude_code_with_their_results(tmp_path: Path) -> None:
    """The samples have a call and its result in files of their own."""
    joined = 0
    for call in sorted(OLD.glob("tools-*-tool_use.jsonl")):
        tool = call.name.removesuffix("-tool_use.jsonl")
        for result in OLD.glob(f"{tool}-tool_result*.jsonl"):
            path = tmp_path / "both.jsonl"
            path.write_bytes(call.read_bytes().strip() + b"\n" + result.read_bytes())
            found = one(path)
            is_agent = bool(found.parent)
            assert numbers(found) == independent.claude(path, is_agent=is_agent).numbers, result
            event = next(it for it in found.events if isinstance(it, ToolCall))
            ids = re.findall(r'"tool_use_id": ?"([^"]+)"', result.read_text(encoding="utf-8"))
            assert (event.result is not None) == (event.id in ids), result.name
            joined += event.result is not None
    assert joined >= 15


def test_approved_plans_of_older_claude_code(tmp_path: Path) -> None:
    for tool in ("ExitPlanMode", "exit_plan_mode"):
        path = tmp_path / "both.jsonl"
        parts = (OLD / f"tools-{tool}-{it}.jsonl" for it in ("tool_use", "tool_result"))
        path.write_bytes(b"\n".join(it.read_bytes() for it in parts))
        (found,) = (it for it in findings(one(path).events) if isinstance(it, Decision))
        assert found.rule == "plan-approved"
        assert found.text.startswith("## ")


def test_sidechains_of_older_claude_code_are_agents() -> None:
    for name in ("user-user_sidechain", "assistant-assistant_sidechain"):
        found = one(OLD / f"{name}.jsonl")
        assert (found.id, bool(found.parent)) == ("b1f5d80e", True)
        assert not any(isinstance(it, Prompt) for it in found.events)


def test_recorded_thread_of_codex() -> None:
    (path,) = (ROOT / "codex/recorded-0.169.0").glob("rollout-*.jsonl")
    found = one(path)
    expected = independent.codex(path)
    assert (numbers(found), spent(found.usage)) == (expected.numbers, expected.tokens)
    items = [it["payload"].get("item", {}) for it in objects(path)]
    commands = [it for it in items if it.get("type") == "CommandExecution"]
    calls = [it.result for it in found.events if isinstance(it, ToolCall)]
    assert [it.exit_code for it in calls if it] == [it["exit_code"] for it in commands]
    assert [it.text for it in calls if it] == [it["aggregated_output"] for it in commands]
    assert (found.branch, found.version, not found.unknown) == ("master", "0.169.0", True)


def test_records_of_older_codex(tmp_path: Path) -> None:
    """The samples are records with white space; a rollout has them as lines."""
    records: list[dict[str, Any]] = []
    for path in sorted((ROOT / "codex/claude-code-log-1.7.0").rglob("*.json")):
        value = json.loads(path.read_text(encoding="utf-8"))
        records += value if isinstance(value, list) else [value]
    records.sort(key=lambda it: "source" not in it["payload"] or it["payload"]["source"] != "cli")
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(f"{json.dumps(it)}\n" for it in records))
    found = one(path)
    kinds = Counter(it["payload"].get("type") for it in records)
    calls = kinds["function_call"] + kinds["custom_tool_call"]
    assert numbers(found) == (1, 0, kinds["reasoning"], calls, 0)
    results = [it.result for it in found.events if isinstance(it, ToolCall)]
    assert len(results) == kinds["function_call_output"] + kinds["custom_tool_call_output"]
    assert "2 passed\n" in [it.text for it in results if it]
    assert (found.id[:8], found.cwd) == ("11111111", "/workspace/synthetic-project")
    assert not found.unknown


def test_agents_thread_of_older_codex(tmp_path: Path) -> None:
    record = json.loads(
        (ROOT / "codex/claude-code-log-1.7.0/collaboration/thread-spawn.json").read_bytes()
    )
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps(record))
    assert (one(path).id[:4], one(path).parent[:4]) == ("3333", "2222")


def test_recorded_chat_of_gemini_cli() -> None:
    (path,) = (ROOT / "gemini-cli/recorded-0.61.0").glob("session-*.jsonl")
    found = one(path)
    expected = independent.gemini(path)
    assert (numbers(found), spent(found.usage)) == (expected.numbers, expected.tokens)
    assert found.usage.total == 5700
    assert not found.unknown


def test_recorded_session_of_opencode() -> None:
    path = ROOT / "opencode/recorded-1.18.33/opencode.db"
    found = one(path)
    expected = independent.opencode(path)
    assert (numbers(found), spent(found.usage)) == (expected.numbers, expected.tokens)
    assert not found.unknown


def test_history_of_aider() -> None:
    path = ROOT / "aider/chat-history-excerpt.md"
    found = read_transcripts(path)
    expected = independent.aider(path)
    assert [(numbers(it), spent(it.usage)) for it in found] == [
        (it.numbers, it.tokens) for it in expected
    ]


def test_each_file_is_read_or_refused() -> None:
    refused = []
    for path in sorted(it for it in ROOT.rglob("*") if it.is_file()):
        try:
            read_transcripts(path)
        except StoreError as error:
            assert error.id == "transcript-not-recognised"  # noqa: PT017
            refused.append(path)
    records = "claude-code-log-1.7.0"
    others = {it.name for it in refused if it.parent.parent.name != records}
    assert {it for it in others if not it.endswith(".json")} == {"README.md", "hooks-stdin.jsonl"}


def test_findings_in_the_recordings_are_those_that_were_scripted() -> None:
    """Each scripted turn runs pytest on a missing file and ends with a decision."""
    recorded = [it for it in ROOT.rglob("*recorded-*/*") if it.suffix in (".jsonl", ".db")]
    for path in (it for it in recorded if it.name != "hooks-stdin.jsonl"):
        found = one(path)
        turns = sum(isinstance(it, Prompt) for it in found.events)
        kinds = Counter(type(it) for it in findings(found.events))
        assert kinds == {Failure: turns, Decision: turns}, path.name


def test_transcripts_that_are_cut_at_lines_yield_no_more_than_the_whole(tmp_path: Path) -> None:
    whole = [
        it for it in ROOT.rglob("*.jsonl") if it.name.startswith(("be", "rollout", "session-"))
    ]
    assert len(whole) == 3
    for source in whole:
        most = one(source)
        lines = source.read_bytes().splitlines(keepends=True)
        path = tmp_path / source.name
        for end in range(5, len(lines)):
            path.write_bytes(b"".join(lines[:end]) + lines[end][: len(lines[end]) // 2])
            found = one(path)
            assert {it.key for it in found.events} <= {it.key for it in most.events}
            assert found.usage.total <= most.usage.total
