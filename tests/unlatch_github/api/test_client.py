"""PyGithub's requests go through our adapter, at the published pace, with the right token."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import responses
from requests import PreparedRequest
from tests.unlatch_github.making import (
    OP,
    REOPEN,
    act,
    closed_issue,
    ref,
    sent,
    settings_for,
    state,
)

from unlatch.errors import Transient, UnlatchError
from unlatch.spi import ItemRef, hidden
from unlatch.transport import Wait, for_tests, open_transport
from unlatch.transport.testing import SkippingClock
from unlatch_github import manifest
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings
from unlatch_sandbox import Sandbox

API = "https://ghe.example/api/v3"
WEB = "https://ghe.example"


@pytest.fixture
def enterprise() -> GithubPlugin:
    settings = GithubSettings(api_url=API, web_url=WEB, repository="octo/widgets")
    return GithubPlugin(settings, for_tests("github", API, token="a-token"))


def _comment(number: int, body: str) -> dict[str, object]:
    return {"id": number, "body": body, "created_at": "2025-11-01T09:00:00Z"}


ISSUE_4 = ItemRef("github", "octo/widgets", "4", f"{WEB}/octo/widgets/issues/4")


@responses.activate
def test_an_enterprise_servers_path_is_kept_and_the_next_page_is_asked_for_there(
    enterprise: GithubPlugin,
) -> None:
    path = f"{API}/repos/octo/widgets/issues/4/comments"
    # A server behind a gateway names itself as it knows itself.
    next_page = "http://inner:8080/api/v3/repositories/7/issues/4/comments?page=2&per_page=100"
    responses.get(path, json=[_comment(1, "x")], headers={"Link": f'<{next_page}>; rel="next"'})
    responses.get(f"{API}/repositories/7/issues/4/comments", json=[_comment(2, hidden(OP))])

    found = enterprise.find_comments(ISSUE_4, OP)

    assert [comment.id for comment in found] == ["2"]
    first, second = [call.request for call in responses.calls]
    assert first.url == f"{path}?per_page=100"
    assert second.url == f"{API}/repositories/7/issues/4/comments?page=2&per_page=100"
    assert second.headers["X-GitHub-Api-Version"] == "2022-11-28"


def _answers_with_issues(count: int, marked: int) -> None:
    """Issues of long ago, a hundred on a page, the newest first; one of them has the marker."""
    path = f"{API}/repos/octo/widgets/issues"

    def page(request: PreparedRequest) -> tuple[int, dict[str, str], str]:
        number = int(parse_qs(urlsplit(str(request.url)).query).get("page", ["1"])[0])
        places = range((number - 1) * 100, min(number * 100, count))
        issues = [_listed(count - place, is_marked=place == marked) for place in places]
        more = {"Link": f'<{path}?page={number + 1}>; rel="next"'} if number * 100 < count else {}
        return 200, more, json.dumps(issues)

    responses.add_callback("GET", path, page)
    responses.get(f"{path}/{count - marked}", json=_issue("The marked one"))


def _listed(number: int, *, is_marked: bool) -> dict[str, object]:
    return {
        "number": number,
        "body": hidden(OP) if is_marked else "",
        "created_at": "2025-11-01T09:00:00Z",
        "user": {"login": "octocat", "type": "User"},
        "author_association": "OWNER",
    }


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize(("day", "pages"), [(1, 20), (2, 20), (3, 11)])
@responses.activate
def test_the_search_for_a_created_issue_ends_a_day_before_the_intent(
    enterprise: GithubPlugin, day: int, pages: int
) -> None:
    _answers_with_issues(2_000, marked=-1)

    assert enterprise.find_created(OP, datetime(2025, 11, day, tzinfo=UTC)) is None

    assert len(responses.calls) == pages


def _issue(title: str) -> dict[str, object]:
    return {
        "number": 4,
        "title": title,
        "state": "open",
        "state_reason": None,
        "labels": [],
        "assignee": None,
        "body": None,
        "updated_at": "2025-11-01T09:00:00Z",
        "type": {"name": "Bug"},
    }


class Paced:
    """A plugin on time that only its waits let pass."""

    def __init__(self, box: Sandbox, *, max_wait: float = 60.0) -> None:
        self.clock = SkippingClock()
        self.waits: list[Wait] = []
        settings = settings_for(box)
        transport = for_tests(
            *("github", settings.base_url),
            token=box.github.token,
            clock=self.clock,
            max_wait=max_wait,
            on_wait=self.waits.append,
        )
        self.plugin = GithubPlugin(settings, transport)


def test_an_hours_limit_leaves_the_rest_for_later_and_touches_nothing_of_it(box: Sandbox) -> None:
    paced = Paced(box)
    for _ in range(500):
        paced.plugin._pacer.turn()
    number = closed_issue(box)

    with pytest.raises(Transient, match="rate-limited:") as caught:
        act(paced.plugin, ref(box, number), REOPEN)

    assert "500 comments and issues an hour" in caught.value.message
    assert caught.value.retry_after is not None
    assert 3000 < caught.value.retry_after < 3600
    # The read is free of this limit; nothing was written.
    assert (sent(box), state(box, number)[0]) == ([f"GET /issues/{number}"], "closed")


COMPANY = {
    "api_url": "https://ghe.example/api/v3",
    "web_url": "https://ghe.example",
    "repository": "octo/widgets",
}
PUBLIC = {"repository": "octo/widgets"}
RESIDENT = {"api_url": "https://api.acme.ghe.com", "web_url": "https://acme.ghe.com"}
TRUSTED = {"UNLATCH_TRUSTED_HOSTS": "github=ghe.example,github=api.acme.ghe.com"}


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
    hosts = ("ghe.example", "api.acme.ghe.com", "gateway.example")
    trusted = ",".join(f"github={host}" for host in hosts)
    env = {"GITHUB_TOKEN": "a", "UNLATCH_TRUSTED_HOSTS": trusted}
    transport = open_transport(manifest, api_url, env=env, cache=tmp_path)
    issue = {"__typename": "PullRequest", "number": 4}
    with responses.RequestsMock() as server:
        server.post(graphql, json={"data": {"a0": {"issueOrPullRequest": issue}}})

        found = GithubPlugin(settings, transport).read_many([settings.ref("octo/widgets", 4)])

        assert server.calls[0].request.headers["Authorization"] == "Bearer a"
    assert [str(one).partition(":")[0] for one in found.values()] == ["not-an-issue"]
