"""A request is sent again only if nothing was answered, and at most twice."""

from typing import Any

import pytest
from tests.transport.calling import free_port
from tests.transport.faulty import Faulty, Reply, reply
from tests.unlatch_efforts.llm.asking import HELLO, document, model, refusal

from unlatch.errors import ModelUnavailable
from unlatch.transport import Wait, measure
from unlatch.transport.testing import SkippingClock

HI = document({"content": "Hi"})


def busy(status: int = 429, seconds: str = "7") -> Reply:
    return reply(status, {"error": {"message": "busy"}}, headers={"Retry-After": seconds})


def waited(*replies: Reply, **options: Any) -> tuple[str | None, list[Wait], int]:
    """The text of the reply, the waits before it, and the number of requests."""
    waits: list[Wait] = []
    with Faulty(*replies) as server:
        found = model(server, on_wait=waits.append, **options)(HELLO)
    return found.choices[0].message.content, waits, len(server.requests)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_after_the_time_it_names(status: int) -> None:
    text, waits, count = waited(busy(status), HI)

    words = "asks to slow down" if status == 429 else "failed"
    assert ("Hi", 2) == (text, count)
    assert [Wait("llm", 7.0, f"the model server {words}: {status}, busy")] == waits


def test_it_is_asked_three_times_at_most() -> None:
    waits: list[Wait] = []
    with Faulty(otherwise=busy()) as server:
        error = refusal(server, on_wait=waits.append)

    assert ("llm-rate-limited", 7.0, 429) == (error.id, error.retry_after, error.status)
    assert (3, 2) == (len(server.requests), len(waits))


def test_a_wait_longer_than_allowed_is_an_error_at_once() -> None:
    waits: list[Wait] = []
    with Faulty(busy(seconds="61"), otherwise=HI) as server:
        error = refusal(server, on_wait=waits.append)

    assert (61.0, [], 1) == (error.retry_after, waits, len(server.requests))


def test_waits_of_several_requests_share_what_is_allowed() -> None:
    with Faulty(busy(seconds="40"), HI, busy(seconds="40"), otherwise=HI) as server:
        complete = model(server)
        complete(HELLO)
        with pytest.raises(ModelUnavailable):
            complete(HELLO)

    assert 3 == len(server.requests)


NO_TIME = [reply(status) for status in (429, 500, 502, 503, 504, 529)]
OTHERS = [busy(status) for status in (400, 401, 404, 500, 502, 529)]


@pytest.mark.parametrize("answer", [*NO_TIME, *OTHERS])
def test_only_a_busy_server_that_names_a_time_is_asked_again(answer: Reply) -> None:
    with Faulty(answer, otherwise=HI) as server:
        refusal(server)

    assert 1 == len(server.requests)


def test_a_server_that_was_not_reached_is_tried_twice_more() -> None:
    clock = SkippingClock()
    with measure() as meter:
        error = refusal(
            f"http://127.0.0.1:{free_port()}/v1",
            clock=clock,
            sleep=clock.sleep,
            jitter=lambda: 1.0,
        )

    assert ("llm-unreachable", 3) == (error.id, meter.requests)
    assert 1.6 == pytest.approx(clock.now)
