"""The proxy forwards requests, and each fault has exactly its named effect."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from unlatch.testing import Fault, FaultKind, Proxy

SECONDS = 10


@dataclass
class Tracker:
    """A server that counts its requests, and names its own addresses."""

    url: str = ""
    done: list[str] = field(default_factory=list)
    origins: list[str | None] = field(default_factory=list)


@pytest.fixture
def tracker() -> Iterator[Tracker]:
    tracker = Tracker()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({"self": f"{tracker.url}{self.path}"})

        def do_POST(self) -> None:
            tracker.done.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer({"made": len(tracker.done)})

        def _answer(self, document: object) -> None:
            tracker.origins.append(self.headers["Origin"])
            body = json.dumps(document).replace("/", "\\/").encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Link", f'<{tracker.url}/next>; rel="next"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """The test needs no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        tracker.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield tracker
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(tracker: Tracker) -> Iterator[Proxy]:
    with Proxy(f"{tracker.url}/base") as proxy:
        yield proxy


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def test_addresses_are_translated_both_ways(
    tracker: Tracker, proxy: Proxy, session: requests.Session
) -> None:
    headers = {"Origin": proxy.origin}
    answer = session.get(f"{proxy.url}/items?page=2", headers=headers, timeout=SECONDS)
    assert answer.json() == {"self": f"{proxy.origin}/base/items?page=2"}
    assert answer.links["next"]["url"] == f"{proxy.origin}/next"
    assert tracker.origins == [tracker.url]
    assert [sent.request.target for sent in proxy.sent] == ["/base/items?page=2"]


ANSWERS = {
    FaultKind.FAILED_AFTER: (500, 1),
    FaultKind.BUSY_AFTER: (503, 1),
    FaultKind.FAILED_BEFORE: (500, 0),
    FaultKind.GATEWAY: (502, 0),
    FaultKind.LIMITED: (429, 0),
    FaultKind.LIMITED_UNTIL: (429, 0),
    FaultKind.REDIRECTED: (307, 0),
    FaultKind.UNAUTHORISED: (401, 0),
    FaultKind.FORBIDDEN: (403, 0),
    FaultKind.STALE: (412, 0),
    FaultKind.REFLECTED: (400, 0),
    FaultKind.INTERRUPTED: (200, 1),
}
SILENCES = {
    FaultKind.LOST_REPLY: 1,
    FaultKind.TRUNCATED: 1,
    FaultKind.TIMEOUT: 1,
    FaultKind.DROPPED: 0,
}


def test_every_kind_of_fault_is_tried_here() -> None:
    assert set(FaultKind) == {*ANSWERS, *SILENCES}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_comes_with_or_without_the_effect(
    kind: FaultKind, tracker: Tracker, proxy: Proxy, session: requests.Session
) -> None:
    proxy.arm(Fault(kind))
    answer = session.post(proxy.url, data="x", timeout=SECONDS, allow_redirects=False)
    assert ANSWERS[kind] == (answer.status_code, len(tracker.done))


@pytest.mark.parametrize("kind", SILENCES)
def test_no_answer_comes_with_or_without_the_effect(
    kind: FaultKind, tracker: Tracker, proxy: Proxy, session: requests.Session
) -> None:
    proxy.arm(Fault(kind))
    with pytest.raises(requests.RequestException):
        session.post(proxy.url, data="x", timeout=(SECONDS, 0.3))
    proxy.settle()
    assert SILENCES[kind] == len(tracker.done)
    assert session.post(proxy.url, data="y", timeout=SECONDS).ok


def test_a_fault_strikes_one_request_after_a_person_acted(
    tracker: Tracker, proxy: Proxy, session: requests.Session
) -> None:
    fault = Fault(
        FaultKind.INTERRUPTED,
        number=1,
        matches=lambda request: request.is_write,
        meanwhile=lambda: tracker.done.append("a person"),
    )
    proxy.arm(fault)
    for text in "abc":
        session.get(proxy.url, timeout=SECONDS)
        session.post(proxy.url, data=text, timeout=SECONDS)
    assert tracker.done == ["a", "a person", "b", "c"]
    assert [sent.faulted for sent in proxy.sent] == [False, False, False, True, False, False]


def test_a_reflected_request_shows_its_credential(proxy: Proxy, session: requests.Session) -> None:
    proxy.arm(Fault(FaultKind.REFLECTED))
    headers = {"Authorization": "Bearer of-bad-news"}
    answer = session.get(proxy.url, headers=headers, timeout=SECONDS)
    assert "of-bad-news" in answer.json()["message"]
