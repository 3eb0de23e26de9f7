"""A token goes into the header of its scheme, to its tracker alone, and is shown nowhere."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import connected, covering, everything_about, failure
from tests.transport.faulty import OK, Faulty, reply

from unlatch.spi import Scheme
from unlatch.transport.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "0123456789abcdef0123456789abcdef"
HEADER = "X-Corp-Auth"  # its name does not tell that it holds a secret
PAIR = base64.b64encode(f"{TOKEN}:x".encode()).decode()
SCHEMES = {"header": Scheme.HEADER(HEADER), "user name": Scheme.USER_NAME("x")}
SENT = {"header": (HEADER.lower(), TOKEN), "user name": ("authorization", f"Basic {PAIR}")}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_token_is_sent_once_and_replaces_that_of_an_sdk(name: str) -> None:
    with connected(OK, token=TOKEN, scheme=SCHEMES[name]) as (server, session):
        theirs = dict.fromkeys((HEADER.lower(), "Authorization"), "theirs")
        session.get(f"{server.url}/item", headers=theirs)
        (request,) = server.requests

    header, value = SENT[name]
    assert request.headers.pop(header) == value
    left = {HEADER.lower(): "theirs"} if name == "user name" else {}
    assert left == {one: text for one, text in request.headers.items() if one in theirs}
    assert TOKEN not in str(request.headers)


def test_another_host_does_not_get_the_header() -> None:
    with Faulty(OK) as other:
        there = reply(302, headers={"Location": f"{other.url}/moved"})
        with connected(there, token=TOKEN, scheme=SCHEMES["header"]) as (server, session):
            session.get(f"{server.url}/item", headers={HEADER: "theirs"})
        (request,) = other.requests

    assert HEADER.lower() not in request.headers


@pytest.mark.parametrize(
    ("status", "name"),
    covering({str(status): status for status in (401, 403, 422, 500)}, tuple(SCHEMES)),
)
def test_neither_errors_nor_traces_show_it(status: int, name: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    header, value = SENT[name]
    echo = reply(status, {"message": f"{header}: {value}"}, headers={"X-Debug": value})
    with Faulty(otherwise=echo) as server, Trace(path) as trace:
        options = {"token": TOKEN, "scheme": SCHEMES[name], "trace": trace}
        error = failure(server, "POST", **options)

    shown = everything_about(error) + path.read_text()
    assert f"> {header}: ***".casefold() in shown.casefold()
    assert [one for one in (TOKEN, PAIR) if one in shown] == []
