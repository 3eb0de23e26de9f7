"""Asking a model behind a faulty server, and the answers of such servers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.transport.faulty import Faulty, Reply, reply

from unlatch.config.tables import LlmConfig
from unlatch.errors import ModelError
from unlatch.transport import TransportOptions
from unlatch.transport.testing import SkippingClock
from unlatch_efforts.llm import Complete, Message, open_model
from unlatch_efforts.llm import Reply as ModelReply

KEY = "sk-K3y-that-nobody-may-see"
CONFIG = Path("/home/me/.config/unlatch/config.toml")
HELLO = [{"role": "user", "content": "hello"}]
TOOL = {"type": "function", "function": {"name": "open_effort", "parameters": {"type": "object"}}}


def model(server: Faulty | str, *, key: str | None = KEY, **options: Any) -> Complete:
    """The model of a server that has OpenAI's API, by the configuration of a user."""
    url = server if isinstance(server, str) else f"{server.url}/v1"
    timeout = options.pop("timeout", 5.0)
    config = LlmConfig(
        base_url=url, model="small", key_env="MODEL_KEY" if key else None, timeout=timeout
    )
    clock = SkippingClock()
    options = {"clock": clock, "sleep": clock.sleep, **options}
    return open_model(
        config,
        environ={"MODEL_KEY": key} if key else {},
        where=CONFIG,
        options=TransportOptions(**options),
    )


def refusal(server: Faulty | str, *, streamed: bool = False, **options: Any) -> ModelError:
    """The error that one request ends in."""
    texts: list[str] = []
    with pytest.raises(ModelError) as caught:
        model(server, **options)(HELLO, on_text=texts.append if streamed else None)
    assert "".join(texts) == caught.value.text
    return caught.value


def streamed(*replies: Reply) -> tuple[ModelReply, list[str]]:
    """The reply to one request, and the pieces of text as they came."""
    pieces: list[str] = []
    with Faulty(*replies) as server:
        return model(server)(HELLO, [TOOL], on_text=pieces.append), pieces


def message_of(answer: Reply, *, stream: bool = True) -> Message:
    """The message in one answer."""
    with Faulty(answer) as server:
        found = model(server)(HELLO, [TOOL], on_text=(lambda _: None) if stream else None)
    return found.choices[0].message


def calls_of(message: Message) -> list[tuple[str, str, str]]:
    """Id, name and arguments of each call."""
    return [(one.id, one.function.name, one.function.arguments) for one in message.tool_calls]


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": delta if delta is not None else {}, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "small-1", "choices": [choice], **more}


def calling(*deltas: dict[str, Any]) -> dict[str, Any]:
    """A chunk with deltas of calls."""
    return chunk({"tool_calls": list(deltas)})


def delta(
    index: int | None = None,
    name: str | None = None,
    arguments: Any = None,
    call_id: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A delta of one call, without the members that are None."""
    function = {"name": name, "arguments": arguments}
    whole = {"index": index, "id": call_id, **more}
    whole["function"] = {key: value for key, value in function.items() if value is not None}
    return {key: value for key, value in whole.items() if value is not None}


DONE = "[DONE]"
STOP = chunk(finish="stop")


def event(data: Any) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return f"data: {text}\n\n".encode()


def raw(*pieces: bytes, ending: str = "keep", end: bool = True) -> Reply:
    """A stream whose pieces are chunks of HTTP, with or without the chunk that ends it."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    body = b"".join(f"{len(one):x}\r\n".encode() + one + b"\r\n" for one in pieces)
    return Reply(head.encode() + body + (b"0\r\n\r\n" if end else b""), ending)


def stream(*data: Any) -> Reply:
    """A stream of events."""
    return raw(*map(event, data))


def document(message: Any, **more: Any) -> Reply:
    """One document with a message."""
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return reply(200, {"choices": [choice], **more})
