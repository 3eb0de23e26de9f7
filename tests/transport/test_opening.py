"""From a manifest and an address to requests with a token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.transport.calling import nothing
from tests.transport.faulty import OK, Faulty

import unlatch_github
import unlatch_jira
from unlatch.errors import Unauthorised, UnlatchError
from unlatch.transport import open_transport
from unlatch.transport.trust import TrustedHosts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.spi import Manifest
    from unlatch.transport import Transport

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


def test_token_is_found_and_sent(tmp_path: Path) -> None:
    with Faulty(OK) as server:
        env = {"UNLATCH_TRUSTED_HOSTS": f"github=127.0.0.1:{server.port}", "GH_TOKEN": "tok"}
        transport = opened(server.url, tmp_path, env, keyring_get=never, run=never)
        with transport.session(nothing) as session:
            session.get(server.url)

    assert server.requests[0].headers["authorization"] == "Bearer tok"
    assert transport.cache.is_dir()


def test_program_is_asked_for_the_host_that_people_know(tmp_path: Path) -> None:
    asked: list[tuple[str, ...]] = []

    opened("https://api.github.com", tmp_path, {}, run=asked.append)

    assert asked == [("gh", "auth", "token", "--hostname", "github.com")]


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
