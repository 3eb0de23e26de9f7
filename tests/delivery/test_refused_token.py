"""A refused token is sent a few times only: trackers lock a login after several bad attempts."""

import pytest
from tests.cli.project import REASON, Project
from tests.cli.work.test_bulk import COMPLETED, many
from tests.delivery.stage import ALL

from unlatch_sandbox import Fault

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


def test_the_operations_are_delivered_with_a_good_token(project: Project) -> None:
    # Few of them: GitHub asks for a second between two writes.
    with_bad_token(project, "github", 4)
    project.run(*COMPLETED, *AGREED)
    del project.extra[TOKENS["github"]]

    done = project.run("sync", *AGREED, "--yes")

    assert 0 == done.code, done.said
    assert 1 == len(project.box.github.comments("octo/widgets", 4))


def test_a_token_that_expires_during_a_run_is_not_sent_for_each_operation(
    project: Project,
) -> None:
    many(project, 40, tracker="github")
    project.run(*COMPLETED, "--max-items", "40", "--offline")
    project.box.faults.add(
        Fault("github", "status", code=401, body={"message": "Bad credentials"}, after=4, times=999)
    )
    project.box.requests.clear()

    done = project.run("sync", "--max-items", "40", "--yes")

    assert 3 == done.code, done.said
    assert sent(project, "github") <= 4 + 10 + MOST_AT_ONCE


def test_a_refusal_of_one_item_does_not_stop_the_others(project: Project) -> None:
    many(project, 5, tracker="github")
    project.run("resume", "1", "2", "3", "4", "5", "--reason", REASON, "--yes", "--offline")
    project.box.faults.add(
        Fault(
            *("github", "status"),
            code=403,
            headers={"X-GitHub-SSO": "required; url=https://github.com/orgs/octo/sso"},
            body={"message": "Resource protected by organization SAML enforcement"},
            path="/issues/1($|[/?])",
            times=99,
        )
    )

    done = project.run("sync", "--yes")

    assert 3 == done.code, done.said
    states = [project.box.github.issue("octo/widgets", n)["state"] for n in range(1, 6)]
    assert ["closed", *["open"] * 4] == states
