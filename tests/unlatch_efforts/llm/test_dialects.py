"""Replies of servers that differ from OpenAI's are read as they are meant.

`unlatch_efforts.llm.assembly` and `unlatch_efforts.llm.events` name the source of each difference.
"""

from typing import Any

import pytest
from tests.transport.faulty import Reply, reply
from tests.unlatch_efforts.llm.asking import (
    DONE,
    STOP,
    calling,
    calls_of,
    chunk,
    delta,
    document,
    event,
    message_of,
    raw,
    stream,
    streamed,
)

from unlatch_efforts.llm import Usage

ARGUMENTS = '{"name": "auth-bug"}'
ONE = [("call_1", "open_effort", ARGUMENTS)]
TWO = [*ONE, ("call_2", "open_effort", '{"name": "b"}')]


def test_text_arrives_piece_by_piece_and_is_joined() -> None:
    reply_, pieces = streamed(
        stream(
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "He"}),
            chunk({"content": "llo \u00e9"}),
            STOP,
            DONE,
        )
    )

    assert ["He", "llo \u00e9"] == pieces
    assert "Hello \u00e9" == reply_.choices[0].message.content
    assert ("small-1", "stop") == (reply_.model, reply_.choices[0].finish_reason)


def _whole(call_id: str | None, name: str | None, arguments: str | None) -> dict[str, Any]:
    """A delta of a call with all its members, even if they are null."""
    function = {"name": name, "arguments": arguments}
    return {"index": 0, "id": call_id, "type": call_id and "function", "function": function}


SPLIT = tuple(calling(delta(0, arguments=piece)) for piece in ('{"na', 'me": "auth', '-bug"}'))
CALLS: dict[str, tuple[Any, ...]] = {
    "arguments in pieces": (calling(delta(0, "open_effort", "", "call_1")), *SPLIT),
    "finish reason stop": (calling(delta(0, "open_effort", ARGUMENTS, "call_1")), STOP),
    "the name again in each delta, MiniMax": (
        calling(delta(0, "open_effort", "", "call_1")),
        calling(delta(0, "open_effort", '{"name":')),
        calling(delta(0, "open_effort", ' "auth-bug"}', "call_1")),
        calling(delta(0, "open_effort", "", "call_1")),
    ),
    "an empty name later": (
        calling(delta(0, "open_effort", "", "call_1")),
        calling(delta(0, "", ARGUMENTS)),
    ),
    "the name later": (
        calling(delta(0, "", "", "call_1")),
        calling(delta(0, "open_effort", ARGUMENTS, "call_1")),
    ),
    "another id in each delta, LM Studio": (
        calling(delta(0, "open_effort", "", "call_1")),
        calling(delta(0, "", '{"name": ', "call_77")),
        calling(delta(0, "", '"auth-bug"}', "call_78")),
    ),
    "the name and another id in each delta": (
        calling(delta(0, "open_effort", '{"name": ', "call_1")),
        calling(delta(0, "open_effort", '"auth-bug"}', "call_77")),
    ),
    "no index, Gemini": (calling(delta(None, "open_effort", ARGUMENTS, "call_1")), STOP),
    "no index and pieces without id": (
        calling(delta(None, "open_effort", "", "call_1")),
        calling(delta(None, None, '{"name": ')),
        calling({"id": "", "type": "", "function": {"arguments": '"auth-bug"}'}}),
    ),
    "two deltas of one call in a chunk, vLLM": (
        calling(delta(0, "open_effort", '{"name": ', "call_1"), delta(0, None, '"auth-bug"}')),
    ),
    "arguments that begin with {}, Bedrock": (
        calling(delta(0, "open_effort", "{}", "call_1")),
        calling(delta(0, None, ARGUMENTS)),
    ),
    "arguments as an object, llama.cpp": (
        calling(delta(0, "open_effort", {"name": "auth-bug"}, "call_1")),
    ),
    "null for what is missing": (
        chunk({"role": "assistant", "content": None, "tool_calls": None}),
        chunk({"content": None, "tool_calls": [_whole("call_1", "open_effort", None)]}),
        chunk({"tool_calls": [_whole(None, None, ARGUMENTS)]}),
    ),
}


