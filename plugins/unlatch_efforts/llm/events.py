"""Server-sent events: the data of each (html.spec.whatwg.org/multipage/server-sent-events.html).

Unlike the specification, which discards an event that no empty line ends, the last one counts:
llama.cpp ends `data: [DONE]` with the connection (darshi1337/apogee#139). Comments and empty data
are skipped; OpenRouter sends such while it waits (openrouter.ai/docs/api/reference/streaming).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DONE = b"[DONE]"
_BREAK = re.compile(rb"\r\n|\n|\r")


def event_data(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each event in a body that arrives in pieces."""
    data: list[bytes] = []
    for line in _lines(pieces):
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        elif name == b"error":  # of llama.cpp in 2025 (coddy-project/coddy-agent#106)
            data.append(b'{"error":' + value + b"}")
        elif not line:
            yield from _joined(data)
            data = []
    yield from _joined(data)


def _joined(data: list[bytes]) -> Iterator[bytes]:
    whole = b"\n".join(data).strip()
    # Some gateways send their keep-alive comments as data (deepseek-harness discussion 6593).
    if whole and not whole.startswith(b":"):
        yield whole


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    pending: list[bytes] = []
    after_return = False
    for piece in pieces:
        # A line feed after the carriage return of the piece before belongs to it.
        rest = piece[1:] if after_return and piece.startswith(b"\n") else piece
        after_return = piece.endswith(b"\r")
        first, *others = _BREAK.split(rest)
        pending.append(first)
        for following in others:
            yield b"".join(pending)
            pending = [following]
    yield b"".join(pending)
