"""The example answers in GitHub's own description of its API are read by the plugin."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.published import SPECS, description, unread

from unlatch.transport import for_tests
from unlatch_github.api.client import Client
from unlatch_github.api.models import read_comment, read_milestone
from unlatch_github.settings import GithubSettings

pytestmark = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")

SETTINGS = GithubSettings(repository="octocat/Hello-World")
ISSUES, ISSUE = "/repos/{owner}/{repo}/issues", "/repos/{owner}/{repo}/issues/{issue_number}"


def _each(read: Callable[[Any], object], answer: Any) -> None:
    assert answer
    for one in answer:
        read(one)


def _without_pull_request(answer: dict[str, Any]) -> dict[str, Any]:
    """GitHub's one example of an issue has the keys of a pull request, which the plugin refuses."""
    return {key: value for key, value in answer.items() if key != "pull_request"}


def _label(answer: Any) -> str:
    return str(answer["name"])


@pytest.fixture
def client() -> Client:
    return Client(SETTINGS, for_tests("github", SETTINGS.base_url, token="none"))


def test_published_answers_are_read(
    client: Client, record_property: Callable[[str, object], None]
) -> None:
    ref = SETTINGS.ref("octocat/Hello-World", 1347)

    def issue(answer: Any) -> object:
        return client.found(_without_pull_request(answer), ref, written=False)

    labels, comments = partial(_each, _label), partial(_each, read_comment)
    readers: dict[str, Callable[[Any], object]] = {
        f"GET {ISSUES}": partial(_each, partial(read_comment, id="number")),
        f"POST {ISSUES}": issue,
        f"GET {ISSUE}": issue,
        f"PATCH {ISSUE}": issue,
        f"POST {ISSUE}/assignees": issue,
        f"GET {ISSUE}/comments": comments,
        f"POST {ISSUE}/comments": read_comment,
        f"GET {ISSUES}/comments/{{comment_id}}": read_comment,
        f"GET {ISSUE}/labels": labels,
        f"POST {ISSUE}/labels": labels,
        f"DELETE {ISSUE}/labels/{{name}}": labels,
        "GET /repos/{owner}/{repo}": lambda answer: answer["has_issues"],
        "GET /user": lambda answer: answer["login"],
    }
    document = description("github_issues_slice_octokit_openapi_23.0.2.json")
    count, refused = unread(document, readers)
    record_property("read", f"{count - len(refused)} of {count}")
    assert (count, refused) == (15, {})


def test_a_published_milestone_is_read() -> None:
    document = description("github_issues_slice_octokit_openapi_23.0.2.json")
    answer = document["components"]["examples"]["issue"]["value"]["milestone"]
    assert read_milestone(answer).title == "v1.0"
