"""A server that fails gets few requests, and after a command's time nothing new begins."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from tests.transport.calling import TOKEN, connected, nothing, transport
from tests.transport.faulty import CLOSED, OK, SILENCE, Faulty, reply

from unlatch.errors import TrackerError, Transient, UnknownOutcome
from unlatch.spi import Scheme
from unlatch.transport import (
    Transport,
    TransportOptions,
    finishing,
)
from unlatch.transport.breaker import CommandLimits
from unlatch.transport.credentials import Credential
from unlatch.transport.testing import SkippingClock

# Answers of servers that are down.
DOWN = {"silent": SILENCE, "closing": CLOSED, "503": reply(503, b"down"), "502": reply(502)}
# Answers about one item.
OF_ONE = (400, 403, 404, 409, 410, 412, 422)
MOST = 5


def failures(session: requests.Session, url: str, count: int, method: str = "GET") -> list[str]:
    """The ids of the errors of so many requests; "" for an answer."""
    ids = []
    for number in range(count):
        ids.append("")
        with suppress(TrackerError):
            try:
                session.request(method, f"{url}/item/{number}")
            except TrackerError as error:
                ids[-1] = error.id
                raise
    return ids


@pytest.mark.sample(2)
@pytest.mark.parametrize("answer", DOWN.values(), ids=DOWN)
@pytest.mark.parametrize("at_once", [1, 8])
def test_a_server_that_is_down_gets_five_requests_at_most(answer: object, at_once: int) -> None:
    with (
        Faulty(otherwise=answer) as server,  # type: ignore[arg-type]  # a Reply
        transport(server, timeouts=(30.0, 0.2)).session(nothing) as session,
        ThreadPoolExecutor(at_once) as pool,
    ):
        ids = [*pool.map(lambda _: failures(session, server.url, 5), range(8))]

        assert len(server.requests) <= MOST
        assert {"tracker-unavailable"} == {name for each in ids for name in each}


def test_one_request_that_always_fails_does_not_stop_the_others() -> None:
    with connected(*[CLOSED] * 3, otherwise=OK) as (server, session):
        ids = failures(session, server.url, 4)

    assert ["tracker-unavailable", "", "", ""] == ids
    with connected(*[reply(500)] * 3, otherwise=OK) as (server, session):
        ids = failures(session, server.url, 4)

    assert ["tracker-unavailable", "", "", ""] == ids


@pytest.mark.parametrize("status", [401, 502])
def test_writes_that_fail_end_although_reads_succeed(status: int) -> None:
    with (
        Faulty(*[OK, reply(status)] * 3, otherwise=OK) as server,
        transport(server).session(nothing) as session,
    ):
        for _ in range(3):
            session.get(server.url)
            with pytest.raises(TrackerError) as sent:
                session.post(server.url)
        with pytest.raises(TrackerError) as refused:
            session.get(server.url)

        assert ["GET", "POST"] * 3 == server.methods
        assert (False, True) == (sent.value.withheld, refused.value.withheld)
        assert not isinstance(refused.value, UnknownOutcome)
        assert sent.value.message == refused.value.message


@pytest.mark.sample(3)
@pytest.mark.parametrize("status", OF_ONE)
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_answers_about_items_never_end_the_requests(status: int, method: str) -> None:
    with connected(otherwise=reply(status)) as (server, session):
        failures(session, server.url, 12, method)

        assert 12 == len(server.requests)


def test_transports_of_one_command_share_the_failures(tmp_path: Path) -> None:
    command, clock = CommandLimits(), SkippingClock()
    with Faulty(otherwise=reply(503)) as server:
        for number in range(3):
            made = Transport(
                "jira",
                origin=server.url,
                credential=Credential(TOKEN, Scheme.BEARER, "the test"),
                cache=tmp_path / str(number),
                options=TransportOptions(clock=clock, sleep=clock.sleep, command=command),
            )
            with made.session(nothing) as session:
                failures(session, server.url, 4)

        assert len(server.requests) <= MOST


def limited(server: Faulty, folder: Path, clock: SkippingClock, seconds: float) -> Transport:
    options = TransportOptions(clock=clock, sleep=clock.sleep, command=CommandLimits(seconds))
    credential = Credential(TOKEN, Scheme.BEARER, "the test")
    return Transport(
        "jira", origin=server.url, credential=credential, cache=folder, options=options
    )


def test_after_the_time_of_a_command_nothing_new_is_sent(tmp_path: Path) -> None:
    clock = SkippingClock()
    with (
        Faulty(otherwise=OK) as server,
        limited(server, tmp_path, clock, 10.0).session(nothing) as session,
    ):
        session.get(server.url)
        clock.sleep(10.0)
        with pytest.raises(Transient) as caught:
            session.get(server.url)
        with finishing():
            session.post(server.url)

        assert ["GET", "POST"] == server.methods
    assert ("out-of-time", True) == (caught.value.id, caught.value.withheld)
    assert "--max-time" in caught.value.message


def test_a_wait_beyond_the_time_of_a_command_ends_it_at_once(tmp_path: Path) -> None:
    clock = SkippingClock()
    slow = reply(200, {}, headers={"Retry-After": "20"})
    with (
        Faulty(slow, otherwise=OK) as server,
        limited(server, tmp_path, clock, 10.0).session(nothing) as session,
    ):
        session.get(server.url)
        with pytest.raises(Transient, match="--max-time"):
            session.get(server.url)

        assert (0.0, 1) == (clock.now, len(server.requests))
