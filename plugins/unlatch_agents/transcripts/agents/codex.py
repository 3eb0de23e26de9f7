"""Codex: a JSONL file ("rollout") for each thread.

Messages are there twice, as an item of the model and as an event. Items have the order and the
calls; events have a person's words, exit codes and outputs. Only the oldest files have no events.
Source: a recording of 0.169.0, and empathic/toolpath docs/agents/formats/codex.md (0.118.0).
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp
from unlatch_agents.transcripts.agents.codex_lines import spawn, split
from unlatch_agents.transcripts.agents.codex_results import is_stopped, item_result, output_result
from unlatch_agents.transcripts.agents.codex_words import is_harness, request
from unlatch_agents.transcripts.conversation import (
    Branch,
    Compaction,
    Event,
    Interruption,
    Json,
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
from unlatch_agents.transcripts.values import arguments, count, joined, mapping, name, text

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from datetime import datetime

    from unlatch_agents.transcripts.jsonl import Lines

AGENT = "codex"
# Of a command that still runs when Codex ends, such as a server that the agent started
# (findings/codex-command-at-the-end.sh).
_ENDED = -1
# What starts a turn, or a thread, of `codex exec`.
_EXEC = "exec"
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
    agent_reasoning_section_break thread_settings_applied context_compacted
    item_started item_completed exec_command_begin exec_command_output_delta
    patch_apply_begin patch_apply_updated mcp_tool_call_begin web_search_begin
    web_search_end turn_diff plan_update ghost_snapshot compaction
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
    is_idle: bool = False  # no turn is under way
    outputs: dict[str, Result] = field(default_factory=dict)
    # Results from events, which count more than the outputs.
    results: dict[str, Result] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    # What the thread had used when it was forked.
    copied: Usage | None = None


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
        kind, payload = split(line)
        at = _At(key, read_stamp(line.get("timestamp")))
        if kind in _LINES:
            _LINES[kind](rollout, payload, at)
        elif kind not in _IGNORED:
            unknown[kind] += 1
    return _assembled(rollout, has_events=last >= 0)


def _assembled(rollout: _Rollout, *, has_events: bool) -> Transcript:
    repeated = rollout.repeated if rollout.said or has_events else set()
    events: list[Event] = []
    for event in rollout.events:
        if isinstance(event, ToolCall):
            output = rollout.outputs.get(event.id)
            result = rollout.results.get(event.id) or output
            # The event of a call that a person stopped has an exit code, and says no more.
            events.append(replace(event, result=output if is_stopped(output) else result))
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
        origin=facts.get("origin", ""),
        usage=rollout.usage - (rollout.copied or Usage()),
        copied=rollout.copied or Usage(),
        unknown=rollout.unknown,
    )


def _meta(rollout: _Rollout, payload: Json, _: _At) -> None:
    if rollout.id:  # a fork that has the lines of its origin repeats its meta
        if not rollout.is_subagent and text(payload.get("id")) != rollout.id:
            rollout.facts["origin"] = rollout.facts["origin"] or text(payload.get("id"))
        return
    rollout.id = text(payload.get("id"))
    rollout.is_subagent = "subagent" in mapping(payload.get("source"))
    started = spawn(payload)
    rollout.facts |= {
        "cli_version": text(payload.get("cli_version")),
        "cwd": text(payload.get("cwd")),
        "origin": "" if rollout.is_subagent else text(payload.get("forked_from_id")),
        "source": text(payload.get("source")),
        "branch": text(mapping(payload.get("git")).get("branch")),
        "parent": text(started.get("parent_thread_id")),
        "role": text(payload.get("agent_role")) or text(started.get("agent_role")),
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
    elif item.get("role") == "user" and words.strip() and not is_harness(words):
        rollout.repeated.add(at.key)
        rollout.events.append(Prompt(at.key, at.time, request(words)))


def _event(rollout: _Rollout, event: Json, at: _At) -> None:
    kind = name(event.get("type"))
    item = mapping(event.get("item"))
    if kind == "user_message":
        _said(rollout, text(event.get("message")), at)
    elif kind == "item_completed" and item.get("type") == "UserMessage":
        _said(rollout, joined(item.get("content")), at)
    elif kind == "item_completed" and ("exit_code" in item or "status" in item):
        result = item_result(item)
        if rollout.is_idle and result.exit_code == _ENDED:
            result = Result(result.text)
        rollout.results.setdefault(text(item.get("id")), result)
    elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
        rollout.results.setdefault(text(event.get("call_id")), item_result(event))
    elif kind in _EVENTS:
        _EVENTS[kind](rollout, event, at)
    elif kind not in _IGNORED:
        rollout.unknown[f"event: {kind}"] += 1


def _said(rollout: _Rollout, words: str, at: _At) -> None:
    if words.strip() and not is_harness(words):
        rollout.said.add(at.key)
        rollout.events.append(Prompt(at.key, at.time, request(words)))


def _turn(rollout: _Rollout, event: Json, _: _At) -> None:
    rollout.is_idle = False
    rollout.turns.append(len(rollout.events))
    if trigger := text(mapping(event.get("turn_attribution")).get("turn_trigger")):
        rollout.facts["source"] = trigger


def _completed(rollout: _Rollout, _event: Json, _: _At) -> None:
    rollout.is_idle = True


def _aborted(rollout: _Rollout, event: Json, at: _At) -> None:
    rollout.is_idle = True
    if event.get("reason", "interrupted") == "interrupted":
        rollout.events.append(
            Interruption(at.key, at.time, is_end=rollout.facts.get("source") == _EXEC)
        )


def _rolled_back(rollout: _Rollout, event: Json, at: _At) -> None:
    turns = min(count(event.get("num_turns")), len(rollout.turns))
    if turns:
        start = rollout.turns[-turns]
        del rollout.turns[-turns:]
        hidden = rollout.repeated if rollout.said else set()
        lost = dropped_of(undone for undone in rollout.events[start:] if undone.key not in hidden)
        rollout.events[start:] = [Branch(at.key, at.time, lost)] if lost else []


def _renamed(rollout: _Rollout, event: Json, _: _At) -> None:
    rollout.facts["title"] = text(event.get("thread_name"))


def _counted(rollout: _Rollout, event: Json, _: _At) -> None:
    """The tokens of the thread up to here, also over resumed sessions and before a fork."""
    info = mapping(event.get("info"))
    total = mapping(info.get("total_token_usage") or event.get("thread_token_usage"))
    if total:
        rollout.usage = _usage(total)
        if rollout.copied is None and rollout.facts.get("origin"):
            last = mapping(info.get("last_token_usage") or event.get("usage"))
            rollout.copied = rollout.usage - _usage(last)


def _usage(tokens: Json) -> Usage:
    read = count(tokens.get("cached_input_tokens"))
    write = count(tokens.get("cache_write_input_tokens"))
    fresh = max(0, count(tokens.get("input_tokens")) - read - write)
    return Usage(fresh, count(tokens.get("output_tokens")), read, write)


def _compacted(rollout: _Rollout, payload: Json, at: _At) -> None:
    summary = text(payload.get("message"))
    match rollout.events[-1:]:
        # A message as well (findings/codex-compaction-summary.sh).
        case [Reply(text=words)] if summary.endswith(words):
            rollout.events.pop()
    rollout.events.append(Compaction(at.key, at.time, summary=summary))


_EVENTS: dict[str, Callable[[_Rollout, Json, _At], None]] = {
    "task_started": _turn,
    "turn_started": _turn,
    "task_complete": _completed,
    "turn_complete": _completed,
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
