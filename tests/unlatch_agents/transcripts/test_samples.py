"""The readers against recordings of the real programs, counted in another way.

The samples are not part of the project: the tests run where UNLATCH_SAMPLES names their folder.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_agents.transcripts import independent

from unlatch.errors import StoreError
from unlatch_agents.transcripts import (
    Prompt,
    Reply,
    Thought,
    ToolCall,
    Transcript,
    Usage,
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


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("gemini-cli/recorded-0.61.0/session-*.jsonl", independent.gemini),
        ("opencode/recorded-1.18.33/opencode.db", independent.opencode),
    ],
)
def test_a_recorded_session_is_read_as_counted(
    name: str, count: Callable[[Path], independent.Counts]
) -> None:
    (path,) = ROOT.glob(name)
    found, expected = one(path), count(path)
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
