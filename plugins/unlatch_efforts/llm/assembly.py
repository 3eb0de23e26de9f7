"""A reply, assembled from the chunks of a stream, or read from one document.

Servers that call themselves compatible send other forms than OpenAI's. Each deviation that
is read here has its source beside it.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.chat_model import Choice, Function, Json, Message, OnText, Reply, ToolCall, Usage
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator


# DeepSeek refuses calls that come back without it (api-docs.deepseek.com/guides/thinking_mode).
_REASONING = "reasoning_content"
# With Gemini's thought signature, which the next request must contain (THU-MAIC/OpenMAIC#1556).
_EXTRA = "extra_content"


class InvalidAnswer(ValueError):
    """A document that is no part of a reply; its message says why."""


def new_id() -> str:
    """An id for a call without one, in the form that Mistral demands of all ids."""
    return secrets.token_hex(5)[:9]


@dataclass(slots=True)
class _Call:
    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are a whole object."""
        return isinstance(json_or_none(self.arguments), dict)

    def add(self, delta: Json) -> None:
        function = _mapping(delta.get("function"))
        # Later deltas repeat these, or have an empty name (NousResearch/hermes-agent#11984,
        # A3S-Lab/Code#139).
        self.id = self.id or _text(delta.get("id"))
        self.name = self.name or _text(function.get("name"))
        self.arguments += _arguments(function.get("arguments"))
        if isinstance(extra := delta.get(_EXTRA), dict):
            self.extra[_EXTRA] = extra


class Assembly:
    """The received part of a reply."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._pieces: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[_Call] = []
        self._usage: Usage | None = None
        self._model = ""
        self._began = False
        self._finish_reason: str | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    @property
    def is_unfinished(self) -> bool:
        """Whether a message began without a reason for its end so far."""
        return self._began and self._finish_reason is None

    def add(self, document: Any) -> None:
        """Add a chunk of a stream, or a document with the whole message; raises InvalidAnswer."""
        if not isinstance(document, dict):
            raise InvalidAnswer("it is not a JSON object")
        self._usage = _usage(document.get("usage")) or self._usage
        self._model = _text(document.get("model")) or self._model
        choice = _first(document.get("choices"))
        self._began |= bool(choice)
        self._finish_reason = _text(choice.get("finish_reason")) or self._finish_reason
        # With a delta, some servers also send the message so far.
        is_whole = "delta" not in choice
        part = _mapping(choice.get("message" if is_whole else "delta"))
        self._add_text(part)
        for position, delta in enumerate(_list(part.get("tool_calls"))):
            # In a whole message each entry is one call; in a stream its index says which.
            self._add_call({**_mapping(delta), "index": position} if is_whole else _mapping(delta))

    def reply(self) -> Reply:
        """The reply; InvalidAnswer: it has no message, or a call without a name."""
        calls = tuple(self._finished_calls())
        if not self._began:
            raise InvalidAnswer("it has no message")
        reasoning = "".join(self._reasoning)
        extra = {_REASONING: reasoning} if reasoning else {}
        message = Message(self.text or None, calls, extra=extra)
        return Reply((Choice(message, self._finish_reason),), self._usage, self._model)

    def _add_text(self, part: Json) -> None:
        # OpenAI refuses in a member of its own.
        text = _content(part.get("content")) or _text(part.get("refusal"))
        if text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)
        self._reasoning.append(_text(part.get(_REASONING)))

    def _add_call(self, delta: Json) -> None:
        index = delta.get("index")
        index = index if isinstance(index, int) else None
        call = self._find(index, delta)
        if call is None:
            call = _Call(index)
            self._calls.append(call)
        call.add(delta)

    def _find(self, index: int | None, delta: Json) -> _Call | None:
        """The call that a delta continues; None if it begins a new one.

        The index decides, and there are servers that leave it out (Gemini: THU-MAIC/OpenMAIC#1556)
        or send 0 for all calls (ollama/ollama#15457). Others change the id with each delta
        (LM Studio: NousResearch/hermes-agent#106943). So a call begins with a new id and a name,
        after a call whose arguments are complete.
        """
        calls = [call for call in self._calls if index is None or call.index == index]
        if not calls:
            return None
        last, own_id = calls[-1], _text(delta.get("id"))
        is_named = bool(_text(_mapping(delta.get("function")).get("name")))
        is_new = own_id != last.id if own_id else index is None
        return None if is_named and is_new and last.is_complete else last

    def _finished_calls(self) -> Iterator[ToolCall]:
        seen: set[str] = set()
        for call in self._calls:
            if not call.name:
                raise InvalidAnswer("it calls a tool without a name")
            # Missing from Gemini and others, or the same for all calls (openclaw/openclaw#40996).
            own_id = call.id if call.id and call.id not in seen else new_id()
            seen.add(own_id)
            arguments = call.arguments.strip() or "{}"  # empty for none (simonw/llm#1164)
            if arguments.startswith("{}{"):  # of Bedrock (openai/openai-agents-js#712)
                arguments = arguments[2:]
            yield ToolCall(own_id, Function(call.name, arguments), extra=call.extra)


def _first(choices: Any) -> Json:
    """The first choice; empty in chunks that have only usage, or Azure's results of filters.

    (simonw/llm#294; vLLM sends null, by docs.rs/openai-interface.)
    """
    if choices is None or choices == []:
        return {}
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise InvalidAnswer("its choices are not a list of objects")
    return choices[0] if choices[0].get("index") in (0, None) else {}


def _content(value: Any) -> str:
    """Text, also of a list of parts, of which only texts count (Mistral: symfony/ai#2422)."""
    if isinstance(value, list):
        texts = (_mapping(part) for part in value)
        return "".join(_text(part.get("text")) for part in texts if part.get("type") == "text")
    return _text(value)


def _arguments(value: Any) -> str:
    """Arguments as JSON text, also if the server sent an object (ggml-org/llama.cpp#20198)."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else _text(value)


def _usage(value: Any) -> Usage | None:
    counts = _mapping(value)
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    numbers = [counts.get(name) for name in names]
    prompt, completion, total = (number if isinstance(number, int) else 0 for number in numbers)
    return Usage(prompt, completion, total or prompt + completion) if counts else None


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    if not isinstance(value or [], list):
        raise InvalidAnswer("its tool_calls are not a list")
    return value or []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
