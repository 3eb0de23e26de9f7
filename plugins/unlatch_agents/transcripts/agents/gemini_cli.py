"""Gemini CLI: a JSONL file for each chat; until early 2026 it was one JSON object.

A message that changes is written again in full: the last copy counts, in the place of the first.
`$set.messages` is the model's context, which is shorter than the conversation; `$rewindTo` removes
a message and those after it. A copy by `--session-file` begins with the messages of that file, and
names it.

Source: a recording of 0.61.0, empathic/toolpath docs/agents/formats/gemini.md, and
google-gemini/gemini-cli packages/core/src/services/chatRecordingService.ts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from html import unescape
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp
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
    last_model,
    title_of,
)
from unlatch_agents.transcripts.values import arguments, count, items, joined, mapping, name, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from unlatch_agents.transcripts.jsonl import Lines

AGENT = "gemini-cli"
_HARNESS = re.compile(r"\s*<(?:session_context|hook_context|state_snapshot)>")
# Behind a person's words, the files and resources that they name with an @. A file may have the
# line that ends them, so nothing behind the first line is a person's.
_REFERENCED = re.compile(r"^--- Content from referenced files ---", re.MULTILINE)
# What a hook adds; with that of SessionStart, the prompt of 0.61.0 is in the same text. The program
# escapes tags in it.
_CONTEXT = re.compile(r"\s*<hook_context>(?P<context>[^<>]*)</hook_context>\s*")
_COMPACTED = "<state_snapshot>"
_CANCELLED = "Request cancelled"
# The error of a call that a person stopped, not of one that they did not allow.
_STOPPED = re.compile(r"\[Operation Cancelled\] (?!Reason: User (?:denied|did not allow) )")
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d{1,9})$", re.MULTILINE)
_SHELL = "run_shell_command"
# Around the output of a command.
_OUTPUT = "<untrusted_context>\n", "\n</untrusted_context>"
# In front of a long output, whose middle is in a file alone (findings/gemini-long-output.sh).
_CUT = re.compile(r"\AOutput too large\. Showing first [^\n]*\n")
# Also of its own tools, where the policy does not offer them (findings/gemini-denied-call.sh).
_DENIED = re.compile(r'Tool "[^"\n]{1,200}" not found\.')
_END = 300
# The first message of a copy.
_COPIED = re.compile(r"import-\d+")
_COPY = re.compile(r"Imported session from (?:.*[/\\])?([^/\\]+)\Z", re.DOTALL)
_IGNORED = frozenset(("info", "warning", "error"))


@dataclass(slots=True)
class _Chat:
    unknown: Counter[str]
    header: Json = field(default_factory=dict)
    messages: dict[str, Json | Compaction | Branch] = field(default_factory=dict)
    # Of all messages, the removed ones too.
    usage: dict[str, Usage] = field(default_factory=dict)
    source: str = ""  # of a copy, the name of the file
    first: frozenset[str] = frozenset()  # the messages before the first change


@dataclass(frozen=True, slots=True)
class Messages:
    """The ids of a chat and its messages, and when it began."""

    id: str
    begun: str
    ids: frozenset[str]


def messages_of(lines: Lines) -> Messages | None:
    """Those of the chat in a file; None if it has none."""
    header: Json = {}
    ids: set[str] = set()
    for _, line in lines:
        if "sessionId" in line:
            header = header or line
            ids.update(text(mapping(message).get("id")) for message in items(line.get("messages")))
        ids.add(text(line.get("id")))
    session = text(header.get("sessionId"))
    return (
        Messages(session, text(header.get("startTime")), frozenset(ids - {""})) if session else None
    )


def read(lines: Lines, unknown: Counter[str], *, origin: Messages | None = None) -> Transcript:
    """A chat; `origin` is what it was copied from, which it names by its file otherwise."""
    chat = _Chat(unknown)
    for number, line in lines:
        if "$rewindTo" in line:
            _rewind(chat, text(line["$rewindTo"]), number)
        elif "$set" in line:
            chat.first = chat.first or frozenset(chat.messages)
            changes = mapping(line["$set"])
            chat.header |= {key: changes[key] for key in changes if key != "messages"}
            _note_compaction(chat, items(changes.get("messages")))
        elif "sessionId" in line:
            chat.header |= line
            for message in items(line.get("messages")):
                _add(chat, mapping(message))
        else:
            _add(chat, line)
    return _assembled(chat, origin)


def contexts_of(lines: Lines) -> tuple[list[str], list[str]]:
    """What hooks added to the model's context: before it was last set as a whole, and since.

    It is set when a chat begins, is resumed or is compressed.
    """
    before: list[str] = []
    since: list[str] = []
    for _, line in lines:
        if messages := items(mapping(line.get("$set")).get("messages")):
            before, since = [context for message in messages for context in _contexts(message)], []
        since += _contexts(line)
    return before, since


def _contexts(message: object) -> Iterator[str]:
    for part in items(mapping(message).get("content")):
        if match := _CONTEXT.match(joined([part])):
            yield unescape(match["context"])


def _add(chat: _Chat, message: Json) -> None:
    key = text(message.get("id"))
    if key and "type" in message:
        chat.messages[key] = message
        chat.usage[key] = _usage(mapping(message.get("tokens")))
        if not chat.source and _COPIED.fullmatch(key):
            match = _COPY.match(joined(message.get("content")))
            chat.source = match[1] if match else ""
    else:
        chat.unknown["line of an unknown type"] += 1


def _rewind(chat: _Chat, target: str, number: int) -> None:
    if target not in chat.messages:  # after a compaction Gemini CLI names other ids
        chat.unknown["rewind to an unknown message"] += 1
        return
    lost: list[Json | Compaction | Branch] = []
    while target in chat.messages:
        lost.append(chat.messages.popitem()[1])
    events = [event for message in lost for event in _events(message, {}, Counter())]
    if events:
        key = f"line-{number}"
        chat.messages[key] = Branch(key, events[-1].at, dropped_of(events))


def _note_compaction(chat: _Chat, messages: list[Any]) -> None:
    """Record that Gemini CLI replaced the model's context with a summary, under new ids."""
    for message in map(mapping, messages):
        words, key = joined(message.get("content")), text(message.get("id"))
        if key not in chat.messages and words.lstrip().startswith(_COMPACTED):
            at = read_stamp(message.get("timestamp"))
            chat.messages[key] = Compaction(key, at, summary=words)


