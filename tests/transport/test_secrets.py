"""The token is in no error, log or trace, after any failure."""

import base64
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.transport.calling import covering, everything_about
from tests.transport.faulty import (
    BROKEN_JSON,
    CHUNK_CUT,
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
from tests.transport.trackers import CREATE, NAMES, TRACKERS, opened

from unlatch.transport.trace import Trace

TOKEN = "T0ken-that/nobody+may=see"
ENCODED = base64.b64encode(f"me@corp.example:{TOKEN}".encode()).decode()
NAMELESS = base64.b64encode(f":{TOKEN}".encode()).decode()
FORMS = (TOKEN, ENCODED, NAMELESS, "T0ken-that%2Fnobody")

# A tracker, or a proxy before it, that repeats the request's header in everything that it says.
ECHO = f"you sent Basic {ENCODED}, Basic {NAMELESS} and Bearer {TOKEN}"
ECHOING = {"X-Debug": ECHO, "Location": f"https://example.invalid/?access_token={TOKEN}"}

FAULTS = {
    "closed": CLOSED,
    "reset": RESET,
    "timeout": SILENCE,
    "truncated": TRUNCATED,
    "chunk cut": CHUNK_CUT,
    "no HTTP": GARBAGE,
    "broken JSON": BROKEN_JSON,
    "unexpected JSON": OK,
    "list": reply(200, []),
    "page": reply(200, f"<html>{ECHO}".encode(), headers={"Content-Type": "text/html"}),
    "sign-in": reply(203, f"<html>{ECHO}".encode(), headers={"Content-Type": "text/html"}),
    "seraph": reply(200, {}, headers={"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"}),
    "echo in words": reply(400, ECHO.encode()),
} | {
    f"echo with {status}": reply(
        status, {"message": ECHO, "errorMessages": [ECHO]}, headers=ECHOING
    )
    for status in (301, 307, 400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 429, 500, 502, 503)
}


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


@pytest.mark.sample(8)
@pytest.mark.parametrize(("fault", "name"), covering(FAULTS, NAMES))
def test_token_is_never_shown(
    fault: Reply, name: str, tmp_path: Path, everything_logged: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "trace"
    with Faulty(otherwise=fault) as server, Trace(path) as trace:
        plugin, item = opened(name, server.url, token=TOKEN, trace=trace, timeouts=(1.0, 0.3))
        # Whatever is raised, also by an SDK that chokes on an answer: it must not tell.
        with pytest.raises(Exception) as reading:  # noqa: PT011
            plugin.read(item)
        with pytest.raises(Exception) as writing:  # noqa: PT011
            plugin.create(CREATE)
        sent = [request.headers["authorization"] for request in server.requests]

    assert sent, "the fault was never met"
    assert all(any(form in header for form in FORMS) for header in sent)
    shown = "\n".join(
        [*map(everything_about, (reading.value, writing.value)), everything_logged.text]
    )
    shown += path.read_text()
    assert [form for form in FORMS if form in shown] == []


def test_every_tracker_is_in_the_table() -> None:
    assert tuple(TRACKERS) == NAMES
