"""OpenCode: one SQLite database for all sessions; before 1.2 files, see `opencode_files`.

Source: a recording of 1.18.33, and empathic/toolpath docs/agents/formats/opencode.md (1.3.10).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING

from unlatch_agents.transcripts.conversation import (
    MAX_AGENT_DEPTH,
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
    last_model,
)
from unlatch_agents.transcripts.values import (
    arguments,
    count,
    items,
    mapping,
    moment,
    name,
    parsed,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from unlatch_agents.transcripts.agents.sqlite_file import Bounded

    Beginnings = dict[Hashable, list[str]]

AGENT = "opencode"
_CHILDREN = "SELECT * FROM session WHERE parent_id = ? ORDER BY time_created, id"
_MESSAGES = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT * FROM part WHERE session_id = ? ORDER BY time_created, id"
# Of the first message alone.
_FIRST = f"{_MESSAGES} LIMIT 1"
_FIRST_PARTS = "SELECT * FROM part WHERE message_id = ? ORDER BY time_created, id"
_KNOWN = frozenset(
    """
    text reasoning tool compaction step-start step-finish snapshot patch file agent subtask
    retry
    """.split()  # noqa: SIM905  (one name a line would hide the rest)
)
# The call of a tool that is not offered, as where a rule denies it; it has lost its arguments
# (findings/opencode-denied-call.sh).
_INVALID, _DENIED = "invalid", "Model tried to call unavailable tool"
# Of a call that was under way when a person stopped the agent.
_STOPPED = frozenset(("Tool execution aborted", "Task cancelled"))
_REJECTED = ("The user rejected permission", "The user dismissed this question")


def sessions(database: Bounded) -> list[Json]:
    """The rows of the sessions that a person began, the newest first."""
    return [row for row in all_sessions(database) if not row.get("parent_id")]


def all_sessions(database: Bounded) -> list[Json]:
    return database.rows("SELECT * FROM session ORDER BY time_updated DESC, id")


def beginnings(database: Bounded) -> Beginnings:
    """The sessions that a person began by their first message, the oldest first."""
    by_content: Beginnings = {}
    rows = sorted(sessions(database), key=lambda row: (count(row.get("time_created")), row["id"]))
    for row in rows:
        for first in database.rows(_FIRST, row["id"]):
            parts = database.rows(_FIRST_PARTS, first["id"])
            (message,) = _joined([first], parts, Counter())
            by_content.setdefault(_content(message), []).append(text(row["id"]))
    return by_content


def read(
    database: Bounded,
    session: Json,
    by_content: Beginnings,
    *,
    depth: int = 0,
    seen: set[str] | None = None,
) -> Transcript:
    """A session with those that its agents began; `by_content` tells of which it is a fork.

    Args:
        seen: the ids that were read already: in a made file, one session can have many parents.
    """
    unknown: Counter[str] = Counter()
    seen = set() if seen is None else seen
    own, parent = text(session.get("id")), text(session.get("parent_id"))
    messages = _messages(database, own, unknown)
    origin, shared = _origin(database, own, messages, by_content)
    copies = _all_events(messages[:shared], Counter())
    copied = _steps(messages[:shared])
    kept = _kept(session, messages)
    events = _all_events(messages[:kept], unknown)
    lost = _all_events(messages[kept:], unknown)
    if _is_unattended(session):
        events = [_not_asked(event) for event in events]
    if lost:
        events.append(Branch(f"{lost[0].key}:reverted", lost[0].at, len(lost)))
    children: list[Json] = []
    if depth < MAX_AGENT_DEPTH:
        seen.add(own)
        children = [child for child in database.rows(_CHILDREN, own) if _is_new(child, seen)]
    return Transcript(
        agent=AGENT,
        id=own,
        version=text(session.get("version")),
        title=text(session.get("title")),
        cwd=text(session.get("directory")),
        model=last_model(events),
        parent=parent,
        role=text(session.get("agent")) if parent else "",
        events=tuple(event for event in events if not (parent and isinstance(event, Prompt))),
        origin=origin,
        copies=frozenset(event.key for event in copies),
        usage=_steps(messages[shared:]) if shared else _usage(session, messages),
        copied=copied,
        subagents=tuple(
            read(database, child, by_content, depth=depth + 1, seen=seen) for child in children
        ),
        unknown=unknown,
    )


def _is_new(row: Json, seen: set[str]) -> bool:
    is_known = text(row.get("id")) in seen
    seen.add(text(row.get("id")))
    return not is_known


def _origin(
    database: Bounded, own: str, messages: Sequence[Json], by_content: Beginnings
) -> tuple[str, int]:
    """The session that this one is a fork of, and how many messages at the start are copies.

    No column says so: a fork has the messages up to a point under new ids.
    """
    contents = [*map(_content, messages)]
    older = by_content.get(contents[0], ()) if contents else ()
    origin, shared = "", 0
    for other in older[: older.index(own)] if own in older else ():
        theirs = map(_content, _messages(database, other, Counter()))
        alike = sum(1 for _ in takewhile(bool, map(eq, contents, theirs)))
        if alike > shared:
            origin, shared = other, alike
    return origin, shared


def _content(message: Json) -> Hashable:
    """What a message and its copy have alike: role, text, tokens and time.

    A copy has the parts in the order of their ids, which plugins choose for theirs.
    """
    words = sorted(part["text"] for part in message["parts"] if isinstance(part.get("text"), str))
    time = mapping(message.get("time")).get("created", message["at"])
    return tuple(words), json.dumps([message.get("role"), message.get("tokens"), time], default=str)


def _is_unattended(session: Json) -> bool:
    """Whether `opencode run` began the session: nobody can be asked, so it refuses by itself."""
    try:
        rules = items(parsed(text(session.get("permission"))))
    except ValueError:
        return False
    asked = {text(rule.get("permission")): rule.get("action") for rule in map(mapping, rules)}
    return asked.get("question") == "deny"


def _not_asked(event: Event) -> Event:
    if isinstance(event, ToolCall) and event.result and event.result.rejected:
        return replace(event, result=replace(event.result, rejected=False, denied=True))
    return event


def _kept(session: Json, messages: Sequence[Json]) -> int:
    """How many messages a person left when they went back to an earlier one."""
    first = text(_data(session.get("revert"), Counter()).get("messageID"))
    keys = [message["key"] for message in messages]
    return keys.index(first) if first in keys else len(keys)


def _messages(database: Bounded, session: str, unknown: Counter[str]) -> list[Json]:
    """The messages in their order, each with its parts."""
    messages, parts = (database.rows(query, session) for query in (_MESSAGES, _PARTS))
    return _joined(messages, parts, unknown)


def _joined(messages: Iterable[Json], parts: Iterable[Json], unknown: Counter[str]) -> list[Json]:
    by_id: dict[object, Json] = {}
    for row in messages:
        by_id[row["id"]] = {**_data(row["data"], unknown), **_place(row), "parts": []}
    for row in parts:
        if row["message_id"] in by_id:
            part = {**_data(row["data"], unknown), **_place(row)}
            by_id[row["message_id"]]["parts"].append(part)
    return list(by_id.values())


def _place(row: Json) -> Json:
    return {"key": str(row["id"]), "at": moment(row["time_created"])}


def _all_events(messages: Sequence[Json], unknown: Counter[str]) -> list[Event]:
    events: list[Event] = []
    for event in (event for message in messages for event in _events(message, unknown)):
        match events[-1:], event:
            case [Compaction(summary="") as begun], Compaction(summary=summary) if summary:
                events[-1] = replace(begun, summary=summary)
            case _:
                events.append(event)
    return events


def _events(message: Json, unknown: Counter[str]) -> Iterator[Event]:
    role = message.get("role")
    if role not in ("user", "assistant"):
        unknown[f"message: {name(role)}"] += 1
        return
    for part in message["parts"]:
        event = _said(part) if role == "user" else _done(message, part)
        if event is not None:
            yield event
        elif name(part.get("type")) not in _KNOWN:
            unknown[f"part: {name(part.get('type'))}"] += 1
    if mapping(message.get("error")).get("name") == "MessageAbortedError":
        yield Interruption(f"{message['key']}:aborted", message["at"])


def _said(part: Json) -> Event | None:
    words = text(part.get("text"))
    is_typed = part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")
    if part.get("type") == "compaction":
        return Compaction(part["key"], part["at"], "auto" if part.get("auto") else "manual")
    return Prompt(part["key"], part["at"], words) if is_typed and words.strip() else None


def _done(message: Json, part: Json) -> Event | None:
    key, at, kind, words = part["key"], part["at"], part.get("type"), text(part.get("text"))
    if kind == "tool":
        return _call(part)
    if not words.strip():
        return None
    if kind == "reasoning":
        return Thought(key, at, words)
    if kind != "text":
        return None
    if message.get("summary") is True:
        return Compaction(key, at, summary=words)
    return Reply(key, at, words, text(message.get("modelID")))


def _call(part: Json) -> ToolCall:
    state = mapping(part.get("state"))
    tool, given = text(part.get("tool")), arguments(state.get("input"))
    result = _result(state, words=text(given.get("error")) if tool == _INVALID else "")
    if tool == _INVALID:
        tool, given = text(given.get("tool")) or tool, {}
    return ToolCall(part["key"], part["at"], text(part.get("callID")), tool, given, result)


def _result(state: Json, *, words: str) -> Result | None:
    """The result of a call; `words` say why it was not valid."""
    details, status = mapping(state.get("metadata")), state.get("status")
    if status not in ("completed", "error"):
        return None
    code = details.get("exit") if type(details.get("exit")) is int else None
    output = text(state.get("output")) or text(state.get("error"))
    # In place of a long output the state has the path of a file and a few lines, perhaps one
    # (findings/opencode-long-output.sh).
    if details.get("truncated") is True and "outputPath" in details:
        output = text(details.get("output")) or output
    stopped = details.get("interrupted") is True or output in _STOPPED
    failed = (status == "error" and not stopped) or bool(words)
    started = text(details.get("sessionId"))
    rejected = failed and output.startswith(_REJECTED)
    denied = words.startswith(_DENIED)
    return Result(output, failed or bool(code), rejected, code, started, denied=denied)


def _usage(session: Json, messages: Iterable[Json]) -> Usage:
    """The tokens of the session; those that began in older versions have them only in the steps."""
    own = {key: session.get(f"tokens_{key}") for key in ("input", "output", "reasoning")}
    cache = {key: session.get(f"tokens_cache_{key}") for key in ("read", "write")}
    if (usage := _tokens({**own, "cache": cache})).total:
        return usage
    return _steps(messages)


def _steps(messages: Iterable[Json]) -> Usage:
    parts = (part for message in messages for part in message["parts"])
    steps = (mapping(part.get("tokens")) for part in parts if part.get("type") == "step-finish")
    return sum(map(_tokens, steps), Usage())


def _tokens(given: Json) -> Usage:
    cache = mapping(given.get("cache"))
    generated = count(given.get("output")) + count(given.get("reasoning"))
    return Usage(
        count(given.get("input")), generated, count(cache.get("read")), count(cache.get("write"))
    )


def _data(value: object, unknown: Counter[str]) -> Json:
    try:
        return mapping(parsed(value)) if isinstance(value, str) else {}
    except ValueError:
        unknown["data that is not JSON"] += 1
        return {}
