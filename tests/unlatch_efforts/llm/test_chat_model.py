"""The stand-in for a chat model answers from its script, and refuses the same as servers."""

from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_efforts.llm.chat_model.model import ChatModel
from tests.unlatch_efforts.llm.chat_model.script import Cut

from unlatch.config.tables import LlmConfig
from unlatch.errors import ModelError
from unlatch.transport import TransportOptions
from unlatch.transport.testing import SkippingClock
from unlatch_efforts.llm import Complete, open_model

HELLO = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "open_effort", "parameters": {"type": "object"}}}
CALLING = {
    "content": "Sure, at once.",
    "tool_calls": [
        {"name": "open_effort", "arguments": {"name": "auth-bug"}},
        {"name": "effort_status"},
    ],
}


def opened(server: ChatModel, tmp_path: Path, *, key: str | None = None) -> Complete:
    config = LlmConfig(base_url=server.base_url, model=server.name, key_env="K", timeout=5)
    clock = SkippingClock()
    return open_model(
        config,
        environ={"K": key or server.key or "none"},
        where=tmp_path,
        options=TransportOptions(clock=clock, sleep=clock.sleep),
    )


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_conversation_with_calls(tmp_path: Path, *, streamed: bool) -> None:
    pieces: list[str] = []
    listen = pieces.append if streamed else None
    with ChatModel([CALLING, "Opened."]) as server:
        complete = opened(server, tmp_path)
        messages: list[Any] = [{"role": "system", "content": "Be brief."}, HELLO]
        first = complete(messages, [TOOL], on_text=listen)
        message = first.choices[0].message
        messages.append(message.as_json())
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": "{}"}
            for call in message.tool_calls
        ]
        second = complete(messages, [TOOL], on_text=listen)

    calls = [(one.function.name, one.function.arguments) for one in message.tool_calls]
    assert [("open_effort", '{"name": "auth-bug"}'), ("effort_status", "{}")] == calls
    assert ("Sure, at once.", "Opened.") == (message.content, second.choices[0].message.content)
    assert (["Sure,", " at", " once.", "Opened."] if streamed else []) == pieces
    assert first.usage is not None
    assert first.usage.prompt_tokens > 0
    assert [2, 5] == [len(body["messages"]) for body in server.requests]
    assert [[TOOL]] * 2 == [body["tools"] for body in server.requests]


def test_a_cut_stream_ends_early(tmp_path: Path) -> None:
    pieces: list[str] = []
    with ChatModel([Cut("One two three.", after=3)]) as server, pytest.raises(ModelError) as caught:
        opened(server, tmp_path)([HELLO], on_text=pieces.append)

    assert ("llm-answer-cut", ["One", " two"]) == (caught.value.id, pieces)


def called(*ids: str, arguments: Any = "{}") -> dict[str, Any]:
    function = {"name": "open_effort", "arguments": arguments}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "{}"}


SYSTEM = {"role": "system", "content": "Be brief."}
REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "another model": ({"model": "x"}, 404, "does not exist"),
    "a system message amid others": ({"messages": [HELLO, SYSTEM]}, 400, "at the beginning"),
    "a call without a result": ({"messages": [HELLO, called("a")]}, 400, "messages: a"),
    "one of two results": (
        {"messages": [HELLO, called("a", "b"), result("a"), HELLO]},
        400,
        "responding to each 'tool_call_id': b",
    ),
    "a result without a call": ({"messages": [HELLO, result("a")]}, 400, "preceding message"),
    "the same id twice": ({"messages": [called("a", "a")]}, 400, "Duplicate"),
    "an empty list of calls": (
        {"messages": [{"role": "assistant", "content": "", "tool_calls": []}]},
        400,
        "empty array",
    ),
    "content of null": ({"messages": [{"role": "user", "content": None}]}, 400, "a string"),
}
