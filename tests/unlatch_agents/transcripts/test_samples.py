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

from unlatch.errors import StoreError
from unlatch_agents.transcripts import (
    Decision,
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


@pytest.mark.sweep
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
