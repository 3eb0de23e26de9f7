"""Which token goes to which host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import responses

from unlatch.errors import UnlatchError
from unlatch.transport import open_transport
from unlatch_github import manifest
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings

if TYPE_CHECKING:
    from pathlib import Path

COMPANY = {
    "api_url": "https://ghe.example/api/v3",
    "web_url": "https://ghe.example",
    "repository": "octo/widgets",
}
PUBLIC = {"repository": "octo/widgets"}
RESIDENT = {"api_url": "https://api.acme.ghe.com", "web_url": "https://acme.ghe.com"}
TRUSTED = {"UNLATCH_TRUSTED_HOSTS": "ghe.example,api.acme.ghe.com"}


def _sent_token(settings: GithubSettings, folder: Path, env: dict[str, str]) -> str | None:
    """The token that a look at an issue would be sent with."""
    transport = open_transport(
        manifest,
        settings.base_url,
        env=env,
        cache=folder,
        keyring_get=lambda _service, _key: None,
        run=lambda argv: f"printed-for-{argv[-1]}",
    )
    with responses.RequestsMock() as server:
        server.get(f"{settings.api_url}/repos/octo/widgets/issues/4", status=404, json={})
        with pytest.raises(UnlatchError):
            GithubPlugin(settings, transport).read(settings.ref("octo/widgets", 4))
        (call,) = server.calls
        return str(call.request.headers["Authorization"]).removeprefix("Bearer ")


@pytest.mark.parametrize(
    ("where", "env", "token"),
    [
        (PUBLIC, {"GITHUB_TOKEN": "a", "GH_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c"}, "a"),
        (PUBLIC, {"GH_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c"}, "b"),
        (PUBLIC, {"GH_ENTERPRISE_TOKEN": "c"}, "printed-for-github.com"),
        (COMPANY, {"GITHUB_TOKEN": "a", "GH_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c"}, "c"),
        # GitHub Actions on the company's own server.
        (COMPANY, {"GITHUB_TOKEN": "a"}, "a"),
        (COMPANY, {}, "printed-for-ghe.example"),
        (RESIDENT, {"GH_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c"}, "b"),
    ],
)
def test_a_token_is_sent_to_its_own_host(
    tmp_path: Path, where: dict[str, str], env: dict[str, str], token: str
) -> None:
    settings = GithubSettings.model_validate(where)

    assert token == _sent_token(settings, tmp_path, {**TRUSTED, **env})


@pytest.mark.parametrize("name", ["GITHUB_SERVER_URL", "GITHUB_API_URL"])
def test_actions_on_a_companys_server_trust_it(tmp_path: Path, name: str) -> None:
    env = {"GITHUB_TOKEN": "a", name: "https://ghe.example/api/v3"}

    assert _sent_token(GithubSettings.model_validate(COMPANY), tmp_path, env) == "a"


def test_a_companys_server_that_nobody_trusts_gets_nothing(tmp_path: Path) -> None:
    env = {"GITHUB_TOKEN": "a", "GH_ENTERPRISE_TOKEN": "c"}

    with pytest.raises(UnlatchError, match="host-not-trusted:"):
        open_transport(manifest, COMPANY["api_url"], env=env, cache=tmp_path)


@pytest.mark.parametrize(
    ("api_url", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://ghe.example/api/v3", "https://ghe.example/api/graphql"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("https://gateway.example/github/api/v3", "https://gateway.example/github/api/graphql"),
    ],
)
def test_graphql_is_asked_beside_rest(tmp_path: Path, api_url: str, graphql: str) -> None:
    settings = GithubSettings(
        api_url=api_url, web_url="https://ghe.example", repository="octo/widgets"
    )
    trusted = "ghe.example,api.acme.ghe.com,gateway.example"
    env = {"GITHUB_TOKEN": "a", "UNLATCH_TRUSTED_HOSTS": trusted}
    transport = open_transport(manifest, api_url, env=env, cache=tmp_path)
    issue = {"__typename": "PullRequest", "number": 4}
    with responses.RequestsMock() as server:
        server.post(graphql, json={"data": {"a0": {"issueOrPullRequest": issue}}})

        found = GithubPlugin(settings, transport).read_many([settings.ref("octo/widgets", 4)])

        assert server.calls[0].request.headers["Authorization"] == "Bearer a"
    assert [str(one).partition(":")[0] for one in found.values()] == ["not-an-issue"]
