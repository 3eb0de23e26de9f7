"""A refused token is sent a few times only: trackers lock a login after several bad attempts."""

import pytest
from tests.cli.project import Project
from tests.cli.work.test_bulk import COMPLETED, many
from tests.delivery.stage import ALL

COUNT = 24
# A tracker that limits its requests in parallel further has fewer.
MOST_AT_ONCE = 16
AGREED = ("--max-items", str(COUNT))
TOKENS = {
    "github": "GITHUB_TOKEN",
    "ado": "AZURE_DEVOPS_EXT_PAT",
    "jira": "JIRA_API_TOKEN",
}


def sent(project: Project, tracker: str) -> int:
    """The number of requests since the last look."""
    count = project.box.requests.count(tracker)
    project.box.requests.clear()
    return count


def with_bad_token(project: Project, tracker: str, count: int = COUNT) -> list[str]:
    names = many(project, count, tracker=tracker)
    project.extra[TOKENS[tracker]] = "wrong"
    return names


def pending(project: Project, names: list[str]) -> int:
    return sum(len(project.metadata(name)["pending"]) for name in names)


@pytest.mark.parametrize("tracker", ALL)
def test_a_refused_token_is_not_sent_again_for_each_operation(
    project: Project, tracker: str
) -> None:
    names = with_bad_token(project, tracker)

    resumed = project.run(*COMPLETED, *AGREED)
    by_resume = sent(project, tracker)
    synced = project.run("sync", *AGREED, "--yes")
    by_sync = sent(project, tracker)

    assert (3, 3, COUNT) == (resumed.code, synced.code, pending(project, names)), synced.said
    assert by_resume <= MOST_AT_ONCE
    assert by_sync <= MOST_AT_ONCE
    assert f"{COUNT - 3} more items likewise" in synced.out


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("command", [("sync", "--check"), ("sync", "--dry-run")])
def test_a_refused_token_is_not_sent_again_for_each_item_that_is_read(
    project: Project, tracker: str, command: tuple[str, ...]
) -> None:
    with_bad_token(project, tracker)

    done = project.run(*command)

    assert 5 == done.code, done.said
    assert sent(project, tracker) <= MOST_AT_ONCE
    assert f"{COUNT} items not checked" in done.out
