"""The messages of a worker: JSON lines on its standard output.

    {"type": "checkpoint", "text": "the parser is done, its tests are not"}
    {"type": "question", "text": "Which database?", "options": ["sqlite", "postgres"]}
    {"type": "usage", "input_tokens": 1200, "output_tokens": 300, "cost_usd": 0.02}
    {"type": "done", "summary": "added the parser"}
    {"type": "failed", "reason": "the tests need a server"}

After a question, `done` or `failed` the worker exits; these are its *answer*. An auditor accepts a
task with `done` and rejects it with `failed`.

The output of Claude Code (`claude -p` with `--output-format json` or `stream-json`) is understood
as well (https://code.claude.com/docs/en/headless). Its answer is the last line of its text if that
is one of the objects above; else a result without an error means that a developer is done.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass
from unlatch.worklog.json_text import json_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# In characters: the longest text, and the options of a question. In bytes: the longest line, in
# which an agent may print all its messages.
LONGEST_TEXT = 32_768
MOST_OPTIONS = 32
LONGEST_LINE = 16 << 20
NOISE_TEXT = 200
_LARGEST_NUMBER = 10**15
# The names of the tokens in a result of Claude Code: those of the input, then the output.
_OF_TURN = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_OF_MODEL = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far the worker is."""

    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """The worker needs an answer of a person; it comes with the next assignment of the task."""

    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The task is done; `is_stated` is false if that was only concluded from a result."""

    summary: str = ""
    is_stated: bool = True


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker gave up, or the auditor rejected the task."""

    reason: str
    is_stated: bool = True


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost since the last such message; `input_tokens` has cached ones included.

    Args:
        session: of the whole agent's session with this id instead, since it began; a session can
            go on in a later worker (findings/claude-session-totals.sh).
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    session: str = ""


@dataclass(frozen=True, slots=True)
class Noise:
    """A line that is no message: its beginning."""

    text: str


Answer = Question | Done | Failed
Message = Checkpoint | Answer | Usage | Noise


class NotAMessage(ValueError):
    """A JSON value that is no message."""


def read_line(line: bytes) -> tuple[Message, ...]:
    """The messages of one line of output; none if it is known and says nothing that matters."""
    text = line.decode("utf-8", errors="replace").strip()
    if not text:
        return ()
    # Ordinary output is recognised without an attempt to parse it.
    value = json_or_none(text) if text[0] in "{[" else None
    try:
        values = value if isinstance(value, list) else [value]
        return tuple(message for item in values for message in _messages(item))
    except NotAMessage:
        return (Noise(text[:NOISE_TEXT]),)


def _messages(value: Any) -> Iterator[Message]:
    if not isinstance(value, dict):
        raise NotAMessage
    kind = value.get("type")
    if not isinstance(kind, str):
        raise NotAMessage
    if kind in _OWN:
        yield _OWN[kind](value)
    elif kind == "assistant":
        yield from _progress(value)
    elif kind == "result" and "is_error" in value:
        yield from _result(value)
    elif kind not in _AGENT_LINES:
        raise NotAMessage


def _progress(value: Mapping[str, Any]) -> Iterator[Message]:
    """The texts between the tool calls of an agent, as far as they are its own."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if value.get("parent_tool_use_id") or not isinstance(content, list):
        return
    for block in content:
        if isinstance(block, dict) and block.get("type") == "text":
            text = _text(block, "text").strip()
            if text and stated_answer(text) is None:
                yield Checkpoint(text)


def _result(value: Mapping[str, Any]) -> Iterator[Message]:
    yield _agent_usage(value)
    text = _cut(value["result"]) if isinstance(value.get("result"), str) else ""
    if value["is_error"] is False and value.get("subtype", "success") == "success":
        yield stated_answer(text) or Done(text, is_stated=False)
        return
    told = value.get("errors")
    errors = (
        [_cut(error) for error in told if isinstance(error, str)] if isinstance(told, list) else []
    )
    parts = [str(value.get("subtype") or "error"), *([text] if text else errors)]
    yield Failed(_cut(": ".join(dict.fromkeys(parts))), is_stated=False)


def stated_answer(text: str) -> Answer | None:
    """The answer that the last line of a text is; None if it is no answer."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("```")]
    value = json_or_none(lines[-1]) if lines and len(lines[-1]) <= LONGEST_TEXT else None
    try:
        message = _OWN[value["type"]](value) if isinstance(value, dict) else None
    except (KeyError, TypeError, NotAMessage):
        return None
    return message if isinstance(message, Answer) else None


def _agent_usage(value: Mapping[str, Any]) -> Usage:
    """The usage of a session by model, with that of its agents; `usage` is of one turn alone."""
    models = value.get("modelUsage")
    try:
        cost = _amount(value, "total_cost_usd")
        session = _text(value, "session_id")
        if session and isinstance(models, dict) and models:
            tokens = [_tokens(counts, _OF_MODEL) for counts in models.values()]
            inputs, outputs = map(sum, zip(*tokens, strict=True))
            return Usage(inputs, outputs, cost, session)
        return Usage(*_tokens(value.get("usage"), _OF_TURN), cost)
    except NotAMessage:
        return Usage()


def _tokens(counts: Any, names: Sequence[str]) -> tuple[int, int]:
    *inputs, output = (_count(counts if isinstance(counts, dict) else {}, name) for name in names)
    return sum(inputs), output


def _question(value: Mapping[str, Any]) -> Question:
    options = value.get("options") or []
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise NotAMessage
    return Question(_required(value, "text"), tuple(map(_cut, options[:MOST_OPTIONS])))


def _usage(value: Mapping[str, Any]) -> Usage:
    counts = _count(value, "input_tokens"), _count(value, "output_tokens")
    return Usage(*counts, _amount(value, "cost_usd"))


def _required(value: Mapping[str, Any], key: str) -> str:
    text = _text(value, key)
    if not text.strip():
        raise NotAMessage
    return text


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise NotAMessage
    return _cut(text or "")


def _cut(text: str) -> str:
    # A lone surrogate, which JSON can spell, can be written to no file.
    whole = text.encode("utf-8", errors="replace").decode()
    return whole if len(whole) <= LONGEST_TEXT else f"{whole[: LONGEST_TEXT - 1]}…"


def _count(value: Mapping[str, Any], key: str) -> int:
    amount = _amount(value, key)
    if amount != int(amount):
        raise NotAMessage
    return int(amount)


def _amount(value: Mapping[str, Any], key: str) -> float:
    amount = value.get(key)
    if amount is None:
        return 0
    if isinstance(amount, bool) or not isinstance(amount, int | float) or amount < 0:
        raise NotAMessage
    if amount > _LARGEST_NUMBER or not isfinite(amount):
        raise NotAMessage
    return amount


_OWN: Mapping[str, Callable[[Mapping[str, Any]], Message]] = {
    "checkpoint": lambda value: Checkpoint(_required(value, "text")),
    "question": _question,
    "done": lambda value: Done(_text(value, "summary")),
    "failed": lambda value: Failed(_required(value, "reason")),
    "usage": _usage,
}
# Lines of `stream-json` that say nothing about the task.
_AGENT_LINES = frozenset({"system", "user", "stream_event", "rate_limit_event", "control_response"})
