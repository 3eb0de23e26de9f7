"""Many issues are read by one query, and each has its own answer or its own error."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.unlatch_github.making import REPOSITORY, closed_issue, plugin_for, ref, sent

from unlatch.errors import Limited, Moved, TrackerError
from unlatch.spi import ItemRef, RemoteItem, Snapshot
from unlatch.transport import measure
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox


def _item(answer: Snapshot | TrackerError) -> RemoteItem:
    assert isinstance(answer, Snapshot)
    return answer.item


def _facts(found: Mapping[ItemRef, Snapshot | TrackerError]) -> dict[ItemRef, RemoteItem | str]:
    return {
        one: str(answer) if isinstance(answer, TrackerError) else answer.item
        for one, answer in found.items()
    }


QUERY = "POST /api/graphql"
GADGETS = "octo/gadgets"


def _all_kinds(box: Sandbox) -> list[ItemRef]:
    """Issues in each state and variant, in two repositories."""
    github = box.github
    github.add_repository(GADGETS)
    github.add_milestone("v1", state="closed")
    numbers = [
        github.add_issue(title="Open"),
        github.add_issue(title='Ours \'n "theirs"\n', labels=["a/b", "ü", "c,d"], assignee="ann"),
        github.add_issue(title="In a milestone", milestone=1),
        *(
            github.add_issue(title=str(reason), state="closed", state_reason=reason)
            for reason in ("completed", "not_planned", "duplicate", None)
        ),
    ]
    github.edit(REPOSITORY, numbers[0], type="Bug", assignees=["ann", "bob"])
    there = github.add_issue(GADGETS, title="Elsewhere")
    return [*(ref(box, number) for number in numbers), ref(box, there, GADGETS)]


def test_a_query_tells_what_reading_one_by_one_tells(box: Sandbox, plugin: GithubPlugin) -> None:
    refs = _all_kinds(box)
    alone = {one: plugin.read(one).item for one in refs}
    box.requests.clear()

    with measure() as meter:
        together = plugin.read_many(refs)

    assert alone == {one: _item(answer) for one, answer in together.items()}
    assert (sent(box), meter.requests) == ([QUERY], 1)


def test_each_issue_has_its_own_error(box: Sandbox, plugin: GithubPlugin) -> None:
    github = box.github
    github.add_repository(GADGETS)
    github.add_repository("octo/quiet", has_issues=False)
    quiet = github.add_issue("octo/quiet", title="Quiet")
    fine, deleted, moved = (closed_issue(box) for _ in range(3))
    pull = github.add_issue(title="Fix", pull_request=True)
    github.edit(REPOSITORY, deleted, deleted=True)
    new = github.transfer_issue(REPOSITORY, moved, GADGETS)
    cases = {
        ref(box, fine): "closed",
        ref(box, deleted): "item-deleted",
        ref(box, moved): "item-moved",
        ref(box, pull): "not-an-issue",
        ref(box, 999): "item-not-found",
        ref(box, 10**15): "item-not-found",
        ref(box, quiet, "octo/quiet"): "issues-disabled",
        ref(box, 1, "octo/nothing"): "item-not-found",
    }

    found = plugin.read_many(list(cases))

    told = {
        one: answer.id if isinstance(answer, TrackerError) else answer.item.state
        for one, answer in found.items()
    }
    assert cases == told
    gone = found[ref(box, moved)]
    assert isinstance(gone, Moved)
    assert gone.to == f"{github.web_url}/{GADGETS}/issues/{new}"


@pytest.mark.parametrize("owner", ["octo", "mallory"])
def test_a_query_that_followed_a_rename_is_checked_once(
    box: Sandbox, plugin: GithubPlugin, owner: str
) -> None:
    refs = [ref(box, closed_issue(box)) for _ in range(2)]
    box.github.rename_repository(REPOSITORY, f"{owner}/gizmos")

    found = plugin.read_many(refs)

    there = [f"{box.github.web_url}/{owner}/gizmos/issues/{one.id}" for one in refs]
    if owner == "octo":
        assert [one.item.ref.url for one in found.values() if isinstance(one, Snapshot)] == there
        assert [one.partition(" ")[0] for one in sent(box)] == ["POST", "GET", "GET"]
    else:
        assert [one.to for one in found.values() if isinstance(one, Moved)] == there
        assert sent(box) == [QUERY]


def test_of_many_missing_issues_only_some_are_asked_for_again(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    found = plugin.read_many([ref(box, number) for number in range(500, 560)])

    ids = {one.id for one in found.values() if isinstance(one, TrackerError)}
    assert (ids, len(found), len(sent(box))) == ({"item-not-found"}, 60, 11)


WITHOUT_GRAPHQL: tuple[dict[str, Any], ...] = (
    {"code": 404, "body": {"message": "Not Found"}},
    {"code": 403, "body": {"message": "Resource not accessible by integration"}},
    {"code": 200, "body": {"errors": [{"message": "Field 'issueType' doesn't exist"}]}},
    {"code": 200, "body": {"data": None, "errors": []}},
    {"code": 200, "body": []},
    {"code": 400, "body": {"message": "Problems parsing JSON"}},
)


def test_without_graphql_issues_are_read_one_by_one(box: Sandbox, plugin: GithubPlugin) -> None:
    refs = [*_all_kinds(box), ref(box, 999)]
    expected = plugin.read_many(refs)
    for fault in WITHOUT_GRAPHQL:
        box.requests.clear()
        box.faults.add(Fault("github", "status", path="graphql", **fault))

        found = plugin.read_many(refs)

        assert _facts(found) == _facts(expected), fault
        assert len(sent(box)) == 1 + len(refs), fault
        # A plugin that was refused asks one by one from then on.
        plugin = plugin_for(box)


@pytest.mark.parametrize(
    "answer",
    [
        {"data": {"a0": {"issueOrPullRequest": {"__typename": "Issue"}}}},
        {"data": {"a0": {"issueOrPullRequest": {"number": 4}}}},
        {"data": {"a0": {"issueOrPullRequest": 7}}},
    ],
)
def test_an_answer_that_is_no_issue_is_one_issues_error(
    box: Sandbox, plugin: GithubPlugin, answer: dict[str, object]
) -> None:
    one = ref(box, closed_issue(box))
    headers = {"Content-Type": "application/json"}
    fault = {"code": 200, "body": json.dumps(answer), "headers": headers}
    box.faults.add(Fault("github", "status", path="graphql", **fault))  # type: ignore[arg-type]

    (found,) = plugin.read_many([one]).values()

    assert isinstance(found, TrackerError)
    assert found.id == "answer-not-understood"


LIMITED = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}


def test_a_limit_that_lasts_is_no_single_issues_error(box: Sandbox, plugin: GithubPlugin) -> None:
    one = ref(box, closed_issue(box))
    limit: dict[str, Any] = {
        "code": 200,
        "body": {"errors": [LIMITED]},
        "headers": {"Retry-After": "900"},
    }
    box.faults.add(Fault("github", "status", path="graphql", times=9, **limit))

    with pytest.raises(Limited) as caught:
        plugin.read_many([one])

    assert (caught.value.id, caught.value.retry_after) == ("rate-limited", 900.0)
