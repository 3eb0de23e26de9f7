"""A tracker that says that it is pressed gets one request at a time for a while."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import nothing
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from unlatch.transport import for_tests
from unlatch.transport.testing import SkippingClock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

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


@pytest.mark.parametrize("headers", PRESSED.values(), ids=PRESSED)
def test_one_at_a_time_while_it_is_pressed(headers: dict[str, str]) -> None:
    assert most_at_once(headers, expected=1) == 1


@pytest.mark.parametrize("headers", AT_EASE.values(), ids=AT_EASE)
def test_side_by_side_while_it_is_at_ease(headers: dict[str, str]) -> None:
    assert most_at_once(headers, expected=CALLERS) == CALLERS


def test_side_by_side_again_when_the_time_is_over() -> None:
    assert most_at_once({"X-RateLimit-Delay": "1"}, CALLERS, passing=301) == CALLERS


def test_it_says_itself_when_the_time_is_over() -> None:
    headers = {"X-RateLimit-Delay": "1", "X-RateLimit-Reset": "1"}
    assert most_at_once(headers, CALLERS) == CALLERS
