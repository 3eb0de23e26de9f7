"""Rate limits: reads wait for them, writes are never sent again; waits are shown and bounded."""

import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from tests.transport.calling import (
    TOKEN,
    WRITES,
    call,
    connected,
    covering,
    failure,
    nothing,
    transport,
)
from tests.transport.faulty import OK, Faulty, Reply, reply

from unlatch.errors import Conflict, Limited, TrackerError, UnknownOutcome, Unreachable
from unlatch.spi import Scheme
from unlatch.transport import Answer, Transport, TransportOptions, Wait
from unlatch.transport.credentials import Credential
from unlatch.transport.testing import SkippingClock

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(seconds=17)


def limited(headers: dict[str, str], *, status: int = 429) -> Reply:
    date = format_datetime(NOW, usegmt=True)
    return reply(status, {"message": "slow down"}, headers={"Date": date} | headers)


SPELLINGS: dict[str, dict[str, str]] = {
    "seconds": {"Retry-After": "17"},
    "date": {"Retry-After": format_datetime(LATER, usegmt=True)},
    "unix reset": {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(LATER.timestamp())),
    },
    "ISO reset": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2026-01-01T12:00:17Z"},
    "both": {"Retry-After": "17", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"},
}
WHY = "the tracker asks to slow down: 429, slow down"


@pytest.mark.parametrize("headers", SPELLINGS.values(), ids=SPELLINGS)
def test_read_waits_for_a_limit_which_is_shown(headers: dict[str, str]) -> None:
    waits: list[Wait] = []
    with Faulty(limited(headers), OK) as server:
        assert call(server, "GET", on_wait=waits.append).json() == {"ok": True}

    assert [Wait("github", 17.0, WHY)] == waits
    assert ["GET"] * 2 == server.methods


@pytest.mark.parametrize(("headers", "method"), covering(SPELLINGS, WRITES))
def test_limited_write_is_sent_once_and_the_next_request_waits(
    headers: dict[str, str], method: str
) -> None:
    waits: list[Wait] = []
    with connected(limited(headers), OK, on_wait=waits.append) as (server, session):
        with pytest.raises(Limited) as caught:
            session.request(method, server.url)
        assert (waits, server.methods) == ([], [method])
        session.get(server.url)

    assert ("rate-limited", 17.0) == (caught.value.id, caught.value.retry_after)
    assert [Wait("github", 17.0, WHY)] == waits
    assert [method, "GET"] == server.methods


@pytest.mark.parametrize(("headers", "method"), covering(SPELLINGS, WRITES))
def test_unavailable_write_is_unknown_and_the_next_request_waits(
    headers: dict[str, str], method: str
) -> None:
    waits: list[Wait] = []
    with connected(limited(headers, status=503), OK, on_wait=waits.append) as (server, session):
        with pytest.raises(UnknownOutcome):
            session.request(method, server.url)
        session.get(server.url)

    assert [17.0] == [wait.seconds for wait in waits]
    assert [method, "GET"] == server.methods


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 60.0),
        ({"Retry-After": "soon"}, 60.0),
        ({"Retry-After": "-5"}, 60.0),
        ({"Retry-After": "Thu, 32 Foo 2026"}, 60.0),
        ({"X-RateLimit-Reset": "1"}, 60.0),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "tomorrow"}, 60.0),
        ({"Retry-After": "1.5"}, 1.5),
        *(
            ({"Retry-After": value}, 60.0)
            for value in ("NaN", "inf", "-inf", "1e9", "-1", "0x10", "9" * 400, "\xb2")
        ),
    ],
)
def test_limit_that_names_no_time_is_a_minute(headers: dict[str, str], seconds: float) -> None:
    waits: list[Wait] = []
    with connected(reply(429, headers=headers), OK, on_wait=waits.append) as (server, session):
        with pytest.raises(Limited) as caught:
            session.post(server.url)
        session.get(server.url)

    assert seconds == caught.value.retry_after
    assert [seconds] == [wait.seconds for wait in waits]


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "999999999"},
        {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "999999999999"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9999-12-31T23:59:59Z"},
    ],
)
def test_limit_is_taken_for_a_day_at_the_most(headers: dict[str, str]) -> None:
    with Faulty(limited(headers)) as server:
        error = failure(server, "POST", max_wait=3600)

    assert isinstance(error, Limited)
    assert 86_400.0 == error.retry_after


def test_wait_beyond_the_budget_is_an_error_at_once_and_holds_the_next_request_back() -> None:
    waits: list[Wait] = []
    with connected(limited({"Retry-After": "61"}), otherwise=OK, on_wait=waits.append) as (
        server,
        session,
    ):
        with pytest.raises(Limited) as first:
            session.post(server.url)
        with pytest.raises(Limited) as second:
            session.get(server.url)

    assert (first.value.id, first.value.retry_after) == ("rate-limited", 61.0)
    assert (second.value.id, second.value.retry_after) == ("rate-limited", 61.0)
    assert server.methods == ["POST"]
    assert waits == []