SEVERAL: dict[str, tuple[Any, ...]] = {
    "by index, mixed": (
        calling(delta(0, "open_effort", "", "call_1"), delta(1, "open_effort", "", "call_2")),
        calling(delta(1, None, '{"name": ')),
        calling(delta(0, None, ARGUMENTS)),
        calling(delta(1, None, '"b"}')),
    ),
    "index 0 for all, Ollama": (
        calling(delta(0, "open_effort", ARGUMENTS, "call_1")),
        calling(delta(0, "open_effort", '{"name": "b"}', "call_2")),
    ),
    "no index, Gemini": (
        calling(delta(None, "open_effort", ARGUMENTS, "call_1")),
        calling(delta(None, "open_effort", '{"name": "b"}', "call_2")),
    ),
    "no index in one chunk": (
        calling(
            delta(None, "open_effort", ARGUMENTS, "call_1"),
            delta(None, "open_effort", '{"name": "b"}', "call_2"),
        ),
    ),
}


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        *(pytest.param(chunks, ONE, id=name) for name, chunks in CALLS.items()),
        *(pytest.param(chunks, TWO, id=f"several, {name}") for name, chunks in SEVERAL.items()),
    ],
)
def test_calls_are_assembled_and_stay_apart(
    chunks: tuple[Any, ...], calls: list[tuple[str, str, str]]
) -> None:
    assert calls == calls_of(message_of(stream(*chunks, DONE)))


NO_IDS: dict[str, tuple[Any, ...]] = {
    "none": (
        calling(delta(None, "open_effort", ARGUMENTS)),
        calling(delta(None, "open_effort", '{"name": "b"}')),
    ),
    "empty": (
        calling(delta(0, "open_effort", ARGUMENTS, "")),
        calling(delta(1, "open_effort", '{"name": "b"}', "")),
    ),
    "the same for both": (
        calling(
            delta(0, "open_effort", ARGUMENTS, "x"), delta(1, "open_effort", '{"name": "b"}', "x")
        ),
    ),
}


@pytest.mark.parametrize("chunks", NO_IDS.values(), ids=NO_IDS)
def test_calls_without_an_id_of_their_own_get_one(chunks: tuple[Any, ...]) -> None:
    first, second = calls_of(message_of(stream(*chunks, DONE)))

    assert (first[1:], second[1:]) == (TWO[0][1:], TWO[1][1:])
    assert first[0] != second[0]
    assert all(one and one.isalnum() for one in (first[0], second[0]))


@pytest.mark.parametrize(
    ("arguments", "read"),
    [("", "{}"), (None, "{}"), ("  ", "{}"), ({}, "{}"), ('{"name', '{"name')],
)
def test_missing_arguments_are_an_empty_object_and_wrong_ones_left_to_the_caller(
    arguments: Any, read: str
) -> None:
    message = message_of(stream(calling(delta(0, "effort_status", arguments, "c")), DONE))
    assert [("c", "effort_status", read)] == calls_of(message)


SAYING = chunk({"content": "Hi"})
STREAMS: dict[str, Reply] = {
    "CRLF": raw(*(event(one).replace(b"\n", b"\r\n") for one in (SAYING, STOP, DONE))),
    "CR": raw(*(event(one).replace(b"\n", b"\r") for one in (SAYING, STOP, DONE))),
    "CRLF cut in two": raw(event(SAYING)[:-2] + b"\r", b"\n\r", b"\n", event(DONE)),
    "comments, OpenRouter": raw(
        b": OPENROUTER PROCESSING\n\n", event(SAYING), b": x\n", event(DONE)
    ),
    "empty data": raw(b"data:\n\ndata: \n\n", event(SAYING), event(DONE)),
    "other fields": raw(
        b"event: ping\nid: 1\nretry: 9\n", event({"type": "ping"}), event(SAYING), event(DONE)
    ),
    "data on two lines": raw(
        b'data: {"choices": [{"delta":\ndata: {"content": "Hi"}}]}\n\n', event(DONE)
    ),
    "data on two lines, CRLF cut in two": raw(
        b'data: {"choices": [{"delta":\r',
        b'\ndata: {"content": "Hi"}}]}\r\n\r\n',
        event(DONE),
    ),
    "no empty line at the end, llama.cpp": raw(event(SAYING), b"data: [DONE]"),
    "no [DONE], ik_llama.cpp": stream(SAYING, STOP),
    "one byte at a time": raw(*(bytes([one]) for one in event(SAYING) + event(DONE))),
    "without a length, by HTTP/1.0": Reply(
        b"HTTP/1.0 200 OK\r\n\r\n" + event(SAYING) + event(DONE), ending="close"
    ),
    "another type": Reply(
        raw(event(SAYING), event(DONE)).raw.replace(b"text/event-stream", b"text/plain")
    ),
    "nothing of use in choices, Azure": stream(
        {"choices": [], "prompt_filter_results": [{}]},
        SAYING,
        {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]},
        DONE,
    ),
    "another choice": stream(SAYING, {"choices": [{"index": 1, "delta": {"content": "no"}}]}, DONE),
    "the message so far beside the delta": stream(
        {"choices": [{"delta": {"content": "Hi"}, "message": {"content": "Hi"}}]},
        {"choices": [{"delta": {}, "message": {"content": "Hi"}, "finish_reason": "stop"}]},
        DONE,
    ),
    "parts, Mistral": stream(
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}),
        chunk({"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}),
        DONE,
    ),
    "reasoning beside the text": stream(
        chunk({"reasoning_content": "Hm", "content": None}), SAYING, DONE
    ),
    "a refusal": stream(chunk({"content": None, "refusal": "Hi"}), DONE),
    "an error that is null": stream({**SAYING, "error": None}, DONE),
    "one document": document({"role": "assistant", "content": "Hi"}),
}


