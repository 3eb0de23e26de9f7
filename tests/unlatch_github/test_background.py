"""What issues say, and the commits and merged pull requests that closed them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.unlatch_github.making import REPOSITORY, closed_issue, ref, sent

from unlatch.errors import NotFound, TrackerError
from unlatch.spi import Background, ClosingCommit
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.github.records import MadeCommit

QUERY = "POST /api/graphql"
MADE = datetime(2026, 9, 1, 10, tzinfo=UTC)


def _commits(signs: str, pull: str = "") -> tuple[ClosingCommit, ...]:
    return tuple(ClosingCommit(sign * 40, "gil@example.com", MADE, pull) for sign in signs)


def test_every_close_counts_and_is_read_with_the_others(box: Sandbox, plugin: GithubPlugin) -> None:
    github = box.github
    number = github.add_issue(title="Slow", body="Since <b>May</b>")
    github.push_commit(REPOSITORY, MadeCommit("a" * 40), closes=number)
    github.edit(REPOSITORY, number, state="open")
    commits = [MadeCommit(sign * 40) for sign in "bcd"]
    github.merge_pull_request(REPOSITORY, 9, closes=number, commits=commits)
    github.edit(REPOSITORY, number, state="open")
    github.edit(REPOSITORY, number, state="closed")
    refs = [ref(box, number), ref(box, closed_issue(box))]
    box.requests.clear()

    closing = _commits("a") + _commits("bcd", f"{REPOSITORY}#9")
    assert {
        refs[0]: Background("Slow\nSince <b>May</b>", commits=closing),
        refs[1]: Background("Smart discipline\n"),
    } == plugin.read_background(refs)
    assert [QUERY] == sent(box)


@pytest.mark.parametrize(
    ("author", "association", "is_strangers"),
    [
        ("ann", "MEMBER", False),
        ("ann", "CONTRIBUTOR", True),
        ("ann", "NONE", True),
        ("dependabot[bot]", "NONE", False),
    ],
)
def test_a_text_of_a_person_without_a_role_is_a_strangers(
    box: Sandbox, plugin: GithubPlugin, author: str, association: str, *, is_strangers: bool
) -> None:
    box.github.add_person(author, association=association)
    issue = ref(box, box.github.add_issue(title="Slow", author=author))
    (background,) = plugin.read_background([issue]).values()
    assert isinstance(background, Background)
    assert is_strangers is background.is_strangers


NOTHING: dict[str, Any] = {"nodes": [], "pageInfo": {"hasNextPage": False}}
PULL: dict[str, Any] = {"merged": False, "mergeCommit": None, "commits": NOTHING}
ISSUE: dict[str, Any] = {
    "__typename": "Issue",
    "number": 1,
    "title": "Slow",
    "body": None,
    "state": "CLOSED",
    "stateReason": "COMPLETED",
    "updatedAt": "2026-09-01T10:00:00Z",
    "issueType": None,
    "labels": {"nodes": []},
    "assignees": {"nodes": []},
    "milestone": None,
    "timelineItems": {"nodes": []},
    "authorAssociation": "NONE",
    "author": None,
    "closes": {
        "nodes": [{"closer": None}, {"closer": PULL}, {"closer": {}}],
        "pageInfo": {"hasPreviousPage": False},
    },
}


@pytest.mark.parametrize(
    ("more", "id"),
    [
        ({}, ""),
        # A part that the token may not see is null, and told beside.
        (
            {"errors": [{"path": ["a0", "issueOrPullRequest", "closes"], "message": "No"}]},
            "forbidden",
        ),
        ({"closes": {"nodes": [None]}}, "answer-not-understood"),
        ({"closes": None}, "answer-not-understood"),
        ({"authorAssociation": 5, "author": 5}, "answer-not-understood"),
    ],
)
def test_answers_with_gaps(
    box: Sandbox, plugin: GithubPlugin, more: dict[str, Any], id: str
) -> None:
    issue = ref(box, box.github.add_issue(title="Slow"))
    node = {**ISSUE, "url": issue.url, "number": int(issue.id), **more}
    body = {"data": {"a0": {"issueOrPullRequest": node}}, "errors": node.pop("errors", [])}
    box.faults.add(Fault("github", "status", path="graphql", code=200, body=body))
    (answer,) = plugin.read_background([issue]).values()
    if id:
        assert isinstance(answer, TrackerError)
        assert id == answer.id
    else:
        # A pull request that was closed without a merge, and a project, changed nothing.
        assert Background("Slow\n", is_strangers=True) == answer


def test_without_graphql_nothing_is_taken_for_known(box: Sandbox, plugin: GithubPlugin) -> None:
    issue = ref(box, closed_issue(box))
    box.faults.add(Fault("github", "status", path="graphql", code=404, body={}))
    with pytest.raises(NotFound):
        plugin.read_background([issue])
    box.faults.add(Fault("github", "status", path="graphql", code=200, body={"data": None}))
    (answer,) = plugin.read_background([issue]).values()
    assert isinstance(answer, TrackerError)
    assert "answer-not-understood" == answer.id
