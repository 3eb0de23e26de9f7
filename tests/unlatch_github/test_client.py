"""PyGithub's requests go through our adapter and to our address, whoever sends them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import responses
from github import Github
from github.Requester import HTTPSRequestsConnectionClass
from tests.unlatch_github.making import (
    OP,
    REOPEN,
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
    from unlatch.sandbox import Sandbox

API = "https://ghe.example/api/v3"
WEB = "https://ghe.example"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


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
            plugin.reopen_issue(
                ref(box, number), replace(REOPEN, comment=text(f"because of {number}"))
            )
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

    found = enterprise.find_comments(ISSUE_4, OP, LONG_AGO)

    assert [comment.id for comment in found] == ["2"]
    first, second = [call.request for call in responses.calls]
    assert first.url == f"{path}?per_page=100&since=2020-01-01T00%3A00%3A00Z"
    assert second.url == f"{API}/repositories/7/issues/4/comments?page=2&per_page=100"
    assert second.headers["X-GitHub-Api-Version"] == "2022-11-28"


@responses.activate
def test_the_search_for_a_created_issue_ends_at_the_first_one_that_is_too_old(
    enterprise: GithubPlugin,
) -> None:
    path = f"{API}/repos/octo/widgets/issues"
    old = {
        "number": 3,
        "html_url": f"{WEB}/octo/widgets/issues/3",
        "body": hidden(OP),
        "created_at": "2025-11-01T09:00:00Z",
    }
    responses.get(path, json=[old], headers={"Link": f'<{path}?page=2>; rel="next"'})

    found = enterprise.find_created(OP, datetime(2025, 11, 2, tzinfo=UTC))

    assert found is None
    assert [call.request.url for call in responses.calls] == [
        f"{path}?direction=desc&per_page=100&since=2025-11-02T00%3A00%3A00Z&sort=created&state=all"
    ]


@responses.activate
def test_github_itself_is_the_default() -> None:
    settings = GithubSettings()
    plugin = GithubPlugin(settings, for_tests("github", settings.base_url, token="a-token"))
    responses.get("https://api.github.com/repos/octo/widgets/issues/4", json=_issue("Smart"))

    item = plugin.get_issue_status(settings.ref("octo/widgets", 4))

    assert (item.title, item.ref.url) == ("Smart", "https://github.com/octo/widgets/issues/4")
    assert item.type == "Bug"
    assert responses.calls[0].request.headers["Authorization"] == "Bearer a-token"


@responses.activate
def test_an_answer_without_a_charset_is_read_as_utf_8(enterprise: GithubPlugin) -> None:
    body = json.dumps(_issue("Übergröße 検索"), ensure_ascii=False).encode()
    responses.get(f"{API}/repos/octo/widgets/issues/4", body, content_type="application/json")

    assert enterprise.get_issue_status(ISSUE_4).title == "Übergröße 検索"


def test_pygithub_keeps_its_own_connections_for_everybody_else(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    plugin.get_issue_status(ref(box, closed_issue(box)))

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