@pytest.mark.parametrize("answer", STREAMS.values(), ids=STREAMS)
def test_text_is_read(answer: Reply) -> None:
    reply_, pieces = streamed(answer)

    assert ("Hi", "Hi") == (reply_.choices[0].message.content, "".join(pieces))


DOCUMENTS: dict[str, Any] = {
    "OpenAI": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "open_effort", "arguments": ARGUMENTS},
        }
    ],
    "an object": [
        {"id": "call_1", "function": {"name": "open_effort", "arguments": {"name": "auth-bug"}}}
    ],
}


@pytest.mark.parametrize("calls", DOCUMENTS.values(), ids=DOCUMENTS)
@pytest.mark.parametrize("content", [None, "", []])
def test_a_document_with_calls_is_read(calls: Any, content: Any) -> None:
    message = message_of(document({"content": content, "tool_calls": calls}), stream=False)

    assert (None, ONE) == (message.content, calls_of(message))


COUNTS = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


@pytest.mark.parametrize(
    "answer",
    [
        stream(chunk({"content": "Hi"}, usage=None), STOP, {"choices": [], "usage": COUNTS}, DONE),
        stream(chunk({"content": "Hi"}, usage={"prompt_tokens": 5}), chunk(usage=COUNTS), DONE),
        stream(chunk({"content": "Hi"}, usage=COUNTS), chunk(finish="stop", usage=None), DONE),
        document({"content": "Hi"}, usage=COUNTS),
        document({"content": "Hi"}, usage={**COUNTS, "total_tokens": None}),
    ],
    ids=[
        "in a chunk without choices",
        "counted along",
        "before the end",
        "in a document",
        "no sum",
    ],
)
def test_usage_is_read(answer: Reply) -> None:
    assert Usage(5, 2, 7) == streamed(answer)[0].usage


def test_what_a_server_wants_back_goes_back_with_the_calls() -> None:
    signature = {"google": {"thought_signature": "c2ln"}}
    message = message_of(
        stream(
            chunk({"reasoning_content": "He wants "}),
            chunk({"reasoning_content": "an effort."}),
            calling(delta(None, "open_effort", ARGUMENTS, "call_1")),
            calling({"extra_content": signature}),
            STOP,
            DONE,
        )
    )

    assert {
        "role": "assistant",
        "content": "",
        "reasoning_content": "He wants an effort.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "open_effort", "arguments": ARGUMENTS},
                "extra_content": signature,
            }
        ],
    } == message.as_json()


def test_a_message_without_calls_goes_back_as_text_alone() -> None:
    message = message_of(stream(chunk({"reasoning_content": "Hm"}), SAYING, DONE))

    assert {"role": "assistant", "content": "Hi"} == message.as_json()


def test_a_byte_order_mark_at_the_beginning_is_skipped() -> None:
    whole = b"\xef\xbb\xbf" + event(chunk({"content": "Hi"})) + event(STOP)
    assert "Hi" == message_of(raw(whole[:2], whole[2:3], whole[3:])).content
    document_ = b'\xef\xbb\xbf{"choices": [{"message": {"content": "Hi"}}]}'
    assert "Hi" == message_of(reply(200, document_)).content