def test_budget_is_for_all_waits_together() -> None:
    waits: list[Wait] = []
    hold = limited({"Retry-After": "25"})
    with connected(hold, OK, hold, OK, hold, OK, on_wait=waits.append) as (server, session):
        session.get(server.url)
        session.get(server.url)
        with pytest.raises(Limited, match="rate-limited"):
            session.get(server.url)

    assert [wait.seconds for wait in waits] == [25.0, 25.0]


def test_transport_says_which_waits_it_can_afford_and_spends_nothing() -> None:
    with Faulty(limited({"Retry-After": "40"}), otherwise=OK) as server:
        patient = transport(server, max_wait=50)
        with patient.session(nothing) as session:
            assert [True, False] == [patient.can_wait(seconds) for seconds in (50.0, 50.1)]
            with pytest.raises(Limited):
                session.post(server.url)
            assert [True, True, False] == [patient.can_wait(seconds) for seconds in (1, 40, 51)]
            session.get(server.url)
            assert [True, False] == [patient.can_wait(seconds) for seconds in (10.0, 10.1)]


def test_limit_that_does_not_end_is_given_up_after_three_attempts() -> None:
    with Faulty(otherwise=limited({"Retry-After": "1"})) as server:
        assert isinstance(failure(server, "GET"), Limited)

    assert server.methods == ["GET"] * 3


LAST = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(reply(202, {}, headers={"Retry-After": "9"}), id="accepted, look again"),
        pytest.param(reply(200, {}, headers=LAST), id="last of its quota"),
        pytest.param(limited({"Retry-After": format_datetime(NOW, usegmt=True)}), id="over"),
    ],
)
def test_answer_that_asks_for_no_wait_delays_nothing(answer: Reply) -> None:
    waits: list[Wait] = []
    with connected(answer, OK, OK, on_wait=waits.append) as (server, session):
        session.get(server.url)
        session.get(server.url)

    assert waits == []


@pytest.mark.parametrize(("headers", "seconds"), [({"Retry-After": "3"}, 3.0), ({}, 60.0)])
def test_limit_that_only_the_plugin_recognises_is_waited_for(
    headers: dict[str, str], seconds: float
) -> None:
    def explain(answer: Answer) -> TrackerError | None:
        return Limited("rate-limited", "secondary limit") if answer.status == 403 else None

    waits: list[Wait] = []
    with Faulty(limited(headers, status=403), OK) as server:
        call(server, "GET", explain=explain, on_wait=waits.append)

    assert [Wait("github", seconds, "secondary limit")] == waits


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_plugin_cannot_make_a_server_error_on_a_write_a_refusal(status: int) -> None:
    def explain(answer: Answer) -> TrackerError | None:
        return Limited("odd", f"{answer.status}, it says", retry_after=1.0)

    with Faulty(otherwise=reply(status)) as server:
        error = failure(server, "POST", explain=explain)

    assert (UnknownOutcome, f"{status}, it says") == (type(error), error.message)
    assert server.methods == ["POST"]


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("status", [409, 412])
def test_conflict_is_for_the_caller_to_plan_again(status: int, method: str) -> None:
    with Faulty(otherwise=reply(status, headers={"Retry-After": "1"})) as server:
        assert isinstance(failure(server, method), Conflict)

    assert [method] == server.methods


def test_stopping_ends_a_wait_and_sends_nothing_more(tmp_path: Path) -> None:
    waiting = threading.Event()
    errors: list[TrackerError] = []

    with Faulty(limited({"Retry-After": "50"}), otherwise=OK) as server:
        patient = Transport(
            "github",
            origin=server.url,
            credential=Credential(TOKEN, Scheme.BEARER, "the test"),
            cache=tmp_path,
            options=TransportOptions(on_wait=lambda _wait: waiting.set()),
        )
        session = patient.session(nothing)

        def work() -> None:
            try:
                session.get(server.url)
            except TrackerError as error:
                errors.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        assert waiting.wait(10)
        patient.stop()
        worker.join(10)
        with pytest.raises(Unreachable, match="interrupted"):
            session.get(server.url)
        session.close()

    assert [error.id for error in errors] == ["interrupted"]
    assert server.methods == ["GET"]


def test_backoff_grows_is_jittered_and_is_not_shown() -> None:
    clock = SkippingClock()
    waits: list[Wait] = []
    with Faulty(otherwise=reply(502)) as server:
        failure(server, "GET", clock=clock, on_wait=waits.append, max_wait=0)

    assert 0.8 <= clock.now <= 1.6
    assert waits == []
