"""Requests that need no order are sent at the same time."""

from __future__ import annotations

import threading
import time

import pytest

from unlatch.errors import Rejected, Unreachable
from unlatch.transport import measure, reading, side_by_side
from unlatch.transport.request_context import count_request, is_write


def test_results_and_errors_come_in_the_order_of_the_tasks() -> None:
    refused = Rejected("no", "no")

    def slow() -> str:
        time.sleep(0.05)
        return "slow"

    def fails() -> str:
        raise refused

    assert ["slow", refused, "fast"] == side_by_side([slow, fails, lambda: "fast"])


def test_they_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3)

    assert {0, 1, 2} == set(side_by_side([lambda: meeting.wait(10)] * 3))


@pytest.mark.parametrize("error", [Unreachable("gone", "gone"), ValueError("a mistake")])
def test_a_failure_waits_for_the_others(error: Exception) -> None:
    has_failed, ended = threading.Event(), []

    def fails() -> None:
        has_failed.set()
        raise error

    def other() -> None:
        assert has_failed.wait(10)
        time.sleep(0.05)
        ended.append("other")

    if isinstance(error, Unreachable):
        assert [error, None] == side_by_side([fails, other])
    else:
        with pytest.raises(ValueError, match="a mistake"):
            side_by_side([fails, other])

    assert ["other"] == ended


def test_requests_count_as_those_of_the_caller() -> None:
    def request() -> bool:
        count_request()
        return is_write("POST")

    with measure() as meter, reading():
        writes = side_by_side([request] * 3)

    assert (3, [False] * 3) == (meter.requests, writes)
