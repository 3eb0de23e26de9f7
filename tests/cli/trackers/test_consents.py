"""unlatch respects the consents that SpecWeave lacks."""

import json
from collections.abc import Callable

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project

RESUME = ("resume", "7", "--reason", REASON, "--yes")


@pytest.fixture
def refuse(project: Project) -> Callable[..., None]:
    def write(**settings: bool) -> None:
        path = project.root / ".specweave/config.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"sync": {"settings": settings}}))

    return write


def test_states_and_labels_stay_and_the_comment_is_posted(
    completed: Project, refuse: Callable[..., None]
) -> None:
    refuse(canUpdateStatus=False)
    labels = completed.labels()
    done = completed.run(*RESUME)
    assert (done.code, completed.metadata().get("pending")) == (0, None)
    assert (CLOSED, labels) == (completed.states(), completed.labels())
    assert [1, 1, 1] == [len(posted) for posted in completed.comments().values()]
    assert "its state is left alone" in done.said
    again = completed.run("sync")
    assert (again.code, completed.states()) == (0, CLOSED)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize(("linked", "comments"), [(True, 0), (False, 1)], ids=["linked", "own"])
def test_items_that_were_there_before_get_no_comment_but_those_of_the_increments_own(
    project: Project, refuse: Callable[..., None], *, linked: bool, comments: int
) -> None:
    refuse(canUpdateExternalItems=False)
    links = project.items()
    project.increment(links={} if linked else links)
    if linked:
        project.run("link", "7", *project.urls.values())
    done = project.run(*RESUME)
    assert (done.code, OPEN) == (0, project.states())
    assert [comments] * 3 == [len(posted) for posted in project.comments().values()]


@pytest.mark.parametrize("mark", [{"origin": "external"}, {"story": "US-001E"}])
def test_items_that_specweave_imported_get_none(
    project: Project, refuse: Callable[..., None], mark: dict[str, str]
) -> None:
    refuse(canUpdateExternalItems=False)
    links = project.items("github")
    links |= {"origin": mark["origin"]} if "origin" in mark else {}
    links["github"] |= {"story": mark["story"]} if "story" in mark else {}
    project.increment(links=links)
    done = project.run(*RESUME)
    assert (done.code, project.states()["github"]) == (0, "open")
    assert project.comments()["github"] == []


def test_items_are_not_made_and_not_updated(project: Project, refuse: Callable[..., None]) -> None:
    refuse(canUpsertInternalItems=False)
    project.increment(status="active")
    project.increment("0008-linked", status="active", links=project.items("github"))
    project.box.requests.clear()
    made = project.run("github", "create-issue", "7")
    updated = project.run("github", "update-issue", "8")
    for done in (made, updated):
        assert (done.code, "write-not-permitted" in done.said) == (2, True), done.said
    assert project.wrote() == []


def test_an_issue_without_an_address_lies_in_its_increments_profile(project: Project) -> None:
    theirs = {
        "sync": {
            "activeProfile": "main",
            "profiles": {
                "main": {"provider": "github", "config": {"owner": "octo", "repo": "widgets"}},
                "more": {"provider": "github", "config": {"owner": "octo", "repo": "gadgets"}},
            },
        }
    }
    (project.root / ".specweave").mkdir()
    (project.root / ".specweave" / "config.json").write_text(json.dumps(theirs))
    more = '[trackers.github]\nrepositories = ["octo/gadgets"]\n'
    project.configure(project.box.config().replace("[trackers.github]\n", more))
    project.box.github.add_repository("octo/gadgets")
    project.box.github.add_issue("octo/gadgets", title="Gadget", number=4)
    project.items("github", finished=False)
    links = {"github": {"issue": 4}}
    project.increment(status="active", links=links, githubProfile="more")
    project.increment("0008-lost", status="active", links=links, githubProfile="gone")
    project.run("github", "status", "7").shows(out='octo/gadgets#4 "Gadget"')
    project.run("github", "status", "8").ends(2, err="profile-unknown")
