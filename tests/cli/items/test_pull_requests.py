"""Pull requests, which are reopened and closed alone."""

import pytest
from tests.cli.project import REASON, Project

HOME = "octo/widgets"


def pull_requests(project: Project, *, count: int = 1, merged: bool = False) -> list[str]:
    """Add closed pull requests; returns their addresses."""
    github = project.box.github
    numbers = [
        github.add_issue(
            *(HOME,),
            title="Fix",
            state="closed",
            labels=["completed"],
            pull_request=True,
            merged=merged,
        )
        for _ in range(count)
    ]
    return [f"{github.web_url}/{HOME}/pull/{number}" for number in numbers]


def state(project: Project, url: str) -> str:
    return str(project.box.github.issue(HOME, int(url.rpartition("/")[2]))["state"])


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("place", ["project", "outside"])
def test_a_pull_request_is_reopened_closed_and_undone_by_its_address(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    [url] = pull_requests(project)

    opened = project.run("reopen", f"{url}/files", "--reason", REASON)
    shown = project.run("status", url)
    closed = project.run("close", url, "--reason", "Not yet")
    again = project.run("reopen", url, "--reason", "Now", "--offline")
    synced = project.run("sync")
    undone = project.run("undo", url, "--yes")

    codes = [done.code for done in (opened, shown, closed, again, synced, undone)]
    assert [0] * 6 == codes, [done.said for done in (opened, shown, closed, again, synced, undone)]
    assert "reopened; commented; labels +reopened -completed" in opened.out
    assert "(open" in shown.out
    assert "closed" == state(project, url)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_merged_pull_request_is_an_error_that_leaves_nothing(
    outside: Project, count: int, more: list[str]
) -> None:
    urls = pull_requests(outside, count=count, merged=True)
    outside.run("reopen", *urls, "--reason", REASON, *more).ends(
        1,
        err=(
            "error[pull-request-merged]: a merged pull request cannot be reopened",
            "next: reopen the issue that it closed",
        ),
    )
    assert ([], []) == (outside.wrote(), [*outside.home.rglob("metadata.json")])


def test_a_pull_request_merged_since_the_command_is_blocked_and_named(outside: Project) -> None:
    [url] = pull_requests(outside, merged=True)
    outside.run("reopen", url, "--reason", REASON, "--offline")
    done = outside.run("sync")
    assert (3, []) == (done.code, outside.wrote())
    assert "[pull-request-merged]" in done.said


@pytest.mark.parametrize("command", [("link", "7"), ("resume",), ("show",)])
def test_no_increment_has_a_pull_request(project: Project, command: tuple[str, ...]) -> None:
    project.increment()
    [url] = pull_requests(project)
    done = project.run(*command, url)
    assert (2, []) == (done.code, project.sent())
    assert f"to change it alone: unlatch reopen {url}" in done.err


def test_the_number_of_a_pull_request_is_no_issue(outside: Project) -> None:
    [url] = pull_requests(outside)
    done = outside.run("reopen", url.replace("/pull/", "/issues/"), "--reason", REASON).shows(
        err=(
            "error[not-an-issue]: the number belongs to a pull request",
            "name it by its address: .../octo/widgets/pull/",
        )
    )
    assert (1, []) == (done.code, outside.wrote())
