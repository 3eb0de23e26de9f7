"""The lines of Codex's files in their forms since 2025-05, and what the first one says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_agents.transcripts.values import items, mapping, name, text

if TYPE_CHECKING:
    from unlatch_agents.transcripts.conversation import Json


def lines_of(whole: Json) -> list[Json]:
    """The lines in an object, as which Codex wrote a thread until 2025-06; others are one line."""
    session, lines = mapping(whole.get("session")), whole.get("items")
    return [session, *map(mapping, items(lines))] if session else [whole]


def parent_of(line: Json) -> str:
    """The thread in which the one with this first line was started by an agent."""
    return text(spawn(split(line)[1]).get("parent_thread_id"))


def fork_point(line: Json) -> tuple[int | None, bool]:
    """Where a thread with this first line left its origin, and whether it repeats its lines."""
    meta = split(line)[1]
    end = meta.get("forked_from_ordinal_exclusive")
    return end if type(end) is int else None, "history_base" not in meta


def spawn(meta: Json) -> Json:
    started = mapping(mapping(meta.get("source")).get("subagent"))
    return mapping(started.get("thread_spawn"))


def split(line: Json) -> tuple[str, Json]:
    if isinstance(line.get("payload"), dict):
        return name(line.get("type", "")), line["payload"]
    if "type" in line:  # until 2025-08 the items themselves were the lines
        return "response_item", line
    return ("session_meta" if "id" in line else name(line.get("record_type", ""))), line
