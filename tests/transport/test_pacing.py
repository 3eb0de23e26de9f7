"""Requests of one kind are sent no faster than is published, and a few of them at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from unlatch.errors import Limited, Unreachable
from unlatch.transport import Wait, for_tests
from unlatch.transport.rate_limits import Pace, Pacer
from unlatch.transport.testing import SkippingClock

PUBLISHED = Pace(limits=((80, 60.0), (500, 3600.0)), apart=1.0, free=5)
WHY = "so many are allowed"


class Track:
    """A pacer on skipped time, and its reported waits."""

    def __init__(self, pace: Pace, *, max_wait: float = 60.0) -> None:
        self.clock = SkippingClock()
        self.waits: list[Wait] = []
        transport = for_tests(
            "github",
            "https://tracker.example",
            token="t",
            max_wait=max_wait,
            on_wait=self.waits.append,
            clock=self.clock,
        )
        self.stop = transport.stop
        self.pacer: Pacer = transport.pacer(pace, why=WHY)

    def moments(self, count: int) -> list[float]:
        """When each of so many was let through."""
        found = []
        for _ in range(count):
            self.pacer.turn()
            found.append(self.clock.now)
        return found


def test_a_few_need_no_space() -> None:
    assert [0.0] * 5 == Track(PUBLISHED).moments(5)


def test_many_in_a_row_are_a_second_apart() -> None:
    track = Track(PUBLISHED)

    assert [0.0] * 5 + [1.0, 2.0, 3.0, 4.0] == track.moments(9)
    assert track.waits == []


def test_time_that_passed_otherwise_is_no_longer_waited() -> None:
    track = Track(PUBLISHED)
    track.moments(5)
    track.clock.now += 0.75

    assert track.moments(2) == [1.0, 2.0]


def test_after_a_pause_a_few_are_free_again() -> None:
    track = Track(PUBLISHED)
    track.moments(7)
    track.clock.now = 100.0

    assert [100.0] * 5 + [101.0] == track.moments(6)


def test_no_window_ever_holds_more_than_is_published() -> None:
    track = Track(PUBLISHED, max_wait=10_000.0)
    moments = []
    for index in range(1_200):
        track.pacer.turn()
        moments.append(track.clock.now)
        if index % 97 == 0:
            track.clock.now += 30.0

    for count, seconds in PUBLISHED.limits:
        spans = [late - early for early, late in zip(moments, moments[count:], strict=False)]
        assert min(spans) >= seconds


def test_it_is_not_slower_than_is_published() -> None:
    track = Track(PUBLISHED, max_wait=10_000.0)

    # The last of a thousand comes with the second five hundred, an hour after the first.
    assert track.moments(1_000)[-1] < 3600.0 + 500.0


def test_a_wait_for_a_limit_is_shown_once_and_says_why() -> None:
    track = Track(Pace(limits=((2, 30.0),), apart=0.0, free=10))

    assert track.moments(4) == [0.0, 0.0, 30.0, 30.0]
    assert track.waits == [Wait("github", 30.0, WHY)]


def test_a_limit_that_lasts_longer_than_may_be_waited_is_an_error_and_takes_no_place() -> None:
    track = Track(Pace(limits=((2, 3600.0),), apart=0.0, free=1))
    track.moments(2)

    for _ in range(9):
        with pytest.raises(Limited) as caught:
            track.pacer.turn()

    assert (caught.value.id, caught.value.retry_after) == ("rate-limited", 3600.0)
    assert WHY in caught.value.message
    assert track.clock.now == 0.0
    track.clock.now = 3600.0
    assert track.moments(2) == [3600.0, 3600.0]


def test_an_interruption_ends_the_wait() -> None:
    track = Track(PUBLISHED)
    track.moments(5)
    track.stop()

    with pytest.raises(Unreachable, match="interrupted:"):
        track.pacer.turn()


def test_threads_take_turns() -> None:
    clock, lock = SkippingClock(), Lock()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        with lock:
            slept.append(seconds)

    clock.sleep = sleep  # type: ignore[method-assign]  # time stands still, so none passes twice
    pacer = for_tests("github", "https://tracker.example", token="t", clock=clock).pacer(
        Pace(limits=((100, 60.0),), apart=1.0, free=2), why=WHY
    )

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: pacer.turn(), range(10)))

    assert [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] == sorted(slept)
