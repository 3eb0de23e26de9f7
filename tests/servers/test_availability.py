"""Without a server its tests skip with the reason, on CI they fail; no process is left behind."""

import os
import sys
from pathlib import Path

import pytest
import requests
from tests.servers.availability import skipped_unless_available
from tests.servers.process import (
    Command,
    NotStarted,
    Unavailable,
    free_session,
    running,
)

SERVE = "import sys, http.server as s; s.test(s.SimpleHTTPRequestHandler, port=int(sys.argv[1]))"


def _answers(url: str) -> bool:
    with free_session() as session:
        return session.get(url, timeout=5).ok


def test_a_missing_server_skips_with_its_reason() -> None:
    with pytest.raises(pytest.skip.Exception, match="no network"), skipped_unless_available({}):
        raise Unavailable("no network")


def test_a_missing_server_fails_on_ci() -> None:
    with (
        pytest.raises(pytest.fail.Exception, match="no network"),
        skipped_unless_available({"CI": "true"}),
    ):
        raise Unavailable("no network")


def test_a_server_is_gone_after_its_block(tmp_path: Path) -> None:
    def command(port: int) -> Command:
        return Command(argv=[sys.executable, "-c", SERVE, str(port)], env=os.environ)

    with running(command, folder=tmp_path, answers=_answers) as url:
        assert _answers(url)

    with pytest.raises(requests.ConnectionError):
        _answers(url)


def test_a_server_that_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    def command(port: int) -> Command:
        program = f"raise SystemExit('no teapot on {port}')"
        return Command(argv=[sys.executable, "-c", program], env=os.environ)

    with (
        pytest.raises(NotStarted, match="no teapot"),
        running(command, folder=tmp_path, answers=_answers),
    ):
        pytest.fail("nothing answers")
