"""No answer, or half of one: a read may be sent again, a write never is."""

from __future__ import annotations

import socket

import pytest
from tests.transport.calling import WRITES, call, connected, failure, nothing, transport
from tests.transport.faulty import (
    CHUNK_CUT,
    CLOSED,
    GARBAGE,
    OK,
    RESET,
    SILENCE,
    TRUNCATED,
    Faulty,
    Reply,
    reply,
)

from unlatch.errors import Transient, UnknownOutcome
from unlatch.transport import for_tests, measure
from unlatch.transport.rehearsal import SkippingClock

GZIP_BROKEN = reply(200, b"no gzip at all", headers={"Content-Encoding": "gzip"})

SILENCES = {
    "closed": CLOSED,
    "reset": RESET,
    "timeout": SILENCE,
    "truncated": TRUNCATED,
    "chunk cut": CHUNK_CUT,
    "no HTTP": GARBAGE,
    "broken gzip": GZIP_BROKEN,
}


@pytest.mark.parametrize("method", WRITES)
@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES)
def test_write_without_an_answer_is_unknown_and_sent_once(silence: Reply, method: str) -> None:
    with Faulty(silence, otherwise=OK) as server:
        error = failure(server, method)

    assert (UnknownOutcome, "unknown-outcome", [method]) == (type(error), error.id, server.methods)
    assert "unlatch sync" in (error.hint or "")


@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES)
def test_read_without_an_answer_is_sent_again(silence: Reply) -> None:
    with Faulty(silence, silence, OK) as server:
        assert call(server, "GET").json() == {"ok": True}
        assert len(server.requests) == 3


@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES)
def test_read_is_given_up_after_three_attempts(silence: Reply) -> None:
    with Faulty(otherwise=silence) as server, measure() as meter:
        error = failure(server, "GET")

        assert (Transient, "tracker-unavailable") == (type(error), error.id)
        assert (len(server.requests), meter.requests) == (3, 3)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize(("method", "attempts"), [("GET", 3), ("POST", 1)])
def test_refused_connection_was_no_write(method: str, attempts: int) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with (
        for_tests("jira", url, token="t0ken").session(nothing) as session,
        measure() as meter,
        pytest.raises(Transient) as caught,
    ):
        session.request(method, url)

    assert caught.value.id == "tracker-unreachable"
    assert caught.value.message == "the tracker cannot be reached: the connection was refused"
    assert attempts == meter.requests


def test_name_that_does_not_exist_is_said_to_be_one() -> None:
    url = "https://tracker.invalid"
    with (
        for_tests("jira", url, token="t0ken").session(nothing) as session,
        pytest.raises(Transient) as caught,
    ):
        session.post(url)

    assert caught.value.message == "the tracker cannot be reached: its name cannot be resolved"


def test_sdk_timeout_does_not_replace_ours() -> None:
    with connected(SILENCE) as (server, session), pytest.raises(UnknownOutcome) as caught:
        session.post(server.url, timeout=3600)

    assert caught.value.message == "no answer came from the tracker: it took too long"


def test_connections_are_reused_until_they_were_idle() -> None:
    clock = SkippingClock()
    with (
        Faulty(otherwise=OK) as server,
        transport(server, clock=clock).session(nothing) as session,
    ):
        for seconds in (0, 3, 5):
            clock.sleep(seconds)
            session.post(server.url)

        assert [request.connection for request in server.requests] == [0, 0, 1]


def test_failed_answers_give_their_connection_back() -> None:
    with Faulty(reply(404, b"gone"), OK) as server, transport(server).session(nothing) as session:
        with pytest.raises(Exception, match="item-not-found"):
            session.get(server.url)
        session.get(server.url)

        assert [request.connection for request in server.requests] == [0, 0]
