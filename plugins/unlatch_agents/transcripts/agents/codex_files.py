"""Codex: a thread with the threads of the agents that it started; each is a file of its own.

An agent's file names its parent. It is in the folder of the day on which the agent was started, and
its name begins with that time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents import codex, codex_lines
from unlatch_agents.transcripts.conversation import MAX_AGENT_DEPTH, Event, ToolCall, Transcript
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import END, read_lines
from unlatch_agents.transcripts.values import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_FILE = "rollout-*.jsonl*"
_SPAWN = "spawn_agent"
_ZONES = timedelta(days=1)


def with_agents(thread: Transcript, path: Path, *, depth: int = 1) -> Transcript:
    """The thread in the file at `path` with its subagents."""
    if depth > MAX_AGENT_DEPTH or not any(map(_starts_agents, thread.events)):
        return thread
    agents = []
    for file in _later(thread, path):
        unknown: Counter[str] = Counter()
        try:
            with opened(file, most=END) as content:
                first = next(read_lines(content, Counter()), (0, {}))[1]
            if codex_lines.parent_of(first) != thread.id:
                continue
            with opened(file) as content:
                agent = codex.read(read_lines(content, unknown), unknown)
        except StoreError:
            continue
        agents.append(with_agents(agent, file, depth=depth + 1))
    events = tuple(_linked(event, agents) for event in thread.events)
    return replace(thread, events=events, subagents=tuple(agents))


def _starts_agents(event: Event) -> bool:
    # A script that calls tools is one call with the script as its input.
    return isinstance(event, ToolCall) and (
        _SPAWN in event.name or _SPAWN in text(event.arguments.get("input"))
    )


def _later(thread: Transcript, path: Path) -> Iterator[Path]:
    """The files of threads that were started while this one was in use."""
    by_day = path.parent.name.isdigit()
    root, levels = (path.parents[3], ["*", "*", "*"]) if by_day else (path.parent, [])
    last = _last(thread)
    for file, _ in matching(root, [*levels, _FILE]):
        if path.name < file.name and (not last or file.name <= last):
            yield file


def _last(thread: Transcript) -> str:
    """The greatest name of a file that was begun before the thread ended, if that is known."""
    try:
        # Names have the computer's time, events have UTC.
        return f"rollout-{thread.ended + _ZONES:%Y-%m-%dT%H-%M-%S}" if thread.ended else ""
    except OverflowError:
        return ""


def _linked(event: Event, agents: Sequence[Transcript]) -> Event:
    """A call with the agent that it started, where its result has the agent's id."""
    if not isinstance(event, ToolCall) or event.result is None or not _starts_agents(event):
        return event
    words = event.result.text
    started = next((agent.id for agent in agents if agent.id and agent.id in words), "")
    return replace(event, result=replace(event.result, subagent=started))
