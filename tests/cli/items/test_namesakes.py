"""Items of one name on two hosts: neither says anything of the other."""

import pytest
from tests.cli.project import CLOSED, REASON, Project

NAMESAKE = "https://github.com/octo/widgets/issues/4"  # the sandbox is another host
LINK = {"github": {"issue": 4, "url": NAMESAKE}}


@pytest.fixture
def namesakes(outside: Project) -> Project:
    """An item that was reopened, and a reopen of its namesake that cannot be delivered."""
    outside.items("github")
    outside.run("reopen", outside.urls["github"], "--reason", REASON).ends(0)
    outside.run("reopen", "octo/widgets#4", "--reason", REASON, "--offline").ends(0)
    return outside


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("withdrawn", [False, True])
def test_the_reopen_of_a_namesake_leaves_no_item_open(
    namesakes: Project, *, withdrawn: bool
) -> None:
    if withdrawn:
        namesakes.run("unlink", NAMESAKE).ends(0)

    for _ in range(2):
        done = namesakes.run("close", namesakes.urls["github"], "--reason", "Fixed")
        done.ends(0, not_out="left open")
    assert CLOSED["github"] == namesakes.states()["github"]
    assert 2 == len(namesakes.comments()["github"])


def test_the_api_of_a_host_names_the_same_item(project: Project) -> None:
    api = "https://api.github.com/repos/octo/widgets/issues/4"
    project.increment(links=LINK)
    project.increment("0008-other", links={"github": {"issue": 4, "url": api}})

    project.run("doctor").ends(0, out="github 4 is also linked to")


def test_an_increment_can_have_both(project: Project) -> None:
    project.items("github")
    own = project.urls["github"]
    urls = [own, NAMESAKE, "octo/widgets/issues/4", NAMESAKE.replace("//", "//www.")]
    items = [{"issue": 4, "url": url} for url in urls]
    project.increment(links={"github": {"items": items}})

    links = project.run("show", "7", "--json").document["increment"]["links"]
    assert [own, NAMESAKE] == [link["url"] for link in links]
    doctor = project.run("doctor", "--verbose")
    for url, same in zip(urls[2:], urls[:2], strict=True):
        assert f"{url} is the same item as {same}" in doctor.said
