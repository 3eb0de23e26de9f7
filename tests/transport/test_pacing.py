"""Requests are sent no faster than a tracker publishes, and one at a time while it is pressed."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.transport.calling import nothing
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from unlatch.errors import Limited, Unreachable
from unlatch.transport import Wait, for_tests
from unlatch.transport.rate_limits import Pace, Pacer
from unlatch.transport.testing import SkippingClock

CALLERS = 4
PRESSED = {
    "held back": {"X-RateLimit-Delay": "1.5"},
    "asked to wait": {"Retry-After": "1"},
    "nearly used up": {"X-RateLimit-Limit": "200", "X-RateLimit-Remaining": "19"},
    "used up": {"X-RateLimit-Limit": "200", "X-RateLimit-Remaining": "0"},
}
AT_EASE = {
    "nothing said": {},
    "no delay": {"X-RateLimit-Delay": "0"},
    "not a number": {"X-RateLimit-Delay": "soon"},
    "enough left": {"X-RateLimit-Limit": "200", "X-RateLimit-Remaining": "20"},
    "no limit told": {"X-RateLimit-Remaining": "3"},
}


class Counter:
    """Answers when as many requests are inside as were waited for, and tells the most of them.

    The first request is answered at once, with the given headers.
    """

    def __init__(self, headers: dict[str, str], expected: int) -> None:
        self._headers = headers
        self._expected = expected
        self._changed = threading.Condition()
        self._inside = 0
        self.most = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = Request(environ)
        answer = Response(b"{}", content_type="application/json")
        if request.path == "/first":
            answer.headers.update(self._headers)
        else:
            self._wait_for_others()
        return answer(environ, start_response)

    def _wait_for_others(self) -> None:
        with self._changed:
            self._inside += 1
            self.most = max(self.most, self._inside)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._expected, timeout=10)
            self._inside -= 1


def most_at_once(headers: dict[str, str], expected: int, *, passing: float = 0.0) -> int:
    """How many of several requests are on their way together after an answer with `headers`."""
    counter, clock = Counter(headers, expected), SkippingClock()
    with serving(counter) as url:
        transport = for_tests("ado", url, token="t", clock=clock)
        with transport.session(nothing) as session, ThreadPoolExecutor(CALLERS) as pool:
            session.get(f"{url}/first")
            clock.now += passing
            list(pool.map(lambda _: session.get(f"{url}/next"), range(CALLERS)))
    return counter.most


class serving:  # noqa: N801  (reads as a statement)
    """The counter on a port of its own."""

    def __init__(self, counter: Counter) -> None:
        self._server = make_server("127.0.0.1", 0, counter, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.port}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.mark.sample(2)
@pytest.mark.parametrize("headers", PRESSED.values(), ids=PRESSED)
def test_one_at_a_time_while_it_is_pressed(headers: dict[str, str]) -> None:
    assert most_at_once(headers, expected=1) == 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("headers", AT_EASE.values(), ids=AT_EASE)
def test_side_by_side_while_it_is_at_ease(headers: dict[str, str]) -> None:
    assert most_at_once(headers, expected=CALLERS) == CALLERS


def test_it_says_itself_when_the_time_is_over() -> None:
    headers = {"X-RateLimit-Delay": "1", "X-RateLimit-Reset": "1"}
    assert most_at_once(headers, CALLERS) == CALLERS


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


def test_many_in_a_row_are_a_second_apart() -> None:
    track = Track(PUBLISHED)

    assert [0.0] * 5 + [1.0, 2.0, 3.0, 4.0] == track.moments(9)
    assert track.waits == []


def test_time_that_passed_is_no_longer_waited_and_after_a_pause_a_few_are_free() -> None:
    track = Track(PUBLISHED)
    track.moments(5)
    track.clock.now += 0.75

    assert track.moments(2) == [1.0, 2.0]

    track = Track(PUBLISHED)
    track.moments(7)
    track.clock.now = 100.0

    assert [100.0] * 5 + [101.0] == track.moments(6)


def test_no_window_ever_holds_more_or_less_than_is_published() -> None:
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
