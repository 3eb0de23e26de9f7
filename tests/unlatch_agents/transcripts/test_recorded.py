"""Conversations that tests/coding_agents/record.py recorded, against their independent count."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from tests.unlatch_agents.transcripts import independent
from tests.unlatch_agents.transcripts.recorded_homes import recorded

from unlatch_agents.transcripts import (
    Prompt,
    Reply,
    Thought,
    ToolCall,
    Transcript,
    Usage,
    findings,
    read_transcripts,
)
from unlatch_agents.transcripts.find import find_transcripts

AGENTS = ("claude-code", "codex", "gemini-cli", "opencode", "aider")
# The beginnings of what an agent or its program says to an agent.
TO_AGENTS = ("See to it", "Stay with it", "You have stopped calling")
# The forks and their origins, by their titles.
ORIGINS = {
    "claude-code": [
        ("Try a loop", "Fix add"),
        ("Try a table", "Fix add"),
        ("Try recursion", "Try a loop"),
    ],
    "codex": [("Try a loop", "Fix add"), ("Try recursion", "Try a loop")],
    "gemini-cli": [("Try a loop", "Fix add"), ("Try recursion", "Try a loop")],
    "opencode": [
        ("Fix add (fork #1)", "Fix add"),
        ("Fix add (fork #1)", "Fix add"),
        ("Fix add (fork #2)", "Fix add (fork #1)"),
    ],
    "aider": [],
}


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return recorded(request.param, tmp_path)


def read(home: Path) -> list[Transcript]:
    """All transcripts with a conversation, each once."""
    found = find_transcripts(environ={}, home=home, projects=[home / "demo"])
    return [it for one in found for it in read_transcripts(one.path, id=one.id)]


def with_agents(transcripts: list[Transcript]) -> Iterator[Transcript]:
    for one in transcripts:
        yield one
        yield from with_agents([*one.subagents])


@pytest.mark.parametrize(("home", "agent"), [(it, it) for it in AGENTS], indirect=["home"])
def test_what_forks_copied_counts_once(home: Path, agent: str) -> None:
    found = [*with_agents(read(home))]
    own = [it for one in found for it in one.events if it.key not in one.copies]
    calls = [it for it in own if isinstance(it, ToolCall)]
    expected = independent.counts(agent, home)
    agents = {it.text.strip() for it in own if isinstance(it, Prompt)} ^ {*expected.prompts}
    assert all(it.startswith(TO_AGENTS) for it in agents)
    assert sorted(it.text for it in own if isinstance(it, Reply)) == sorted(expected.replies)
    usage = sum((it.usage for it in found), Usage())
    assert (
        sum(isinstance(it, Thought) for it in own),
        len(calls),
        sum(it.result is not None and it.result.failed for it in calls),
        (usage.input, usage.output, usage.cache_read, usage.cache_write),
    ) == (expected.thoughts, expected.calls, expected.failures, expected.tokens)
    assert not any(it.unknown for it in found)


@pytest.mark.parametrize(("home", "agent"), [(it, it) for it in AGENTS], indirect=["home"])
def test_forks_name_their_origins(home: Path, agent: str) -> None:
    found = read(home)
    titles = {it.id: it.title for it in found}
    assert len(titles) == len(found)
    assert sorted((it.title, titles[it.origin]) for it in found if it.origin) == ORIGINS[agent]


@pytest.mark.parametrize(("home", "agent"), [(it, it) for it in AGENTS], indirect=["home"])
def test_only_the_scripted_failure_and_decision_are_found(home: Path, agent: str) -> None:
    """A summary decides nothing, a stopped call is no failure, and what follows no correction."""
    found = read(home)
    own = chain.from_iterable(
        [it for it in findings(one.events) if it.key not in one.copies] for one in found
    )
    failures = [] if agent == "aider" else ["Failure"]  # it has no calls that fail
    assert sorted(type(it).__name__ for it in own) == ["Decision", *failures]
