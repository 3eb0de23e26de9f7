"""Prepared replies, as documents or as the chunks of a stream."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_WORD = re.compile(r"\s*\S+\s*$|\s*\S+|\s+")
_PIECE = 7  # characters of arguments in one chunk


@dataclass(frozen=True, slots=True)
class Failure:
    """An error answer in place of a reply."""

    status: int
    message: str = "the script fails this request"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """A streamed reply that is cut after so many chunks."""

    reply: str | Mapping[str, Any]
    after: int = 1


def message_of(reply: str | Mapping[str, Any], number: int) -> dict[str, Any]:
    """The message of a reply; the ids of its calls come from `number`."""
    given: Mapping[str, Any] = {"content": reply} if isinstance(reply, str) else reply
    message: dict[str, Any] = {"role": "assistant", "content": given.get("content")}
    calls = [
        _call(one, f"call_{number}_{place}")
        for place, one in enumerate(given.get("tool_calls", ()), start=1)
    ]
    return {**message, "tool_calls": calls} if calls else message


def document(message: dict[str, Any], *, model: str, usage: Mapping[str, int]) -> dict[str, Any]:
    """The answer to a request without a stream."""
    choice = {"index": 0, "message": message, "finish_reason": _reason(message)}
    return {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def chunks(
    message: dict[str, Any], *, model: str, usage: Mapping[str, int] | None
) -> Iterator[dict[str, Any]]:
    """The answer as a stream: text by words, then calls, their arguments in pieces."""
    head = {"object": "chat.completion.chunk", "model": model}
    for delta in _deltas(message):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {"index": 0, "delta": {}, "finish_reason": _reason(message)}
    yield {**head, "choices": [last]}
    if usage is not None:
        yield {**head, "choices": [], "usage": usage}


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if message["content"] is not None else None}
    for word in _WORD.findall(message["content"] or ""):
        yield {"content": word}
    for index, call in enumerate(message.get("tool_calls", ())):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        begun = {**call, "index": index, "function": {"name": name, "arguments": ""}}
        yield {"tool_calls": [begun]}
        for start in range(0, len(arguments), _PIECE):
            piece = {"arguments": arguments[start : start + _PIECE]}
            yield {"tool_calls": [{"index": index, "function": piece}]}


def _call(given: Mapping[str, Any], call_id: str) -> dict[str, Any]:
    arguments = given.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": given["name"], "arguments": text}
    return {"id": call_id, "type": "function", "function": function}


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if "tool_calls" in message else "stop"
