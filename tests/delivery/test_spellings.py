"""One issue under two spellings in metadata.json: one link, one comment, and doctor says so."""

from collections.abc import Callable

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import RESUME, SYNC, count_markers

HOME = "octo/widgets"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "a comment's address": lambda url: f"{url}#issuecomment-1",
    "a query": lambda url: f"{url}?x=1",
    "another scheme": lambda url: url.replace("http://", "https://"),
    "a slash at the end": lambda url: f"{url}/",
    "capitals": lambda url: url.replace(HOME, "Octo/Widgets"),
}


def linked_twice(project: Project, url: str, other: str) -> None:
    """Link one issue under two addresses, as two tools would."""
    items = [{"issue": 4, "url": url}, {"issue": 4, "url": other}]
    project.increment(links={"github": {**items[0], "items": items}})


@pytest.fixture
def url(project: Project) -> str:
    address: str = project.items("github")["github"]["url"]
    return address


@pytest.mark.sample
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_issue_under_two_spellings_gets_one_comment_and_doctor_says_so(
    project: Project, url: str, spelling: str
) -> None:
    linked_twice(project, url, SPELLINGS[spelling](url))

    found = project.run("doctor")
    done = project.run(*RESUME)
    again = project.run(*SYNC)

    assert "same" in found.said, found.said
    assert "octo/widgets#4" in found.said or url in found.said
    assert [0, 0] == [done.code, again.code], done.said + again.said
    assert OPEN["github"] == project.states()["github"]
    assert 1 == count_markers(project).total()
    assert 1 == len(project.comments()["github"])


@pytest.mark.parametrize("spelling", ["a comment's address", "a query"])
def test_two_increments_under_two_spellings_share_the_issue(
    project: Project, url: str, spelling: str
) -> None:
    project.increment("0001-one", status="active", links={"github": {"issue": 4, "url": url}})
    other = SPELLINGS[spelling](url)
    project.increment("0002-two", status="active", links={"github": {"issue": 4, "url": other}})
    project.box.github.edit(HOME, 4, state="open")

    done = project.run("complete", "1")

    assert (0, "open") == (done.code, project.states()["github"]), done.said
