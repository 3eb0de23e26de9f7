"""Faults of a model's server, and their errors."""

import json
from time import process_time
from typing import Any

import pytest
from tests.transport.calling import free_port
from tests.transport.faulty import CLOSED, RESET, SILENCE, Faulty, Reply, reply
from tests.unlatch_efforts.llm.asking import (
    CONFIG,
    DONE,
    HELLO,
    KEY,
    STOP,
    calling,
    chunk,
    delta,
    document,
    event,
    model,
    raw,
    refusal,
    stream,
)

from unlatch.errors import ModelError, ModelUnauthorised, ModelUnavailable
from unlatch.transport.answer import MOST_VALUES
from unlatch.worklog.json_text import MAX_DEPTH

# Seconds of processor time; quadratic time is several times as much.
LINEAR = 2.0
SAYING = chunk({"content": "Hi"})


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "x", "code": None, **more}}


Kind = type[ModelError]
STATUSES: dict[str, tuple[Reply, Kind, str]] = {
    "401": (reply(401, said("bad")), ModelUnauthorised, "llm-unauthorized"),
    "403": (reply(403, said("bad")), ModelUnauthorised, "llm-unauthorized"),
    "402": (reply(402, said("bad")), ModelError, "llm-quota-exceeded"),
    "no credit": (
        reply(429, said("bad", code="insufficient_quota"), headers={"Retry-After": "1"}),
        ModelError,
        "llm-quota-exceeded",
    ),
    "404": (reply(404, said("bad")), ModelError, "llm-not-found"),
    "404 of FastAPI": (reply(404, {"detail": "bad"}), ModelError, "llm-not-found"),
    "400": (reply(400, said("bad")), ModelError, "llm-rejected"),
    "400 of vLLM": (reply(400, {"object": "error", "message": "bad"}), ModelError, "llm-rejected"),
    "422 in words": (reply(422, b"bad"), ModelError, "llm-rejected"),
    "429": (reply(429, said("bad")), ModelUnavailable, "llm-rate-limited"),
    "408": (reply(408, said("bad")), ModelUnavailable, "llm-unavailable"),
    "500": (reply(500, said("bad")), ModelUnavailable, "llm-unavailable"),
    "529 of Anthropic": (reply(529, said("bad")), ModelUnavailable, "llm-unavailable"),
}


@pytest.mark.parametrize(("answer", "kind", "name"), STATUSES.values(), ids=STATUSES)
def test_a_status_has_its_error_and_the_words_of_the_server(
    answer: Reply, kind: Kind, name: str
) -> None:
    with Faulty(otherwise=answer) as server:
        error = refusal(server)

    assert (kind, name) == (type(error), error.id)
    assert error.message.endswith(", bad")
    assert error.where == f"{server.url}/v1/chat/completions"
    assert error.hint
    assert 1 == len(server.requests)


@pytest.mark.parametrize(
    ("status", "key", "hint"),
    [
        (401, KEY, "the key came from MODEL_KEY; check that it is valid for this server"),
        (401, None, f"set key_env under [llm] in {CONFIG} to the variable with the key"),
        (404, KEY, f"check model and base_url under [llm] in {CONFIG}"),
    ],
)
def test_a_refusal_has_a_next_step(status: int, key: str | None, hint: str) -> None:
    with Faulty(reply(status, said(f"no {KEY}"))) as server:
        error = refusal(server, key=key)

    assert (error.hint or "").startswith(hint)
    assert error.exit_code == (4 if status == 401 else 1)
    assert error.message.endswith(", no ***" if key else f", no {KEY}")


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_is_not_followed(status: int) -> None:
    with Faulty(otherwise=document({"content": "caught"})) as elsewhere:
        away = reply(status, headers={"Location": f"{elsewhere.url}/v1/chat/completions?key=x"})
        with Faulty(away) as server:
            error = refusal(server)

    assert ("llm-redirected", []) == (error.id, elsewhere.requests)
    assert error.hint is not None
    assert f"{elsewhere.url}/v1/chat/completions, set base_url" in error.hint


