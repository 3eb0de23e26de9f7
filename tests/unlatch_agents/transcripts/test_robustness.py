"""Reading any file ends soon, with events or our error."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_agents.transcripts.examples import EXAMPLES, claude_code, codex, gemini_cli
from tests.unlatch_agents.transcripts.lines import Json, Session, all_of, read_one, said, write

from unlatch.errors import StoreError
from unlatch_agents.transcripts import (
    Branch,
    ToolCall,
    Transcript,
    Usage,
    findings,
    read_transcripts,
)
from unlatch_agents.transcripts import jsonl as module

MAKERS = {"claude-code": claude_code, "codex": codex, "gemini-cli": gemini_cli}


def check_readable(path: Path) -> list[Transcript]:
    """The transcripts, checked to be usable; none where an error of ours says that it is none."""
    try:
        found = read_transcripts(path)
    except StoreError:
        return []
    for transcript in (inner for it in found for inner in all_of(it)):
        for finding in findings(transcript.events):
            assert finding.key in {it.key for it in transcript.events}
        str(transcript).encode("ascii", "backslashreplace")
        texts = [str(getattr(it, "text", "")) for it in transcript.events]
        calls = [it for it in transcript.events if isinstance(it, ToolCall)]
        json.dumps([texts, *(it.arguments for it in calls)], allow_nan=False).encode()
        "".join(texts).encode()
    return found


def size(found: list[Transcript]) -> tuple[int, Usage]:
    """How many events there are, those in branches too, and the tokens."""
    everything = [inner for it in found for inner in all_of(it)]
    events = [event for it in everything for event in it.events]
    count = sum(it.dropped if isinstance(it, Branch) else 1 for it in events)
    return count, sum((it.usage for it in everything), Usage())


@pytest.mark.sweep
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("agent", EXAMPLES)
def test_file_that_is_cut_anywhere_yields_no_more_than_the_whole(
    tmp_path: Path, agent: str, step: int
) -> None:
    whole = EXAMPLES[agent]()
    path = tmp_path / "transcript"
    path.write_bytes(whole)
    found = check_readable(path)
    assert found
    assert all(it.agent == agent for it in found)
    most, usage = size(found)
    for end in range(0, len(whole), step):
        path.write_bytes(whole[:end])
        count, used = size(check_readable(path))
        assert count <= most
        assert used.input <= usage.input
        assert used.output <= usage.output
        assert used.cache_read <= usage.cache_read


WORDS = st.sampled_from(
    """
    type message content uuid parentUuid logicalParentUuid sessionId isSidechain agentId timestamp
    text thinking tool_use tool_result tool_use_id id name input is_error toolUseResult usage user
    assistant system attachment summary leafUuid subtype compact_boundary isCompactSummary payload
    response_item event_msg role reasoning function_call function_call_output call_id output
    arguments item_completed item UserMessage exit_code token_count info total_token_usage
    thread_rolled_back num_turns task_started session_meta source subagent compacted $set $rewindTo
    messages startTime gemini tokens toolCalls args result functionResponse response status thoughts
    input_tokens prompt queued_command spawn_agent s1-1 s1-2 m1 m2 c1 t1
    """.split()  # noqa: SIM905
)
LEAVES = (
    WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(("2026-11-22T05:45:45Z", "9999-12-31T23:59:59Z")) | st.just("\ud800")
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=15,
)
LINES = st.dictionaries(WORDS, VALUES, max_size=8)


@given(agent=st.sampled_from(sorted(MAKERS)), lines=st.lists(LINES | VALUES, max_size=6))
def test_any_json_lines_are_read(
    tmp_path_factory: pytest.TempPathFactory, agent: str, lines: list[Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    write(path, [*lines, *MAKERS[agent](), *lines])
    check_readable(path)


@st.composite
def changed_lines(draw: st.DrawFn) -> list[Any]:
    """Lines of an agent, in which some values have been replaced by others."""
    lines = MAKERS[draw(st.sampled_from(sorted(MAKERS)))]()
    for line in draw(st.lists(st.sampled_from(lines), max_size=4)):
        at: Any = line
        while isinstance(at, dict | list) and at:
            keys = sorted(at) if isinstance(at, dict) else range(len(at))
            key = draw(st.sampled_from(keys))
            if not isinstance(at[key], dict | list) or draw(st.booleans()):
                at[key] = draw(VALUES)
                break
            at = at[key]
    return lines


@given(lines=changed_lines())
def test_any_changed_values_are_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Any]
) -> None:
    check_readable(write(tmp_path_factory.getbasetemp() / "changed.jsonl", lines))


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes"
    for start in (b"", *(make() for make in EXAMPLES.values())):
        path.write_bytes(start + content)
        check_readable(path)


def test_deep_lines_and_arguments_are_left_out(tmp_path: Path) -> None:
    session = Session()
    session.ask("Go")
    deep: Json = {}
    for _ in range(200):
        deep = {"a": deep}
    session.reply("m1", {"type": "tool_use", "id": "t1", "name": "Bash", "input": deep})
    found = read_one(write(tmp_path / "s.jsonl", [*session.lines, "[" * 200_000]))
    assert found.unknown == {"line nested too deeply": 1}
    call = found.events[1]
    assert isinstance(call, ToolCall)
    assert call.arguments == {}


def test_long_lines_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 1000)
    session = Session()
    session.ask("one")
    session.ask("x" * 5000)
    session.ask("three", after="s1-1")
    found = read_one(write(tmp_path / "s.jsonl", session.lines))
    assert [it.key for it in found.events] == ["s1-1", "s1-3"]
    assert found.unknown == {"line too long": 1}


def chain(count: int) -> list[Json]:
    session = Session()
    for _ in range(count):
        session.ask("x")
    return session.lines[::-1]


def star(count: int) -> list[Json]:
    session = Session()
    first = session.ask("x")
    for _ in range(count):
        session.ask("y", after=first)
    return session.lines


def results(count: int) -> list[Json]:
    session = Session()
    for number in range(count):
        session.reply(f"m{number}", said("x"))
        session.result(f"t{number}", "x")
    return session.lines


def rewinds(count: int) -> list[Json]:
    header, prompt, *_ = gemini_cli()
    step = [prompt | {"id": "a"}, prompt | {"id": "b"}, {"$rewindTo": "b"}]
    return [header, *(step * count)]


def rollbacks(count: int) -> list[Json]:
    meta, turn, *_ = codex()
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    return [meta, *([turn, turn, back] * count)]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(chain, marks=pytest.mark.sweep),
        star,
        pytest.param(results, marks=pytest.mark.sweep),
        pytest.param(rewinds, marks=pytest.mark.sweep),
        pytest.param(rollbacks, marks=pytest.mark.sweep),
    ],
)
def test_no_shape_takes_quadratic_time(tmp_path: Path, make: Any) -> None:
    path = write(tmp_path / "s.jsonl", make(4_000))
    start = time.process_time()
    assert read_transcripts(path)
    assert time.process_time() - start < 2
