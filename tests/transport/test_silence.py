"""No answer, or half of one: a read may be sent again, a write never is."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import (
    WRITES,
    call,
    connected,
    covering,
    failure,
    free_port,
    nothing,
    transport,
)
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

from unlatch.errors import Transient, UnknownOutcome, Unreachable
from unlatch.transport import for_tests, measure
from unlatch.transport.testing import SkippingClock

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@pytest.mark.parametrize(("silence", "method"), covering(SILENCES, WRITES))
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


@pytest.mark.parametrize(("method", "attempts"), [("GET", 3), ("POST", 1)])
def test_refused_connection_was_no_write(method: str, attempts: int) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with (
        for_tests("jira", url, token="t0ken").session(nothing) as session,
        measure() as meter,
        pytest.raises(Unreachable, match="tracker-unreachable:") as caught,
    ):
        session.request(method, url)

    assert caught.value.message == "the tracker cannot be reached: the connection was refused"
    assert attempts == meter.requests


def test_name_that_does_not_exist_is_said_to_be_one() -> None:
    url = "https://tracker.invalid"
    with (
        for_tests("jira", url, token="t0ken").session(nothing) as session,
        pytest.raises(Unreachable) as caught,
    ):
        session.post(url)

    assert caught.value.message == "the tracker cannot be reached: its name cannot be resolved"


def test_connection_that_does_not_come_about_in_time_was_no_write() -> None:
    with (
        full_listener() as url,
        for_tests("jira", url, token="t0ken", timeouts=(0.2, 2.0)).session(nothing) as session,
        pytest.raises(Unreachable) as caught,
    ):
        session.post(url)

    assert caught.value.message == "the tracker cannot be reached: connecting took too long"


@contextmanager
def full_listener() -> Iterator[str]:
    """Its queue is full, and it accepts nothing."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1))
        for _ in range(8):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_connection_that_is_reset_while_sending_leaves_a_write_unknown() -> None:
    with (
        resetting_listener() as url,
        for_tests("jira", url, token="t0ken").session(nothing) as session,
        pytest.raises(UnknownOutcome),
    ):
        session.post(url, data=b"x" * 20_000_000)


@contextmanager
def resetting_listener() -> Iterator[str]:
    """Accepts one connection, reads the beginning of the request, and resets it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def reset() -> None:
            connection, _ = listener.accept()
            connection.recv(1000)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        thread = threading.Thread(target=reset)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


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
