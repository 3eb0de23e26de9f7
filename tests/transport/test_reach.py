"""How far the token goes: to its origin, and nowhere else."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import TOKEN, call, connected, failure, nothing, transport
from tests.transport.faulty import OK, Faulty, reply

from unlatch.errors import CredentialMissing, Rejected, UnlatchError
from unlatch.spi import Scheme
from unlatch.transport import for_tests, measure

if TYPE_CHECKING:
    from pathlib import Path


def test_token_goes_to_the_origin() -> None:
    with Faulty(OK, OK) as server:
        call(server, "GET")
        call(server, "GET", scheme=Scheme.BASIC, user="me@corp")

    basic = base64.b64encode(f"me@corp:{TOKEN}".encode()).decode()
    assert [f"Bearer {TOKEN}", f"Basic {basic}"] == [
        request.headers["authorization"] for request in server.requests
    ]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_port_takes_no_token_along(status: int) -> None:
    with Faulty(OK) as elsewhere:
        away = reply(status, headers={"Location": f"{elsewhere.url}/caught"})
        with Faulty(away) as server:
            assert call(server, "GET").json() == {"ok": True}

    assert "authorization" in server.requests[0].headers
    assert elsewhere.requests[0].path == "/caught"
    assert "authorization" not in elsewhere.requests[0].headers
    assert TOKEN not in repr(elsewhere.requests)


def test_token_is_there_again_after_a_redirect_home() -> None:
    with Faulty(reply(302, headers={"Location": "/two"}), OK) as server:
        call(server, "GET")

    assert [f"Bearer {TOKEN}"] * 2 == [r.headers["authorization"] for r in server.requests]


def test_another_name_for_the_same_machine_is_another_origin() -> None:
    with Faulty(OK) as server, transport(server).session(nothing) as session:
        session.get(server.url.replace("127.0.0.1", "localhost"))

    assert "authorization" not in server.requests[0].headers


def test_redirect_to_plain_http_elsewhere_is_refused() -> None:
    with Faulty(reply(302, headers={"Location": "http://example.invalid/"})) as server:
        error = failure(server, "GET")

    assert (Rejected, "insecure-url") == (type(error), error.id)


@pytest.mark.parametrize(
    "location", ["/round", "http://[broken", "http://:80", "gopher://x/", "http://u:p@x/"]
)
def test_redirects_that_lead_nowhere_are_an_error_of_ours(location: str) -> None:
    with Faulty(otherwise=reply(302, headers={"Location": location})) as server:
        error = failure(server, "GET")

    assert (Rejected, "redirect-broken") == (type(error), error.id)
    assert f"GET {server.url}/item" == error.where


def test_what_an_sdk_or_netrc_would_send_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password netrc-secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with Faulty(OK, OK) as other, connected(OK, OK) as (server, session):
        session.get(server.url)
        session.get(server.url, headers={"Authorization": "Bearer of-the-sdk"})
        session.get(other.url)
        session.get(other.url, auth=("someone", "of-the-sdk"))

    assert [f"Bearer {TOKEN}"] * 2 == [r.headers["authorization"] for r in server.requests]
    assert ["authorization" in r.headers for r in other.requests] == [False, False]


def test_user_name_in_an_address_is_refused() -> None:
    with (
        connected(OK) as (server, session),
        pytest.raises(UnlatchError, match="url-with-credentials"),
    ):
        session.get(server.url.replace("//", "//someone:pass@"))

    assert server.requests == []


def test_cookies_are_neither_kept_nor_sent() -> None:
    cookie = {"Set-Cookie": "session=abc; Path=/"}
    away = reply(302, headers=cookie | {"Location": "/two"})
    with connected(away, reply(headers=cookie), OK) as (server, session):
        session.get(server.url)
        session.get(server.url, cookies={"of": "the-sdk"})

        assert list(session.cookies) == []

    assert ["cookie" in request.headers for request in server.requests] == [False] * 3


def test_without_a_token_nothing_is_sent() -> None:
    with Faulty(otherwise=OK) as server, measure() as meter:
        error = failure(server, "POST", token=None)

    assert (CredentialMissing, "credential-missing") == (type(error), error.id)
    assert error.hint == "run `unlatch auth login github`"
    assert (meter.requests, server.requests) == (0, [])


def test_sdk_never_sees_the_token() -> None:
    with Faulty(OK) as server:
        answer = call(server, "GET")

    assert TOKEN not in repr(vars(answer.request))
    assert "Authorization" not in answer.request.headers


def test_unauthorised_says_which_token_it_was() -> None:
    with Faulty(reply(401)) as server:
        error = failure(server, "GET")

    assert error.hint == "the token came from the test; check that it is valid"


def test_transport_shows_no_secret() -> None:
    shown = repr(for_tests("github", "http://127.0.0.1:9", token=TOKEN))

    assert shown == "Transport('github', origin='http://127.0.0.1:9')"
