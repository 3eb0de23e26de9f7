"""The way to the tracker: TLS, CA bundles and proxies, as the environment says."""

from pathlib import Path

import pytest
from tests.transport.calling import TOKEN, call, connected, failure, free_port, nothing
from tests.transport.certificates import NAME, server_context
from tests.transport.faulty import (
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
from tests.transport.tunnel import Tunnel

from unlatch.errors import Rejected, Transient, UnknownOutcome, Unreachable
from unlatch.transport import for_tests, measure


@pytest.fixture(autouse=True)
def no_ca_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("verify", [True, False, None])
def test_unknown_certificate_is_refused_before_anything_is_sent(
    tmp_path: Path, *, verify: bool | None
) -> None:
    context, _ = server_context(tmp_path)
    with (
        connected(otherwise=OK, tls=context) as (server, session),
        pytest.raises(Rejected, match="certificate-not-trusted:") as caught,
    ):
        session.post(server.url, verify=verify)

    assert "REQUESTS_CA_BUNDLE" in (caught.value.hint or "")
    assert server.requests == []


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_ca_bundle_of_the_environment_is_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, bundle = server_context(tmp_path)
    monkeypatch.setenv(name, str(bundle))
    with Faulty(OK, tls=context) as server:
        assert call(server, "POST").json() == {"ok": True}


def test_ca_bundle_that_is_not_there_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, _ = server_context(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "nothing.pem"))
    with Faulty(otherwise=OK, tls=context) as server:
        error = failure(server, "POST")

    assert (type(error), error.id) == (Rejected, "ca-bundle-missing")


@pytest.mark.parametrize(("method", "attempts"), [("GET", 3), ("POST", 1)])
@pytest.mark.parametrize("answer", [reply(407), reply(502)])
def test_proxy_that_refuses_was_no_write_and_its_password_is_not_told(
    answer: Reply, method: str, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Faulty(otherwise=answer) as proxy, measure() as meter:
        address = proxy.url.replace("//", "//someone:pr0xy-pass@")
        monkeypatch.setenv("HTTPS_PROXY", address)
        url = "https://tracker.example"
        with (
            for_tests("jira", url, token=TOKEN).session(nothing) as session,
            pytest.raises(Unreachable, match="proxy-unreachable:") as caught,
        ):
            session.request(method, url)

    assert "pr0xy-pass" not in f"{vars(caught.value)} {caught.value.__cause__}"
    assert [request.method for request in proxy.requests] == ["CONNECT"] * attempts
    assert attempts == meter.requests
    assert not any(TOKEN in repr(request) for request in proxy.requests)


SILENCES = {
    "closed": CLOSED,
    "reset": RESET,
    "timeout": SILENCE,
    "truncated": TRUNCATED,
    "no HTTP": GARBAGE,
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES)
def test_write_that_reached_the_tracker_through_a_proxy_is_unknown_without_an_answer(
    silence: Reply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, bundle = server_context(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with Faulty(silence, otherwise=OK, tls=context) as server, Tunnel(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        url, timeouts = f"https://{NAME}", (30.0, server.patience)
        with (
            for_tests("jira", url, token=TOKEN, timeouts=timeouts).session(nothing) as session,
            pytest.raises(UnknownOutcome),
        ):
            session.post(url)

    assert ["POST"] == server.methods


@pytest.mark.parametrize(
    ("method", "kind"), [("GET", Transient), ("POST", UnknownOutcome)], ids=["read", "write"]
)
def test_proxy_that_says_nothing_proves_nothing(
    method: str, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Faulty(otherwise=CLOSED) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        url = f"https://{NAME}"
        with (
            for_tests("jira", url, token=TOKEN).session(nothing) as session,
            pytest.raises(kind) as caught,
        ):
            session.request(method, url)

    assert kind is type(caught.value)


def test_proxy_that_is_not_there_was_no_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{free_port()}")
    url = f"https://{NAME}"
    with (
        for_tests("jira", url, token=TOKEN).session(nothing) as session,
        pytest.raises(Unreachable) as caught,
    ):
        session.post(url)

    assert "proxy-unreachable" == caught.value.id


def test_what_stays_on_this_machine_passes_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with Faulty(otherwise=OK) as proxy, Faulty(OK) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        call(server, "GET")

    assert (proxy.requests, server.methods) == ([], ["GET"])
