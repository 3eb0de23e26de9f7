"""Codex: a JSONL file ("rollout") for each thread.

Messages are there twice, as an item of the model and as an event. Items have the order and the
calls; events have a person's words, exit codes and outputs. Only the oldest files have no events.
Source: a recording of 0.169.0, and empathic/toolpath docs/agents/formats/codex.md (0.118.0).
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING

from unlatch.transcripts.agents.codex_results import item_result, output_result
from unlatch.transcripts.model import (
    Branch,
    Compaction,
    Event,
    Interruption,
    Prompt,
    Reply,
    Result,
    Thought,
    ToolCall,
    Transcript,
    Usage,
    dropped_of,
    title_of,
)
from unlatch.transcripts.values import arguments, count, items, joined, mapping, name, text
from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from datetime import datetime

    from unlatch.transcripts.jsonl import Lines
    from unlatch.transcripts.model import Json

AGENT = "codex"
_HARNESS = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|skills?|turn_aborted"
    r"|collaboration_mode|user_shell_command|subagent_notification|hook_context|apps_instructions"
    r"|plugins_instructions|model_switch)\b|# AGENTS\.md instructions)"
)
# What an IDE and the app put around a person's words.
_AROUND = re.compile(
    r"\s*# (?:Context from my IDE setup|Files mentioned by the user):\s.*?"
    r"^## My request for Codex:\s*(?P<words>.*)",
    re.DOTALL | re.MULTILINE,
)
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
    "tool_search_call": "arguments",
}
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))
_IGNORED = frozenset(
    """
    world_state session_state agent_message agent_reasoning agent_reasoning_raw_content
    agent_reasoning_section_break task_complete turn_complete thread_settings_applied
    context_compacted item_started item_completed exec_command_begin
    exec_command_output_delta patch_apply_begin patch_apply_updated mcp_tool_call_begin
    web_search_begin web_search_end turn_diff plan_update ghost_snapshot compaction
    """.split()  # noqa: SIM905  (one name a line would hide the rest)
)


@dataclass(slots=True)
class _Rollout:
    unknown: Counter[str]
    id: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    is_subagent: bool = False
    events: list[Event] = field(default_factory=list)
    # The keys of prompts in events, and of those in items, which repeat them.
    said: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    turns: list[int] = field(default_factory=list)
    outputs: dict[str, Result] = field(default_factory=dict)
    # Results from events, which count more than the outputs.
    results: dict[str, Result] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class _At:
    """The place of a line: its key and time."""

    key: str
    time: datetime | None


def read(lines: Lines, unknown: Counter[str]) -> Transcript:
    rollout = _Rollout(unknown)
    last = -1
    for number, line in lines:
        ordinal = line.get("ordinal")
        if type(ordinal) is int and ordinal > last:
            last, key = ordinal, str(ordinal)
        else:
            key = f"line-{number}"
        kind, payload = _split(line)
        at = _At(key, read_stamp(line.get("timestamp")))
        if kind in _LINES:
            _LINES[kind](rollout, payload, at)
        elif kind not in _IGNORED:
            unknown[kind] += 1
    return _assembled(rollout, has_events=last >= 0)


def lines_of(whole: Json) -> list[Json]:
    """The lines in an object, as which Codex wrote a thread until 2025-06; others are one line."""
    session, found = mapping(whole.get("session")), whole.get("items")
    return [session, *map(mapping, items(found))] if session else [whole]


def parent_of(line: Json) -> str:
    """The thread in which the one with this first line was started by an agent."""
    return text(_spawn(_split(line)[1]).get("parent_thread_id"))


def _spawn(meta: Json) -> Json:
    started = mapping(mapping(meta.get("source")).get("subagent"))
    return mapping(started.get("thread_spawn"))


def _split(line: Json) -> tuple[str, Json]:
    if isinstance(line.get("payload"), dict):
        return name(line.get("type", "")), line["payload"]
    if "type" in line:  # until 2025-08 the items themselves were the lines
        return "response_item", line
    return ("session_meta" if "id" in line else name(line.get("record_type", ""))), line


def _assembled(rollout: _Rollout, *, has_events: bool) -> Transcript:
    repeated = rollout.repeated if rollout.said or has_events else set()
    events: list[Event] = []
    for event in rollout.events:
        if isinstance(event, ToolCall):
            found = rollout.results.get(event.id) or rollout.outputs.get(event.id)
            events.append(replace(event, result=found))
        elif event.key not in repeated and not (rollout.is_subagent and isinstance(event, Prompt)):
            events.append(event)
    facts = rollout.facts
    return Transcript(
        agent=AGENT,
        id=rollout.id,
        version=facts.get("cli_version", ""),
        title=facts.get("title") or title_of(rollout.events),
        cwd=facts.get("cwd", ""),
        branch=facts.get("branch", ""),
        model=facts.get("model", ""),
        parent=facts.get("parent", ""),
        role=facts.get("role", ""),
        events=tuple(events),
        usage=rollout.usage,
        unknown=rollout.unknown,
    )


def _meta(rollout: _Rollout, payload: Json, _: _At) -> None:
    if rollout.id:  # a fork repeats that of its parent
        return
    rollout.id = text(payload.get("id"))
    rollout.is_subagent = "subagent" in mapping(payload.get("source"))
    spawn = _spawn(payload)
    rollout.facts |= {
        "cli_version": text(payload.get("cli_version")),
        "cwd": text(payload.get("cwd")),
        "branch": text(mapping(payload.get("git")).get("branch")),
        "parent": text(spawn.get("parent_thread_id")),
        "role": text(payload.get("agent_role")) or text(spawn.get("agent_role")),
    }


def _context(rollout: _Rollout, payload: Json, _: _At) -> None:
    rollout.facts["model"] = text(payload.get("model")) or rollout.facts.get("model", "")
    rollout.facts["cwd"] = rollout.facts.get("cwd") or text(payload.get("cwd"))


def _item(rollout: _Rollout, item: Json, at: _At) -> None:
    kind = name(item.get("type"))
    if kind == "message":
        _message(rollout, item, at)
    elif kind == "reasoning":
        words = joined(item.get("summary")) or joined(item.get("content"))
        if words.strip():
            rollout.events.append(Thought(at.key, at.time, words))
    elif kind in _CALLS:
        call = text(item.get("call_id")) or text(item.get("id"))
        tool = text(item.get("name")) or str(kind).removesuffix("_call")
        given = arguments(item.get(_CALLS[kind]))
        rollout.events.append(ToolCall(at.key, at.time, call, tool, given))
    elif kind in _OUTPUTS:
        rollout.outputs.setdefault(text(item.get("call_id")), output_result(item))
    elif kind not in _IGNORED:
        rollout.unknown[f"item: {name(kind)}"] += 1


def _message(rollout: _Rollout, item: Json, at: _At) -> None:
    words = joined(item.get("content"))
    if item.get("role") == "assistant" and words.strip():
        rollout.events.append(Reply(at.key, at.time, words, rollout.facts.get("model", "")))
    elif item.get("role") == "user" and words.strip() and not _HARNESS.match(words):
        rollout.repeated.add(at.key)
        rollout.events.append(Prompt(at.key, at.time, _request(words)))


def _event(rollout: _Rollout, event: Json, at: _At) -> None:
    kind = name(event.get("type"))
    item = mapping(event.get("item"))
    if kind == "user_message":
        _said(rollout, text(event.get("message")), at)
    elif kind == "item_completed" and item.get("type") == "UserMessage":
        _said(rollout, joined(item.get("content")), at)
    elif kind == "item_completed" and ("exit_code" in item or "status" in item):
        rollout.results.setdefault(text(item.get("id")), item_result(item))
    elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
        rollout.results.setdefault(text(event.get("call_id")), item_result(event))
    elif kind in _EVENTS:
        _EVENTS[kind](rollout, event, at)
    elif kind not in _IGNORED:
        rollout.unknown[f"event: {kind}"] += 1


def _said(rollout: _Rollout, words: str, at: _At) -> None:
    if words.strip() and not _HARNESS.match(words):
        rollout.said.add(at.key)
        rollout.events.append(Prompt(at.key, at.time, _request(words)))


def _request(words: str) -> str:
    """A person's words, without what an IDE tells of its windows."""
    found = _AROUND.match(words)
    return found["words"].strip() or words if found else words


