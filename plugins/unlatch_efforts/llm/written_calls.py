"""Calls of tools that a model wrote as text, as small local models do.

Qwen2.5, Hermes and Llama write `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` (a small
one also `<tools>`), a fence, a label, or the bare object, some with doubled braces; a server that
does not know the model's template passes that on as its answer. Only a whole answer is read, and
only calls of offered tools: a person may ask for an example.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from unlatch.chat_model import Function, Json, ToolCall
from unlatch.patterns import pattern
from unlatch.transport.answer import parse_json
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_TAGS = ("<tool_call>", "<tools>")
_OPENINGS = (*_TAGS, "```", "{", "[")
_TAG = pattern(r"\s*<(tool_call|tools)>(.*?)(?:</\1>|\Z)", re.DOTALL)
# As in `[tools] open_effort({"name": "japan"})` and `[open_effort, {"name": "japan"}]`.
_LABELLED = pattern(r"\[[a-z_]{1,20}\]\s*(\w+)\((\{.*\})\)", re.DOTALL)
_LISTED = pattern(r"\[(\w+),\s*(\{.*\})\]", re.DOTALL)
_FENCE = pattern(r"```[a-z_]{0,20}\n(.*?)(?:```)?", re.DOTALL)  # some are not closed
# Characters; no tool takes a longer argument.
_LONGEST = 200_000


def may_be_calls(text: str) -> bool:
    """Whether an answer that begins with this text may be calls as a whole."""
    head = text.lstrip()
    return any(head.startswith(opening) or opening.startswith(head) for opening in _OPENINGS)


def written_calls(text: str, tools: Sequence[Json]) -> tuple[ToolCall, ...]:
    """The calls that an answer consists of; none if it has anything else."""
    if len(text) > _LONGEST or not may_be_calls(text):
        return ()
    offered = {tool["function"]["name"] for tool in tools}
    calls = [_call(value) for part in _parts(text.strip()) for value in _values(part)]
    usable = tuple(call for call in calls if call and call.function.name in offered)
    return usable if len(usable) == len(calls) else ()


def _parts(text: str) -> Iterator[str]:
    """The JSON texts of an answer."""
    if fence := _FENCE.fullmatch(text):
        text = fence[1]
    if labelled := _LABELLED.fullmatch(text) or _LISTED.fullmatch(text):
        text = f'{{"name": "{labelled[1]}", "arguments": {labelled[2]}}}'
    if not text.startswith(_TAGS):
        # A small model closes fences that it never opened.
        yield text.rstrip("`\n ")
        return
    end = 0
    while match := _TAG.match(text, end):
        yield match[2]
        end = match.end()
    yield from filter(None, [text[end:].strip()])


def _values(text: str) -> list[Any]:
    """The objects in a JSON text, which some models write with doubled braces."""
    text = text.strip()
    candidates = [text]
    if text.startswith("{{") and text.endswith("}}"):
        candidates += (text[1:-1], text.replace("{{", "{").replace("}}", "}"))
    for candidate in candidates:
        try:
            value = parse_json(candidate.encode(errors="replace"))
        except ValueError:
            continue
        return value if isinstance(value, list) else [value]
    return [None]


def _call(value: Any) -> ToolCall | None:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    arguments = value.get("arguments", value.get("parameters", {}))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(new_ulid(), Function(value["name"], text))