def _assembled(chat: _Chat, origin: Messages | None) -> Transcript:
    results = _responses(message for message in chat.messages.values() if isinstance(message, dict))
    by_message = {
        key: _events(message, results, chat.unknown) for key, message in chat.messages.items()
    }
    events = [event for group in by_message.values() for event in group]
    shared = origin.ids if origin else chat.first if chat.source else frozenset()
    copied = sum((usage for key, usage in chat.usage.items() if key in shared), Usage())
    is_subagent = chat.header.get("kind") == "subagent"
    folders = items(chat.header.get("directories"))
    return Transcript(
        agent=AGENT,
        id=text(chat.header.get("sessionId")),
        title=text(chat.header.get("summary")) or title_of(events),
        cwd=text(folders[0]) if folders else "",
        model=last_model(events),
        events=tuple(event for event in events if not (is_subagent and isinstance(event, Prompt))),
        origin=origin.id if origin else chat.source,
        copies=frozenset(
            event.key for key in by_message.keys() & shared for event in by_message[key]
        ),
        usage=sum(chat.usage.values(), Usage()) - copied,
        copied=copied,
        unknown=chat.unknown,
    )


def _events(
    message: Json | Compaction | Branch, results: dict[str, Result], unknown: Counter[str]
) -> list[Event]:
    if isinstance(message, Event):
        return [message]
    key, at = message["id"], read_stamp(message.get("timestamp"))
    kind = name(message.get("type"))
    if kind == "user":
        content = message.get("displayContent", message.get("content"))
        parts = [content] if isinstance(content, str) else items(content)
        texts = (_without_context(joined([part])) for part in parts)
        words = "\n".join(
            part_text for part_text in texts if part_text.strip() and not _HARNESS.match(part_text)
        )
        words = _REFERENCED.split(words, maxsplit=1)[0].rstrip()
        return [Prompt(key, at, words)] if words else []
    if kind == "gemini":
        return [*_thoughts(key, message), *_reply(key, at, message), *_calls(key, message, results)]
    if kind == "info" and joined(message.get("content")).startswith(_CANCELLED):
        return [Interruption(key, at)]
    if kind not in _IGNORED:
        unknown[kind] += 1
    return []