INVALID: dict[str, tuple[Reply, str]] = {
    "a web page": (reply(200, b"<html>Sign in</html>"), "a web page came instead of data"),
    "half of a document": (reply(200, b'{"choices": ['), "its JSON is invalid"),
    "NaN": (reply(200, b'{"choices": NaN}'), "its JSON is invalid"),
    "not UTF-8": (reply(200, b'{"a": "\xff"}'), "its JSON is invalid"),
    "a list": (reply(200, []), "it is not a JSON object"),
    "nothing": (reply(200), "it has no message"),
    "words": (reply(200, b"hello there"), "it has no message"),
    "no choices": (reply(200, {"choices": []}), "it has no message"),
    "other choices": (reply(200, {"choices": "x"}), "its choices are not a list of objects"),
    "Ollama's own API": (
        reply(200, {"model": "m", "message": {"content": "Hi"}, "done": True}),
        "it has no message",
    ),
    "events of no JSON": (raw(b"data: hello\n\n"), "its JSON is invalid"),
    "an event that is no object": (stream([1], DONE), "it is not a JSON object"),
    "only [DONE]": (stream(DONE), "it has no message"),
    "a call without a name": (
        stream(calling(delta(0, None, "{}", "c")), DONE),
        "it calls a tool without a name",
    ),
    "calls that are true": (
        document({"tool_calls": True}),
        "its tool_calls are not a list",
    ),
    "calls that are a number": (
        stream(calling(), chunk({"tool_calls": 5}), DONE),
        "its tool_calls are not a list",
    ),
    "too deep": (reply(200, b"[" * 9999), "its JSON is invalid"),
    "deep": (
        reply(200, b'{"choices":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}"),
        "its JSON is invalid",
    ),
    "too many values": (
        reply(200, b'{"choices": [' + b"1," * MOST_VALUES + b"1]}"),
        "its JSON is invalid",
    ),
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("answer", "why"), INVALID.values(), ids=INVALID)
def test_an_answer_that_is_no_reply_is_invalid(answer: Reply, why: str, *, streamed: bool) -> None:
    with Faulty(answer) as server:
        error = refusal(server, streamed=streamed)

    assert "llm-answer-invalid" == error.id
    assert error.message.endswith(f": {why}")


WITHIN: dict[str, tuple[Any, Kind, str]] = {
    "OpenRouter": (
        {**SAYING, "error": {"code": 429, "message": "slow"}},
        ModelUnavailable,
        "llm-rate-limited",
    ),
    "OpenRouter, 401": (
        {"error": {"code": 401, "message": "slow"}},
        ModelUnauthorised,
        "llm-unauthorized",
    ),
    "vLLM": ({"object": "error", "message": "slow"}, ModelUnavailable, "llm-unavailable"),
    "words": ({"error": "slow"}, ModelUnavailable, "llm-unavailable"),
    "a code in words": (
        {"error": {"code": "server_error", "message": "slow"}},
        ModelUnavailable,
        "llm-unavailable",
    ),
}


@pytest.mark.parametrize(("error", "kind", "name"), WITHIN.values(), ids=WITHIN)
def test_an_error_within_a_stream_is_raised_and_nothing_is_sent_again(
    error: Any, kind: Kind, name: str
) -> None:
    with Faulty(stream(SAYING, error, DONE), otherwise=stream(SAYING, DONE)) as server:
        raised = refusal(server, streamed=True)

    assert (kind, name, "Hi") == (type(raised), raised.id, raised.text)
    assert raised.message.endswith(", slow")
    assert 1 == len(server.requests)


def test_an_error_of_llama_cpp_in_a_field_of_its_own_is_raised() -> None:
    problem = json.dumps({"code": 400, "message": "exceeds the available context size"})
    with Faulty(raw(f"error: {problem}\n\n".encode(), event(DONE))) as server:
        error = refusal(server, streamed=True)

    assert "llm-rejected" == error.id
    assert error.message.endswith("400, exceeds the available context size")


def test_an_error_with_status_200_in_a_document_is_raised() -> None:
    with Faulty(reply(200, said("slow", code=502))) as server:
        assert "llm-unavailable" == refusal(server).id


# Sent, and then nothing more comes: only this one waits for the time-out.
SILENT = raw(event(SAYING), end=False)
CUT: dict[str, Reply] = {
    "within the chunks": raw(event(SAYING), ending="close", end=False),
    "by a reset": raw(event(SAYING), ending="reset", end=False),
    "within an event": raw(event(SAYING), b'data: {"choices', ending="close", end=False),
    "within the length": Reply(
        b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + event(SAYING), ending="close"
    ),
    "without a length": Reply(b"HTTP/1.0 200 OK\r\n\r\n" + event(SAYING), ending="close"),
    "in order, and without an end": stream(SAYING),
    "in silence": SILENT,
}


@pytest.mark.parametrize("answer", CUT.values(), ids=CUT)
def test_a_stream_that_is_cut_is_an_error_with_the_text_so_far(answer: Reply) -> None:
    with Faulty(answer, otherwise=stream(SAYING, DONE)) as server:
        error = refusal(server, streamed=True, timeout=0.6 if answer is SILENT else 60.0)

    assert (ModelError, "llm-answer-cut", "Hi") == (type(error), error.id, error.text)
    assert "cut off" in error.message
    assert 1 == len(server.requests)


# In place of the 12 MB, which take a second.
MOST = 1 << 18
TOO_MUCH = b": " + b"x" * 65_000 + b"\n"
BOUNDS: dict[str, Reply] = {
    "huge": reply(200, b'{"a": "' + b"x" * MOST + b'"}'),
    "a huge line": raw(b"data: " + b"x" * MOST),
    "comments without an end": raw(*([TOO_MUCH] * (MOST // 65_000 + 1))),
    "huge headers": reply(200, headers={f"X-{n}": "a" * 60_000 for n in range(9)}),
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("answer", BOUNDS.values(), ids=BOUNDS)
def test_an_answer_has_a_bound(
    answer: Reply, monkeypatch: pytest.MonkeyPatch, *, streamed: bool
) -> None:
    monkeypatch.setattr("unlatch_efforts.llm.endpoint.MOST_BYTES", MOST)
    with Faulty(answer) as server:
        error = refusal(server, streamed=streamed, timeout=60.0)

    assert "llm-answer-cut" == error.id
    assert error.message == "the model server's answer was cut off: it is too large"


def test_a_stream_without_an_end_is_cut_at_the_time_out() -> None:
    drip = Reply(raw(event(SAYING), b": x\n" * 999, end=False).raw, drip=0.0005)
    with Faulty(drip) as server:
        error = refusal(server, streamed=True, timeout=0.8)

    assert "Hi" == error.text
    assert error.message == "the model server's answer was cut off: it was not complete in time"


@pytest.mark.sweep
def test_a_stream_of_many_pieces_is_read_in_linear_time() -> None:
    text = "word " * 30
    pieces = event(chunk({"content": text})) * 10_000
    with Faulty(raw(pieces, event(STOP), event(DONE))) as server:
        started = process_time()
        reply_ = model(server, timeout=60.0)(HELLO, on_text=lambda _: None)

    assert process_time() - started < LINEAR
    assert text * 10_000 == reply_.choices[0].message.content


def test_an_encoding_that_was_not_asked_for_is_refused() -> None:
    with Faulty(reply(200, b"x", headers={"Content-Encoding": "gzip"})) as server:
        error = refusal(server)

    assert error.message.endswith("the answer's encoding is broken")
    assert "identity" == server.requests[0].headers["accept-encoding"]


@pytest.mark.parametrize("answer", [CLOSED, RESET, SILENCE], ids=["closed", "reset", "silence"])
def test_a_request_without_an_answer_is_not_sent_again(answer: Reply) -> None:
    with Faulty(answer, otherwise=document({"content": "Hi"})) as server:
        error = refusal(server, timeout=0.3)

    assert (ModelError, "llm-no-answer") == (type(error), error.id)
    assert 1 == len(server.requests)


def test_a_server_that_is_not_there_is_unreachable() -> None:
    error = refusal(f"http://127.0.0.1:{free_port()}/v1")

    assert (ModelUnavailable, "llm-unreachable") == (type(error), error.id)
    assert "the model server cannot be reached: the connection was refused" == error.message
    assert f"check that it is running, and base_url under [llm] in {CONFIG}" == error.hint


UNENDED: dict[str, Reply] = {
    "in chunks": SILENT,
    "without a length": Reply(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + event(SAYING)),
}


@pytest.mark.parametrize("answer", UNENDED.values(), ids=UNENDED)
def test_text_is_passed_on_at_once_and_a_listener_that_raises_ends_the_request(
    answer: Reply,
) -> None:
    class Enough(Exception): ...

    def stop(_: str) -> None:
        raise Enough

    # The stream does not end: only a piece that is passed on at once can end it.
    with Faulty(answer) as server, pytest.raises(Enough):
        model(server)(HELLO, on_text=stop)
