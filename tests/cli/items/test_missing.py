"""What can never succeed is an error and leaves nothing behind; what may succeed is recorded."""

import pytest
from tests.cli.items.test_reopen import records
from tests.cli.project import ALL, REASON, Project

from unlatch_sandbox import Fault

MISSING = {"github": "octo/widgets#404", "ado": "fabrikam/widgets 404", "jira": "SCRUM-404"}
# The reads of a repository or project, not those of its items.
PLACES = {
    "github": r"/repos/octo/widgets(\?|$)",
    "ado": r"(?i)/workitemtypes",
    "jira": r"/mypermissions",
}


@pytest.mark.parametrize("option", [(), ("--dry-run",)])
@pytest.mark.parametrize("verb", ["reopen", "close"])
@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_does_not_exist_is_an_error_and_leaves_nothing(
    project: Project, tracker: str, verb: str, option: tuple[str, ...]
) -> None:
    before = project.tree()
    project.run(verb, MISSING[tracker], "--reason", REASON, *option).ends(
        1, err="error[item-not-found]"
    )
    assert project.tree() == before
    assert project.wrote() == []


@pytest.mark.parametrize("tracker", ALL)
def test_the_same_outside_of_a_project(outside: Project, tracker: str) -> None:
    url = outside.urls[tracker]
    number = {"github": "4", "ado": "101", "jira": "28"}[tracker]
    outside.run("reopen", f"{url.removesuffix(number)}404", "--reason", REASON).ends(
        1, err="error[item-not-found]"
    )
    assert records(outside) == []
    assert outside.run("status").code in (0, 2)
    assert "404" not in outside.run("sync").said


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_may_only_be_hidden_is_recorded(project: Project, tracker: str) -> None:
    project.box.faults.add(Fault(tracker, "status", code=404, path=PLACES[tracker], times=9))
    project.run("reopen", MISSING[tracker], "--reason", REASON).ends(3)
    [record] = records(project)
    assert record["pending"][0]["cause"]


@pytest.mark.parametrize(
    ("tracker", "fault"),
    [
        ("ado", Fault("ado", "status", code=404, method="OPTIONS")),
        ("ado", Fault("ado", "status", code=422, method="OPTIONS")),
        ("github", Fault("github", "status", code=422, path=r"/issues/4")),
        ("jira", Fault("jira", "status", code=418, path=r"/issue/SCRUM-28")),
    ],
)
def test_a_refused_read_that_says_nothing_of_the_item_stops_nothing(
    project: Project, tracker: str, fault: Fault
) -> None:
    project.items()
    project.box.faults.add(fault)
    project.run("reopen", project.urls[tracker], "--reason", REASON).ends(0, " reopened; commented")


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_of_an_increment_is_always_recorded(project: Project, tracker: str) -> None:
    gone = {"github": {"issue": 404}, "ado": {"workItemId": 404}, "jira": {"issueKey": "SCRUM-404"}}
    project.increment(links={tracker: gone[tracker]})
    project.run("resume", "7", "--reason", REASON, "--yes").ends(3)
    assert project.metadata()["status"] == "active"
    assert project.metadata()["pending"][0]["cause"] == "item-not-found"


def test_one_missing_item_of_several_changes_none(project: Project) -> None:
    project.items()
    before = project.states()
    words = (*project.urls.values(), MISSING["github"])
    project.run("reopen", *words, "--reason", REASON).ends(1)
    assert (records(project), project.states()) == ([], before)