def _without_context(words: str) -> str:
    match = _CONTEXT.match(words)
    return words[match.end() :] if match else words


def _thoughts(key: str, message: Json) -> Iterator[Event]:
    for index, thought in enumerate(map(mapping, items(message.get("thoughts")))):
        words = ": ".join(filter(None, map(text, map(thought.get, ("subject", "description")))))
        if words.strip():
            at = read_stamp(thought.get("timestamp") or message.get("timestamp"))
            yield Thought(f"{key}:thought-{index}", at, words)


def _reply(key: str, at: datetime | None, message: Json) -> Iterator[Event]:
    content = message.get("content")
    parts = [content] if isinstance(content, str) else items(content)
    words = joined([part for part in parts if not mapping(part).get("thought")])
    if words.strip():
        yield Reply(key, at, words, text(message.get("model")))


def _calls(key: str, message: Json, results: dict[str, Result]) -> Iterator[Event]:
    calls = items(message.get("toolCalls"))
    if not calls:  # a file that was written anew has them in the content
        calls = [mapping(part).get("functionCall") for part in items(message.get("content"))]
    for index, call in enumerate(call for call in map(mapping, calls) if call):
        own = text(call.get("id"))
        at = read_stamp(call.get("timestamp") or message.get("timestamp"))
        given = arguments(call.get("args"))
        result = _result(call) or results.get(own)
        yield ToolCall(f"{key}:call-{index}", at, own, text(call.get("name")), given, result)


def _result(call: Json) -> Result | None:
    parts, status = items(call.get("result")), call.get("status")
    if not parts and status not in ("success", "error", "cancelled"):
        return None
    answers = [_answer(part) for part in parts]
    words = "\n".join(filter(None, map(_said, answers))) or text(call.get("resultDisplay"))
    if status == "cancelled" and any(
        _STOPPED.match(text(answer.get("error"))) for answer in answers
    ):
        return Result(words)
    rejected = status == "cancelled"
    return _outcome(call, words, failed=rejected or status == "error", rejected=rejected)


def _responses(messages: Iterable[Json]) -> dict[str, Result]:
    """The results that are messages of their own, by the ids of their calls."""
    parts = (mapping(part) for message in messages for part in items(message.get("content")))
    responses = ((mapping(part.get("functionResponse")), part) for part in parts)
    return {
        text(response.get("id")): _outcome(response, _said(_answer(part)))
        for response, part in responses
        if response
    }


def _answer(part: object) -> Json:
    return mapping(mapping(mapping(part).get("functionResponse")).get("response"))


def _said(response: Json) -> str:
    words = _CUT.sub("", text(response.get("output")), count=1) or text(response.get("error"))
    return words.removeprefix(_OUTPUT[0]).removesuffix(_OUTPUT[1])


def _outcome(call: Json, words: str, *, failed: bool = False, rejected: bool = False) -> Result:
    # The exit code is behind the output, unless it is 0.
    match = _EXIT_CODE.search(words[-_END:]) if call.get("name") == _SHELL else None
    code = int(match[1]) if match else None
    denied = failed and _DENIED.match(words) is not None
    return Result(words, failed or bool(code), rejected, code, denied=denied)


def _usage(tokens: Json) -> Usage:
    read = count(tokens.get("cached"))
    fresh = max(0, count(tokens.get("input")) - read) + count(tokens.get("tool"))
    return Usage(fresh, count(tokens.get("output")) + count(tokens.get("thoughts")), read)
