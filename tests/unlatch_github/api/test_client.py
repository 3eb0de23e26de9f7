"""All of PyGithub's requests go through our adapter and to our address."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import responses
from github import Github
from github.Requester import HTTPSRequestsConnectionClass
from tests.unlatch_github.making import (
    OP,
    REOPEN,
    act,
    bodies,
    closed_issue,
    labels,
    ref,
    state,
    text,
)

from unlatch.spi import ItemRef, hidden
from unlatch.transport import for_tests, measure
from unlatch_github.plugin import GithubPlugin
from unlatch_github.settings import GithubSettings

if TYPE_CHECKING:
    from requests import PreparedRequest

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


def test_worker_threads_share_a_plugin_and_every_request_passes_the_adapter(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    numbers = [closed_issue(box, labels=("completed", f"own-{index}")) for index in range(12)]

    def reopen(number: int) -> int:
        with measure() as meter:
            act(plugin, ref(box, number), replace(REOPEN, comment=text(f"because of {number}")))
        return meter.requests

    with ThreadPoolExecutor(max_workers=6) as pool:
        counted = list(pool.map(reopen, numbers))

    assert counted == [5] * len(numbers)
    assert box.requests.count("github") == sum(counted)
    for index, number in enumerate(numbers):
        assert state(box, number) == ("open", "reopened")
        assert bodies(box, number) == [f"**Reopened**: because of {number}\n\n{hidden(OP)}"]
        assert labels(box, number) == [f"own-{index}", "reopened"]


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


@responses.activate
def test_a_clock_that_is_years_ahead_does_not_hide_a_created_issue(
    enterprise: GithubPlugin,
) -> None:
    _answers_with_issues(2_000, marked=999)

    found = enterprise.find_created(OP, datetime(2105, 11, 2, tzinfo=UTC))

    assert found is not None
    assert found.title == "The marked one"
    assert len(responses.calls) == 11
    assert responses.calls[0].request.url == (
        f"{API}/repos/octo/widgets/issues?direction=desc&per_page=100&sort=created&state=all"
    )


@pytest.mark.parametrize(("day", "pages"), [(1, 20), (2, 20), (3, 11)])
@responses.activate
def test_the_search_for_a_created_issue_ends_a_day_before_the_intent(
    enterprise: GithubPlugin, day: int, pages: int
) -> None:
    _answers_with_issues(2_000, marked=-1)

    assert enterprise.find_created(OP, datetime(2025, 11, day, tzinfo=UTC)) is None

    assert len(responses.calls) == pages


@responses.activate
def test_github_itself_is_the_default() -> None:
    settings = GithubSettings()
    plugin = GithubPlugin(settings, for_tests("github", settings.base_url, token="a-token"))
    responses.get("https://api.github.com/repos/octo/widgets/issues/4", json=_issue("Smart"))

    item = plugin.read(settings.ref("octo/widgets", 4)).item

    assert (item.title, item.ref.url) == ("Smart", "https://github.com/octo/widgets/issues/4")
    assert item.type == "Bug"
    assert responses.calls[0].request.headers["Authorization"] == "Bearer a-token"


@responses.activate
def test_an_answer_without_a_charset_is_read_as_utf_8(enterprise: GithubPlugin) -> None:
    body = json.dumps(_issue("Übergröße 検索"), ensure_ascii=False).encode()
    responses.get(f"{API}/repos/octo/widgets/issues/4", body, content_type="application/json")

    assert enterprise.read(ISSUE_4).item.title == "Übergröße 検索"


def test_pygithub_keeps_its_own_connections_for_everybody_else(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    plugin.read(ref(box, closed_issue(box)))

    theirs = Github().requester

    assert theirs._Requester__connectionClass is HTTPSRequestsConnectionClass  # type: ignore[attr-defined]  # its only trace


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
