"""resume on increments whose items are named in the shapes of today's SpecWeave."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def _by_story(project: Project) -> dict[str, Any]:
    urls = project.urls
    api = urls["ado"].replace("/widgets/_workitems/edit/", "/_apis/wit/workItems/")
    ado = {"US-001": {"workItemId": 101, "workItemUrl": api}}
    jira = {"US-001": {"issueKey": "SCRUM-28", "issueUrl": urls["jira"]}}
    return {
        "github": {"issues": [{"userStory": "US-001", "number": 4, "url": urls["github"]}]},
        "externalLinks": {
            "github": {"issues": {"US-001": {"issueNumber": 4, "issueUrl": urls["github"]}}},
            "ado": {"userStories": ado},
            "jira": {"userStories": jira, "projectKey": "SCRUM"},
        },
    }


def _plain(project: Project) -> dict[str, Any]:
    ado = {"featureId": "101", "featureUrl": project.urls["ado"]}
    jira = {"issue": "SCRUM-28", "url": project.urls["jira"]}
    return {"externalLinks": {"github_issues": ["#4"], "ado": ado}, "jira": jira}


def _addresses(project: Project) -> dict[str, Any]:
    urls = project.urls
    links = {"github": urls["github"], "jira": {"epicKey": "SCRUM-28", "epicUrl": urls["jira"]}}
    return {"externalLinks": links, "ado": {"workItem": 101, "url": urls["ado"]}}


def _spellings(project: Project) -> dict[str, Any]:
    """One item in several places, as APIs and people spell it."""
    api = project.urls["ado"].replace("/widgets/_workitems/edit/", "/{}_apis/wit/workItems/")
    guid = "0e9f2e1d-4a5b-4c6d-8e7f-00112233aabb/"
    return {
        "jira": {"issue": "scrum-28"},
        "ado": {"workItemId": 101, "url": api.format(guid)},
        "externalLinks": {
            "github": {"issueNumber": 4},
            "ado": {"featureId": 101, "featureUrl": api.format("widgets/")},
            "jira": {"epicKey": "SCRUM-28"},
        },
    }


def _lower_case(project: Project) -> dict[str, Any]:
    url = project.urls["jira"].replace("SCRUM", "scrum")
    links = {"jira": {"epicKey": "scrum-28", "epicUrl": url}}
    api = project.urls["ado"].replace("/widgets/_workitems/edit/", "/_apis/wit/workItems/")
    return {
        "externalLinks": {**links, "ado": {"featureId": 101, "url": api}},
        "github": {"issue": 4},
    }


def _qualified(project: Project) -> dict[str, Any]:
    """Ids with their containers and with zeros, beside the addresses of the same items."""
    urls = project.urls
    return {
        "github": {"issue": "Octo/widgets#4", "issues": ["0004", urls["github"]]},
        "ado": {"workItemId": "fabrikam/widgets#101"},
        "externalLinks": {
            "github": {"issueNumber": 4, "issueUrl": urls["github"]},
            "ado": {"featureId": "0101", "featureUrl": urls["ado"]},
        },
        "external_ref": "ado#fabrikam/widgets#0101",
        "jira": {"issue": "SCRUM-28"},
    }


SHAPES = [_by_story, _plain, _addresses, _spellings, _lower_case, _qualified]


@pytest.mark.sample(at=(4,))
@pytest.mark.parametrize("shape", SHAPES)
def test_each_item_is_reopened_once_and_closed_again(
    project: Project, shape: Callable[[Project], dict[str, Any]]
) -> None:
    project.items()
    links = shape(project)
    project.increment(links=links)
    done = project.run(*RESUME)
    assert (done.code, project.states()) == (0, OPEN), done.said
    assert {name: len(comments) for name, comments in project.comments().items()} == dict.fromkeys(
        OPEN, 1
    )
    assert project.run("sync", "--check").code == 0
    assert project.run("undo", "7", "--yes").code == 0
    assert project.states() == CLOSED
    after = project.metadata()
    assert {key: _without_bases(after[key], like=links[key]) for key in links} == links


def test_an_address_of_another_item_is_refused_and_replaced_by_link(project: Project) -> None:
    project.items("github")
    project.increment(github={"issue": 9, "url": project.urls["github"]})
    project.run(*RESUME).shows("github names github 9, and its address shows 4")
    assert project.states() == {"github": "closed"}
    assert project.comments() == {"github": []}
    assert "link-unread" in project.run("doctor").said
    assert project.run("link", "7", project.urls["github"]).code == 0
    assert project.metadata()["github"]["issue"] == 4


def _without_bases(found: Any, *, like: Any) -> Any:
    """The parts that were there before, without bases."""
    if isinstance(like, dict):
        return {key: _without_bases(found[key], like=like[key]) for key in like}
    if isinstance(like, list):
        return [_without_bases(one, like=it) for one, it in zip(found, like, strict=True)]
    return found


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize(
    ("ref", "item", "name"),
    [
        ("github#octo/widgets#4", "octo/widgets#4", "github"),
        ("ado#fabrikam/widgets#101", "fabrikam/widgets#101", "ado"),
        ("jira#SCRUM#SCRUM-28", "SCRUM-28", "jira"),
        ("jira#SCRUM-28", "SCRUM-28", "jira"),
    ],
)
def test_an_imported_increment_reopens_the_item_that_it_came_from(
    project: Project, ref: str, item: str, name: str
) -> None:
    project.items()
    project.increment("0024G-imported", external_ref=ref, origin="external")
    shown = project.run("resume", "24G", "--dry-run", "--json").document
    assert [one["id"] for one in shown["items"]] == [item.rpartition("#")[2]]
    done = project.run("resume", "24G", "--reason", REASON, "--yes")
    assert (done.code, project.states()) == (0, {**CLOSED, name: OPEN[name]}), done.said
    assert project.metadata("0024G-imported")["external_ref"] == ref
    assert project.run("resume", "24G", "--yes").code == 0
    assert len(project.comments()[name]) == 1
    assert project.run("sync", "--check").code == 0


def test_an_item_of_another_repository_is_not_taken_for_one_of_ours(project: Project) -> None:
    project.items()
    project.increment(external_ref="github#octo/secrets#4")
    project.run(*RESUME).ends(3, "octo/secrets is not among the configured targets")
    assert project.states() == CLOSED


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("shown", [{"closed": True}, {}])
def test_what_specweave_archives_by_stays_as_it_is(project: Project, shown: dict[str, Any]) -> None:
    """SpecWeave 1.0.593 archives an increment with a `github` block only if that says "closed"."""
    project.items()
    block = {"issue": 4, "url": project.urls["github"], **shown}
    project.increment(links={"github": block})

    for command in (RESUME, ("complete", "7", "--yes")):
        done = project.run(*command)
        assert done.code == 0, done.said
        kept = {key: value for key, value in project.metadata()["github"].items() if key != "base"}
        assert block == kept
