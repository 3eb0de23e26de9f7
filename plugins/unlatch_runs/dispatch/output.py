"""The output of a worker as it arrives: messages within limits."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_runs.dispatch.protocol import (
    LONGEST_LINE,
    NOISE_TEXT,
    Answer,
    Checkpoint,
    Message,
    Noise,
    Usage,
    read_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Output:
    """The output of one worker, as it arrives in pieces of any length.

    Args:
        most_noise: lines that are no messages and are passed on; more are only counted.
        most: messages that are passed on before the answer; more are counted as noise, and the
            usage of more is passed on at the end, as one message and one for each session.
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
    _usage: dict[str, Usage] = field(default_factory=dict)
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
        yield from self._usage.values()

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
            before = Usage() if message.session else self._usage.get("", Usage())
            self._usage[message.session] = _sum(before, message)
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


def _sum(usage: Usage, other: Usage) -> Usage:
    return Usage(
        usage.input_tokens + other.input_tokens,
        usage.output_tokens + other.output_tokens,
        usage.cost_usd + other.cost_usd,
        other.session,
    )


def _as_noise(line: bytes) -> Noise:
    return Noise(line[:NOISE_TEXT].decode("utf-8", errors="replace"))


def _shown(message: Message) -> str:
    return message.text if isinstance(message, Noise) else repr(message)[:NOISE_TEXT]
