"""Claude Code: a session with the files of the agents that it started, and those that they did.

They are in `<session>/subagents`, each with a `.meta.json`; from 2.0.28 on they were beside the
session.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from glob import escape
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents import claude_code
from unlatch_agents.transcripts.conversation import (
    MAX_AGENT_DEPTH,
    UNREADABLE_AGENT,
    Json,
    Prompt,
    ToolCall,
    Transcript,
)
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import read_lines
from unlatch_agents.transcripts.values import count, mapping, parsed, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_AGENT_FILE = re.compile(r"agent-(?!acompact-)([\w-]{1,64})\.jsonl")
_MAX_META = 1 << 16


def with_agents(session: Transcript, path: Path) -> Transcript:
    """The session in the file at `path` with its subagents; those of no call are its own."""
    pool = dict(_agents(session, path))
    for inline in session.subagents:
        pool.pop(inline.id, None)
    session = _joined(session, pool, depth=1)
    left = (replace(agent, parent=session.id) for agent, _ in pool.values())
    return replace(session, subagents=(*session.subagents, *left))


def _joined(
    parent: Transcript, pool: dict[str, tuple[Transcript, Json]], *, depth: int
) -> Transcript:
    """Take the agents that `parent` started, and those that they started, from the pool."""
    if depth > MAX_AGENT_DEPTH:
        return parent
    calls = [event for event in parent.events if isinstance(event, ToolCall)]
    named = {call.result.subagent for call in calls if call.result} & pool.keys()
    ids = {call.id for call in calls}
    for agent, (_, meta) in pool.items():
        if text(meta.get("toolUseId")) in ids and count(meta.get("spawnDepth")) in (0, depth):
            named.add(agent)
    taken = [(agent, *pool.pop(agent)) for agent in sorted(named)]
    agents = [
        _joined(replace(transcript, parent=parent.id), pool, depth=depth + 1)
        for _, transcript, _ in taken
    ]
    agents.sort(key=_started)
    started = {text(meta.get("toolUseId")): agent for agent, _, meta in taken}
    events = tuple(
        _linked(event, started) if isinstance(event, ToolCall) else event for event in parent.events
    )
    return replace(parent, events=events, subagents=(*parent.subagents, *agents))


def _started(transcript: Transcript) -> str:
    return transcript.started.isoformat() if transcript.started else ""


def _linked(call: ToolCall, started: dict[str, str]) -> ToolCall:
    if call.result is None or call.result.subagent or call.id not in started:
        return call
    return replace(call, result=replace(call.result, subagent=started[call.id]))


def _agents(session: Transcript, path: Path) -> Iterator[tuple[str, tuple[Transcript, Json]]]:
    for file in _files(session, path):
        unknown: Counter[str] = Counter()
        try:
            with opened(file) as content:
                agent = claude_code.read(read_lines(content, unknown), unknown)
        except StoreError:
            session.unknown[UNREADABLE_AGENT] += 1
            continue
        meta = _meta(file.with_suffix(".meta.json"))
        match = _AGENT_FILE.fullmatch(file.name)
        role, title = text(meta.get("agentType")), text(meta.get("description"))
        agent = replace(
            agent,
            id=match[1] if match else agent.id,
            role=role,
            title=title or agent.title,
            # Its prompts are another agent's.
            events=tuple(event for event in agent.events if not isinstance(event, Prompt)),
        )
        yield agent.id, (agent, meta)


def _files(session: Transcript, path: Path) -> Iterator[Path]:
    folders = [escape(path.stem), "subagents"]
    has_folder = (path.with_suffix("") / "subagents").is_dir()
    for depth in range(MAX_AGENT_DEPTH if has_folder else 0):
        for file, _ in matching(path.parent, [*folders, *["*"] * depth, "agent-*.jsonl"]):
            if _AGENT_FILE.fullmatch(file.name):
                yield file
    for event in session.events:
        if isinstance(event, ToolCall) and event.result:
            name = f"agent-{event.result.subagent}.jsonl"
            if _AGENT_FILE.fullmatch(name) and path.with_name(name).is_file():
                yield path.with_name(name)


def _meta(path: Path) -> Json:
    try:
        with opened(path) as file:
            return mapping(parsed(file.read(_MAX_META).decode()))
    except (StoreError, ValueError):
        return {}
