"""No answer is larger or takes longer than allowed; a cut answer is a tracker's error."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.transport.calling import call, connected, failure
from tests.transport.faulty import OK, Faulty, Reply, reply
from urllib3 import HTTPConnectionPool

from unlatch.errors import Rejected, Transient, UnknownOutcome, UnlatchError
from unlatch.transport.answer import (
    MOST_BYTES,
    MOST_ERROR_BYTES,
    MOST_LEVELS,
    MOST_PAGES,
    MOST_VALUES,
    each_page,
    parse_json,
)
from unlatch.transport.connections import bounded, deadline

JSON = {"Content-Type": "application/json"}
GZIP = {**JSON, "Content-Encoding": "gzip"}
HUGE = b'"' + b" " * MOST_BYTES + b'"'

TOO_MUCH = {
    "plain": reply(200, HUGE, headers=JSON),
    "gzip": reply(200, gzip.compress(HUGE), headers=GZIP),
    "an error": reply(400, b"x" * (MOST_ERROR_BYTES + 1)),
    "header": reply(200, headers={f"X-{n}": "a" * 60_000 for n in range(9)}),
    "many headers": reply(200, headers={f"X-{n}": "a" for n in range(500)}),
    "interim answers": Reply(b"HTTP/1.1 103 Hint\r\n\r\n" * 99),
    "100 without an end": Reply(b"HTTP/1.1 100 Go\r\n\r\n" * 99_999),
}


@pytest.mark.parametrize("answer", TOO_MUCH.values(), ids=TOO_MUCH)
def test_answer_beyond_the_bounds_leaves_a_write_unknown_and_a_read_unread(answer: Reply) -> None:
    with Faulty(otherwise=answer) as server:
        written, read = failure(server, "POST"), failure(server, "GET")

    assert UnknownOutcome is type(written)
    assert isinstance(read, Transient)
    assert "tracker-unavailable" == read.id
    assert "POST" not in server.methods[1:]
    if answer is TOO_MUCH["gzip"]:
        assert read.message == "the tracker's answer was cut off: it is too large"
        assert ["POST", "GET"] == server.methods


def test_largest_answer_that_is_allowed_arrives_whole() -> None:
    body = json.dumps(["a" * (MOST_BYTES - 4)]).encode()
    with Faulty(reply(200, gzip.compress(body), headers=GZIP)) as server:
        assert len(body) == len(call(server, "GET").content) == MOST_BYTES


def test_bomb_takes_no_more_memory_than_its_bound() -> None:
    bomb = reply(200, gzip.compress(b" " * (5 * MOST_BYTES)), headers=GZIP)
    with Faulty(otherwise=bomb) as server:
        tracemalloc.start()
        failure(server, "GET")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert most < 3 * MOST_BYTES


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "x"])
def test_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with Faulty(otherwise=reply(200, b"{}", headers={"Content-Encoding": encoding})) as server:
        error = failure(server, "POST")

    assert isinstance(error, UnknownOutcome)
    assert "gzip, deflate" == server.requests[0].headers["accept-encoding"]


def test_interim_answers_before_the_answer_are_skipped() -> None:
    hints = b"HTTP/1.1 103 Hint\r\nLink: a\r\n\r\nHTTP/1.1 100 Go\r\n\r\n"
    with connected(Reply(hints + OK.raw), otherwise=OK) as (server, session):
        assert session.post(server.url).json() == {"ok": True}
        assert session.post(server.url).json() == {"ok": True}


DRIPS = {
    "status": b"HTTP/1.1 200 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "headers": b"HTTP/1.1 200 OK\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "body": b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + b" " * 40,
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 9,
    "interim answers": b"HTTP/1.1 100 Go\r\n\r\n" * 9,
}


@pytest.mark.parametrize("text", DRIPS.values(), ids=DRIPS)
def test_answer_that_drips_is_cut_at_the_deadline(text: bytes) -> None:
    with Faulty(otherwise=Reply(text, drip=0.05)) as server:
        error = failure(server, "POST", timeouts=(2.0, 5.0), deadline=0.3)

    assert isinstance(error, UnknownOutcome)
    assert "the tracker's answer was cut off: it was not complete in time" == error.message


def test_read_that_came_to_its_deadline_is_not_sent_again() -> None:
    with Faulty(otherwise=Reply(DRIPS["body"], drip=0.05)) as server:
        assert isinstance(failure(server, "GET", deadline=0.3), Transient)

    assert ["GET"] == server.methods


def test_connection_keeps_its_own_timeout_after_an_answer() -> None:
    with Faulty(otherwise=OK) as server, deadline(1000):
        address = urlsplit(server.url)
        connection: Any = bounded(HTTPConnectionPool).ConnectionCls(
            address.hostname or "", address.port, timeout=2000
        )
        connection.request("GET", "/")
        connection.getresponse().read()

        assert 2000 == connection.sock.gettimeout()
        connection.close()


DEEP = b"[" * 100_000 + b"]" * 100_000
UNREADABLE = {
    "deep": DEEP,
    "deeper than libraries walk": b'{"a":' * MOST_LEVELS + b"[]" + b"}" * MOST_LEVELS,
    "many values": b"[" + b"1," * MOST_VALUES + b"1]",
    "not UTF-8": b'{"a": "\xff"}',
    "a number of many digits": b"[" + b"9" * 5000 + b"]",
    "not a number": b'{"id": NaN}',
}


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_json_that_cannot_be_read_is_a_broken_answer(body: bytes, kind: str) -> None:
    with Faulty(otherwise=reply(200, body, headers={"Content-Type": kind})) as server:
        assert isinstance(failure(server, "POST"), UnknownOutcome)
        assert isinstance(failure(server, "GET"), Transient)


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_answer_that_lost_its_json_is_broken(body: bytes) -> None:
    with Faulty(otherwise=reply(200, body, headers=JSON)) as server:
        assert isinstance(failure(server, "GET"), Transient)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_answer_without_content_is_a_success(method: str) -> None:
    with Faulty(otherwise=reply(204, headers=JSON)) as server:
        assert call(server, method).status_code == 204


def test_error_that_cannot_be_read_is_judged_by_its_status() -> None:
    with Faulty(reply(422, DEEP, headers=JSON)) as server:
        assert isinstance(failure(server, "POST"), Rejected)


def test_marks_in_texts_are_not_values() -> None:
    text = "[,{" * MOST_VALUES + '\\"' + "," * 9

    assert parse_json(json.dumps([text]).encode()) == [text]


@pytest.mark.parametrize("status", [300, 302, 307])
def test_redirect_to_nowhere_is_no_success(status: int) -> None:
    with Faulty(otherwise=reply(status)) as server:
        assert isinstance(failure(server, "GET"), Transient)


def test_list_without_an_end_is_given_up() -> None:
    clock = iter(range(MOST_PAGES * 10))
    with pytest.raises(Rejected, match="answer-not-understood"):
        list(each_page(lambda: 0.0))
    pages = [0]
    with pytest.raises(Rejected, match="answer-not-understood"):
        pages += each_page(lambda: float(next(clock) * 60))

    assert len(pages) < MOST_PAGES


# Who may be asked


def refuse(url: str) -> None:
    raise UnlatchError("host-not-trusted", "not this one", where=url)


def test_redirect_to_a_host_that_is_not_trusted_is_not_followed() -> None:
    with Faulty(otherwise=OK) as elsewhere:
        away = reply(302, headers={"Location": f"{elsewhere.url}/caught"})
        with Faulty(away) as server:
            error = failure(server, "GET", check=refuse)

    assert (Rejected, "host-not-trusted") == (type(error), error.id)
    assert elsewhere.requests == []


def test_own_host_is_not_checked_again() -> None:
    with Faulty(OK) as server:
        assert call(server, "GET", check=refuse).json() == {"ok": True}
