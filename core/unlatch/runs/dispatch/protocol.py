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

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from unlatch.worklog.event_log import parse_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# In characters: the longest text, and the options of a question. In bytes: the longest line, in
# which an agent may print all its messages.
LONGEST_TEXT = 32_768
MOST_OPTIONS = 32
LONGEST_LINE = 16 << 20
_NOISE_TEXT = 200
_LARGEST_NUMBER = 10**15


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
    """Tokens and cost since the last such message; `input_tokens` has cached ones included."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


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
    value = parse_line(text, longest=None) if text[0] in "{[" else None
    try:
        values = value if isinstance(value, list) else [value]
        return tuple(message for one in values for message in _messages(one))
    except NotAMessage:
        return (Noise(text[:_NOISE_TEXT]),)


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
    errors = [_cut(one) for one in value.get("errors") or () if isinstance(one, str)]
    parts = [str(value.get("subtype") or "error"), *([text] if text else errors)]
    yield Failed(_cut(": ".join(dict.fromkeys(parts))), is_stated=False)


def stated_answer(text: str) -> Answer | None:
    """The answer that the last line of a text is; None if it is no answer."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("```")]
    value = parse_line(lines[-1], longest=LONGEST_TEXT) if lines else None
    try:
        message = _OWN[value["type"]](value) if isinstance(value, dict) else None
    except (KeyError, TypeError, NotAMessage):
        return None
    return message if isinstance(message, Answer) else None


def _agent_usage(value: Mapping[str, Any]) -> Usage:
    usage = value.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    try:
        return Usage(
            sum(_count(counts, name) for name in names),
            _count(counts, "output_tokens"),
            _amount(value, "total_cost_usd"),
        )
    except NotAMessage:
        return Usage()


def _question(value: Mapping[str, Any]) -> Question:
    options = value.get("options") or []
    if not isinstance(options, list) or not all(isinstance(one, str) for one in options):
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


@dataclass(slots=True)
class Output:
    """The output of one worker, as it arrives in pieces of any length.

    Args:
        most_noise: lines that are no messages and are passed on; more are only counted.
        most: messages that are passed on before the answer; more are counted as noise, and the
            usage of more is passed on as one message at the end.
        most_text: characters of checkpoints that are passed on: each goes into the log of the run.
    """

    most_noise: int = 20
    most: int = 10_000
    most_text: int = 1 << 20
    longest: int = LONGEST_LINE
    noise: int = 0
    answer: Answer | None = None
    _messages: int = 0
    _text: int = 0
    _usage: Usage | None = None
    _partial: bytearray = field(default_factory=bytearray)
    _skips: bool = False

    def feed(self, piece: bytes) -> Iterator[Message]:
        """The messages that are complete with this piece of output."""
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self._keep(line)
            yield from self._end_line()
        self._keep(rest)

    def finish(self) -> Iterator[Message]:
        """The message of a last line without an end, and the usage that was not passed on."""
        yield from self._end_line()
        if self._usage is not None:
            yield self._usage

    def _keep(self, part: bytes) -> None:
        room = self.longest - len(self._partial)
        self._skips = self._skips or len(part) > room
        self._partial += part[:room]

    def _end_line(self) -> Iterator[Message]:
        line, too_long = bytes(self._partial), self._skips
        self._partial.clear()
        self._skips = False
        for message in (_as_noise(line),) if too_long else read_line(line):
            yield from self._passed(message)

    def _passed(self, message: Message) -> Iterator[Message]:
        """Pass on a message; after the first answer, all but usage counts as noise."""
        is_late = self.answer is not None and not isinstance(message, Usage)
        is_full = self._messages >= self.most or self._text >= self.most_text
        if is_full and isinstance(message, Usage):
            self._usage = _sum(self._usage or Usage(), message)
            return
        if is_late or (is_full and not isinstance(message, Answer)):
            message = Noise(_shown(message))
        if isinstance(message, Noise):
            self.noise += 1
            if self.noise <= self.most_noise:
                yield message
            return
        if isinstance(message, Answer):
            self.answer = message
        if isinstance(message, Checkpoint):
            self._text += len(message.text)
        self._messages += 1
        yield message


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cost_usd + other.cost_usd,
    )


def _as_noise(line: bytes) -> Noise:
    return Noise(line[:_NOISE_TEXT].decode("utf-8", errors="replace"))


def _shown(message: Message) -> str:
    return message.text if isinstance(message, Noise) else repr(message)[:_NOISE_TEXT]