def _turn(rollout: _Rollout, _: Json, __: _At) -> None:
    rollout.turns.append(len(rollout.events))


def _aborted(rollout: _Rollout, event: Json, at: _At) -> None:
    if event.get("reason", "interrupted") == "interrupted":
        rollout.events.append(Interruption(at.key, at.time))


def _rolled_back(rollout: _Rollout, event: Json, at: _At) -> None:
    turns = min(count(event.get("num_turns")), len(rollout.turns))
    if turns:
        start = rollout.turns[-turns]
        del rollout.turns[-turns:]
        hidden = rollout.repeated if rollout.said else set()
        lost = dropped_of(it for it in rollout.events[start:] if it.key not in hidden)
        rollout.events[start:] = [Branch(at.key, at.time, lost)] if lost else []


def _renamed(rollout: _Rollout, event: Json, _: _At) -> None:
    rollout.facts["title"] = text(event.get("thread_name"))


def _counted(rollout: _Rollout, event: Json, _: _At) -> None:
    """The tokens of the thread up to here, also over resumed sessions."""
    info = mapping(event.get("info"))
    total = mapping(info.get("total_token_usage") or event.get("thread_token_usage"))
    if total:
        read, write = (
            count(total.get("cached_input_tokens")),
            count(total.get("cache_write_input_tokens")),
        )
        fresh = max(0, count(total.get("input_tokens")) - read - write)
        rollout.usage = Usage(fresh, count(total.get("output_tokens")), read, write)


def _compacted(rollout: _Rollout, payload: Json, at: _At) -> None:
    rollout.events.append(Compaction(at.key, at.time, summary=text(payload.get("message"))))


_EVENTS: dict[str, Callable[[_Rollout, Json, _At], None]] = {
    "task_started": _turn,
    "turn_started": _turn,
    "turn_aborted": _aborted,
    "thread_rolled_back": _rolled_back,
    "thread_name_updated": _renamed,
    "token_count": _counted,
}
_LINES: dict[str, Callable[[_Rollout, Json, _At], None]] = {
    "session_meta": _meta,
    "turn_context": _context,
    "response_item": _item,
    "event_msg": _event,
    "compacted": _compacted,
    "token_usage_record": _counted,
}
