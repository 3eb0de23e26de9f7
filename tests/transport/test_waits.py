"""Rate limits: waited out when the tracker says that it took nothing, shown, and bounded."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import TOKEN, call, connected, failure, nothing
from tests.transport.faulty import OK, Faulty, Reply, reply

from unlatch.errors import Conflict, TrackerError, Transient, UnknownOutcome
from unlatch.spi import Scheme
from unlatch.transport import Answer, Transport, Wait
from unlatch.transport.credential import Credential
from unlatch.transport.rehearsal import SkippingClock

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(seconds=17)


def limited(status: int = 429, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    date = format_datetime(NOW, usegmt=True)
    return reply(status, {"message": "slow down"}, headers={"Date": date} | named)


SPELLINGS = {
    "seconds": limited(Retry_After="17"),
    "date": limited(Retry_After=format_datetime(LATER, usegmt=True)),
    "unix reset": limited(X_RateLimit_Remaining="0", X_RateLimit_Reset=str(int(LATER.timestamp()))),
    "ISO reset": limited(X_RateLimit_Remaining="0", X_RateLimit_Reset="2026-01-01T12:00:17Z"),
    "both": limited(Retry_After="17", X_RateLimit_Remaining="0", X_RateLimit_Reset="1"),
}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("answer", SPELLINGS.values(), ids=SPELLINGS)
def test_limit_is_waited_out_and_shown(answer: Reply, method: str) -> None:
    waits: list[Wait] = []
    with Faulty(answer, OK) as server:
        assert call(server, method, on_wait=waits.append).json() == {"ok": True}

    why = "the tracker asks to slow down: 429, slow down"
    assert [Wait("github", 17.0, why)] == waits
    assert [method] * 2 == server.methods


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
    ],
)
def test_limit_that_names_no_time_is_a_minute(headers: dict[str, str], seconds: float) -> None:
    waits: list[Wait] = []
    with Faulty(reply(429, headers=headers), OK) as server:
        call(server, "POST", on_wait=waits.append)

    assert [seconds] == [wait.seconds for wait in waits]


def test_time_that_is_over_is_not_waited_for() -> None:
    waits: list[Wait] = []
    with Faulty(limited(Retry_After=format_datetime(NOW, usegmt=True)), OK) as server:
        call(server, "POST", on_wait=waits.append)

    assert waits == []


def test_wait_beyond_the_budget_is_an_error_at_once_and_holds_the_next_request_back() -> None:
    waits: list[Wait] = []
    with connected(limited(Retry_After="61"), otherwise=OK, on_wait=waits.append) as (
        server,
        session,
    ):
        with pytest.raises(Transient) as first:
            session.post(server.url)
        with pytest.raises(Transient) as second:
            session.get(server.url)

    assert (first.value.id, first.value.retry_after) == ("rate-limited", 61.0)
    assert (second.value.id, second.value.retry_after) == ("rate-limited", 61.0)
    assert server.methods == ["POST"]
    assert waits == []


def test_budget_is_for_all_waits_together() -> None:
    waits: list[Wait] = []
    hold = limited(Retry_After="25")
    with connected(hold, OK, hold, OK, hold, OK, on_wait=waits.append) as (server, session):
        session.post(server.url)
        session.post(server.url)
        with pytest.raises(Transient, match="rate-limited"):
            session.post(server.url)

    assert [wait.seconds for wait in waits] == [25.0, 25.0]


def test_limit_that_does_not_end_is_given_up_after_three_attempts() -> None:
    with Faulty(otherwise=limited(Retry_After="1")) as server:
        assert isinstance(failure(server, "POST"), Transient)

    assert server.methods == ["POST"] * 3


def test_throttling_on_a_success_delays_the_next_request_only() -> None:
    waits: list[Wait] = []
    slow = reply(200, {"ok": True}, headers={"Retry-After": "9"})
    with connected(slow, OK, on_wait=waits.append) as (server, session):
        session.post(server.url)
        assert waits == []
        session.post(server.url)

    assert [Wait("github", 9.0, "it asks to slow down")] == waits


def test_accepted_with_a_time_to_look_again_delays_nothing() -> None:
    waits: list[Wait] = []
    with connected(reply(202, {}, headers={"Retry-After": "9"}), OK, on_wait=waits.append) as (
        server,
        session,
    ):
        session.post(server.url)
        session.get(server.url)

    assert waits == []


def test_last_request_of_a_quota_delays_nothing() -> None:
    waits: list[Wait] = []
    last = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}
    with connected(reply(200, {}, headers=last), OK, on_wait=waits.append) as (server, session):
        session.get(server.url)
        session.get(server.url)

    assert waits == []


def test_unavailable_with_a_time_to_come_back_was_no_write() -> None:
    with Faulty(reply(503, headers={"Retry-After": "2"}), OK) as server:
        assert call(server, "POST").json() == {"ok": True}
    with Faulty(reply(503), OK) as server:
        assert isinstance(failure(server, "POST"), UnknownOutcome)


def test_limit_that_only_the_plugin_recognises_is_waited_out() -> None:
    def explain(answer: Answer) -> TrackerError | None:
        if answer.status == 403:
            return Transient("rate-limited", "secondary rate limit")
        return None

    waits: list[Wait] = []
    with Faulty(limited(403, Retry_After="3"), OK) as server:
        call(server, "POST", explain=explain, on_wait=waits.append)

    assert [Wait("github", 3.0, "secondary rate limit")] == waits


@pytest.mark.parametrize("status", [500, 502, 504])
def test_plugin_cannot_make_a_server_error_on_a_write_safe(status: int) -> None:
    def explain(answer: Answer) -> TrackerError | None:
        return Transient("odd", f"{answer.status}, it says", retry_after=1.0)

    with Faulty(otherwise=reply(status)) as server:
        failure(server, "POST", explain=explain)

    assert server.methods == ["POST"]


@pytest.mark.parametrize("method", ["GET", "PATCH"])
@pytest.mark.parametrize("status", [409, 412])
def test_conflict_is_for_the_caller_to_plan_again(status: int, method: str) -> None:
    with Faulty(otherwise=reply(status, headers={"Retry-After": "1"})) as server:
        assert isinstance(failure(server, method), Conflict)

    assert [method] == server.methods


def test_threads_share_a_pause_and_its_price() -> None:
    waits: list[Wait] = []
    with connected(limited(Retry_After="40"), otherwise=OK, on_wait=waits.append) as (
        server,
        session,
    ):
        threads = [threading.Thread(target=session.post, args=(server.url,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(server.requests) == 9
    assert sum(wait.seconds for wait in waits) <= 40.0


def test_stopping_ends_a_wait_and_sends_nothing_more(tmp_path: Path) -> None:
    waiting = threading.Event()
    errors: list[TrackerError] = []

    with Faulty(limited(Retry_After="50"), otherwise=OK) as server:
        patient = Transport(
            "github",
            origin=server.url,
            credential=Credential(TOKEN, Scheme.BEARER, "the test"),
            cache=tmp_path,
            on_wait=lambda _wait: waiting.set(),
        )
        session = patient.session(nothing)

        def work() -> None:
            try:
                session.post(server.url)
            except TrackerError as error:
                errors.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        assert waiting.wait(10)
        patient.stop()
        worker.join(10)
        with pytest.raises(Transient, match="interrupted"):
            session.get(server.url)
        session.close()

    assert [error.id for error in errors] == ["interrupted"]
    assert server.methods == ["POST"]


def test_backoff_grows_is_jittered_and_is_not_shown() -> None:
    clock = SkippingClock()
    waits: list[Wait] = []
    with Faulty(otherwise=reply(502)) as server:
        failure(server, "GET", clock=clock, on_wait=waits.append, max_wait=0)

    assert 0.8 <= clock.now <= 1.6
    assert waits == []
