"""Requests to a model's server; the key goes to its address only."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.transport.calling import everything_about
from tests.transport.certificates import server_context
from tests.transport.faulty import CLOSED, GARBAGE, OK, TRUNCATED, Faulty, Reply, reply
from tests.unlatch_efforts.llm.asking import (
    DONE,
    HELLO,
    KEY,
    TOOL,
    chunk,
    document,
    model,
    raw,
    refusal,
    stream,
)

from unlatch.errors import ModelError, ModelUnavailable
from unlatch.transport import measure
from unlatch.transport.trace import Trace

HI = document({"content": "Hi"})
STREAMED = stream(chunk({"content": "Hi"}), DONE)


def bodies(server: Faulty) -> list[Any]:
    return [json.loads(request.body) for request in server.requests]


def test_messages_and_tools_go_out_as_they_are() -> None:
    with Faulty(HI) as server, measure() as meter:
        model(server)(HELLO, [TOOL])

    (request,) = server.requests
    assert ("POST", "/v1/chat/completions") == (request.method, request.path)
    assert [{"model": "small", "messages": HELLO, "tools": [TOOL]}] == bodies(server)
    assert f"Bearer {KEY}" == request.headers["authorization"]
    assert "application/json" == request.headers["content-type"]
    assert request.headers["user-agent"].startswith("unlatch/")
    assert 1 == meter.requests


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_does_not_count_tokens_is_asked_without_and_stays_so(status: int) -> None:
    problem = [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]
    refused = reply(status, {"object": "error", "message": {"detail": problem}})
    with Faulty(refused, STREAMED, STREAMED) as server:
        complete = model(server)
        complete(HELLO, on_text=lambda _: None)
        complete(HELLO, on_text=lambda _: None)

    assert [True, False, False] == ["stream_options" in body for body in bodies(server)]


@pytest.mark.parametrize(("status", "words"), [(400, "too long"), (500, "stream_options broke")])
def test_a_refusal_for_another_reason_is_not_asked_again(status: int, words: str) -> None:
    with Faulty(reply(status, {"error": {"message": words}}), otherwise=STREAMED) as server:
        refusal(server, streamed=True)

    assert 1 == len(server.requests)


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("", "/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        (
            "/openai/deployments/d?api-version=2024-10-21",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_the_path_is_added_to_the_configured_address(suffix: str, path: str) -> None:
    with Faulty(HI) as server:
        model(server.url + suffix)(HELLO)

    assert [path] == [request.path for request in server.requests]


def test_without_a_key_none_is_sent() -> None:
    with Faulty(HI) as server:
        model(server, key=None)(HELLO)

    assert "authorization" not in server.requests[0].headers


def test_neither_netrc_nor_cookies_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password netrc-secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    cookie = document({"content": "Hi"})
    cookie = Reply(cookie.raw.replace(b"\r\n", b"\r\nSet-Cookie: a=b; Path=/\r\n", 1))
    with Faulty(cookie, HI, HI) as server:
        complete = model(server)
        complete(HELLO)
        complete(HELLO)
        model(server, key=None)(HELLO)

    keys = [request.headers.get("authorization") for request in server.requests]
    assert [f"Bearer {KEY}", f"Bearer {KEY}", None] == keys
    assert not any("cookie" in request.headers for request in server.requests)


def test_a_request_to_this_machine_passes_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with Faulty(otherwise=OK) as proxy, Faulty(HI) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        model(server)(HELLO)

    assert ([], 1) == (proxy.requests, len(server.requests))


def test_a_proxy_that_refuses_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with Faulty(otherwise=reply(403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//me:pr0xy-pass@"))
        error = refusal("https://models.example/v1")

    assert (ModelUnavailable, "proxy-unreachable") == (type(error), error.id)
    assert not any(KEY in repr(request) for request in proxy.requests)
    assert "pr0xy-pass" not in everything_about(error)


def test_an_unknown_certificate_is_refused_before_the_key_is_sent(tmp_path: Path) -> None:
    context, _ = server_context(tmp_path)
    with Faulty(otherwise=HI, tls=context) as server:
        error = refusal(server)

    assert ("certificate-not-trusted", []) == (error.id, server.requests)
    assert "this machine does not trust the model server's certificate" == error.message


def test_the_ca_bundle_of_the_environment_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, bundle = server_context(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with Faulty(HI, tls=context) as server:
        found = model(server)(HELLO)

    assert "Hi" == found.choices[0].message.content


ECHO = f"your key {KEY} is bad"
FAULTS: dict[str, Reply] = {
    "401": reply(401, {"error": {"message": ECHO}}, headers={"X-Echo": KEY}),
    "500": reply(500, ECHO.encode()),
    "closed": CLOSED,
    "garbage": GARBAGE,
    "truncated": TRUNCATED,
    "redirect": reply(302, headers={"Location": f"https://elsewhere.example/{KEY}"}),
    "within": stream({"error": {"message": ECHO}}),
    "invalid": raw(f"data: {ECHO}\n\n".encode()),
    "a call": stream(chunk({"tool_calls": [{"id": KEY, "function": {"arguments": KEY}}]}), DONE),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_key_is_never_shown(
    fault: Reply, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "trace"
    caplog.set_level(logging.DEBUG)
    with Faulty(otherwise=fault) as server, Trace(path) as trace:
        complete = model(server, trace=trace)
        with pytest.raises(ModelError) as caught:
            complete(HELLO, on_text=lambda _: None)
        sent = [request.headers["authorization"] for request in server.requests]

    assert [f"Bearer {KEY}"] == sent
    shown = everything_about(caught.value) + repr(complete) + caplog.text + path.read_text()
    assert KEY not in shown


def test_the_trace_has_the_request_and_the_stream_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    with Faulty(stream(chunk({"content": "Hi"}), DONE)) as server, Trace(path) as trace:
        model(server, trace=trace)(HELLO, on_text=lambda _: None)

    text = path.read_text()
    assert f" llm POST {server.url}/v1/chat/completions\n" in text
    assert "> Authorization: ***\n" in text
    assert '> {"model": "small", "messages": [{"role": "user", "content": "hello"}]' in text
    assert "< 200 after 0.000 s\n" in text
    assert "\n< data: [DONE]\n" in text
