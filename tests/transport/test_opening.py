"""From a manifest and an address to requests with a token, when needed and side by side."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.transport.calling import nothing
from tests.transport.faulty import OK, Faulty

import unlatch.transport
import unlatch_github
import unlatch_jira
from unlatch.errors import Unauthorised, UnlatchError, Unreachable
from unlatch.spi import Manifest
from unlatch.transport import Transport, measure, open_transport, reading, side_by_side
from unlatch.transport.request_context import count_request, is_write
from unlatch.transport.trust import TrustedHosts

GITHUB = unlatch_github.manifest


def never(*_arguments: object) -> str | None:
    raise AssertionError("this place must not be asked")


def nobody(*_arguments: object) -> str | None:
    return None


def opened(
    url: str, tmp_path: Path, env: dict[str, str], manifest: Manifest = GITHUB, **options: Any
) -> Transport:
    settings: dict[str, Any] = {"keyring_get": nobody, "run": nobody, **options}
    return open_transport(manifest, url, env=env, cache=tmp_path / "a" / "cache", **settings)


@pytest.mark.parametrize("ask", [never, nobody])
def test_no_place_is_asked_for_a_token_that_could_not_be_sent(
    ask: Callable[..., str | None], tmp_path: Path
) -> None:
    env = {"GITHUB_TOKEN": "tok"}
    with pytest.raises(UnlatchError, match="host-not-trusted:"):
        opened("https://evil.example", tmp_path, env, keyring_get=ask, run=ask)


def test_missing_token_is_said_by_the_first_request(tmp_path: Path) -> None:
    with Faulty(otherwise=OK) as server:
        transport = opened(
            server.url, tmp_path, {}, trusted=TrustedHosts({"github": ["127.0.0.1"]}, {})
        )
        with transport.session(nothing) as session, pytest.raises(Unauthorised) as caught:
            session.get(server.url)

    hint = "set GITHUB_TOKEN or GH_TOKEN, or run `unlatch auth login github`"
    assert (caught.value.id, caught.value.hint) == ("credential-missing", hint)
    assert server.requests == []


def test_half_a_credential_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(Unauthorised, match="JIRA_EMAIL is not"):
        opened(
            "https://acme.atlassian.net", tmp_path, {"JIRA_API_TOKEN": "t"}, unlatch_jira.manifest
        )


HEAVY = "'requests', 'urllib3', 'keyring', 'idna', 'github', 'jira', 'msrest'"
MODULES = (
    *("unlatch.transport", "unlatch.transport.answer", "unlatch.transport.credentials"),
    *("unlatch.transport.trace", "unlatch.transport.trace", "unlatch.transport.trust"),
    "unlatch.transport.rate_limits",
)


def test_imports_are_cheap() -> None:
    code = (
        f"import importlib, sys\nfor name in {MODULES}:\n    importlib.import_module(name)\n"
        f"    print(name, [m for m in ({HEAVY}) if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [f"{name} []" for name in MODULES]


def test_what_is_lazy_is_there() -> None:
    assert all(callable(getattr(unlatch.transport, name)) for name in unlatch.transport.__all__)
    assert not hasattr(unlatch.transport, "nothing")


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
