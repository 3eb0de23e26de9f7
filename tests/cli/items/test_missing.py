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


@pytest.mark.sample(at=(0,))
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


def test_one_missing_item_of_several_changes_none(project: Project) -> None:
    project.items()
    before = project.states()
    words = (*project.urls.values(), MISSING["github"])
    project.run("reopen", *words, "--reason", REASON).ends(1)
    assert (records(project), project.states()) == ([], before)


def test_an_issue_that_github_says_is_gone_is_an_error_whatever_the_token_sees(
    outside: Project,
) -> None:
    outside.items("github")
    outside.box.faults.add(Fault("github", "status", code=410, path="/issues/4", times=9))
    outside.box.faults.add(Fault("github", "status", code=404, path=PLACES["github"], times=9))
    outside.run("reopen", outside.urls["github"], "--reason", REASON).ends(
        1, err="error[item-deleted]"
    )
    assert records(outside) == []


UNKNOWN = {"github": "octo/nowhere#4", "ado": "fabrikam/nowhere 101", "jira": "NOWHERE-1"}


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_of_a_place_that_may_only_be_hidden_is_recorded(
    outside: Project, tracker: str
) -> None:
    outside.items(tracker)
    here = {"github": "/widgets/", "ado": "/widgets/", "jira": "/SCRUM-28"}[tracker]
    there = {"github": "/nowhere/", "ado": "/nowhere/", "jira": "/NOWHERE-1"}[tracker]
    word = outside.urls[tracker].replace(here, there)
    outside.run("reopen", word, "--reason", REASON).ends(3)
    [record] = records(outside)
    assert record["pending"][0]["cause"]


@pytest.mark.parametrize("verb", ["reopen", "close"])
@pytest.mark.parametrize(
    "word", ["octo", "NOPE", "octo/widgets#x", "fabrikam/widgets", "https://example.com/4"]
)
def test_a_word_that_no_tracker_knows_is_an_error_and_leaves_nothing(
    project: Project, verb: str, word: str
) -> None:
    before = project.tree()
    project.run(verb, word, "--reason", REASON).ends(2)
    assert (project.tree(), project.sent()) == (before, [])


TOKENS = {"github": "GITHUB_TOKEN", "ado": "AZURE_DEVOPS_EXT_PAT", "jira": "JIRA_API_TOKEN"}


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("cause", ["no token", "no network"])
@pytest.mark.parametrize("place", ["project", "outside"])
@pytest.mark.parametrize("tracker", ALL)
def test_what_fails_for_lack_of_a_token_or_a_network_is_recorded_and_delivered_later(
    request: pytest.FixtureRequest, place: str, tracker: str, cause: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items(tracker)
    if cause == "no token":
        project.extra[TOKENS[tracker]] = None
    else:
        project.box.faults.add(Fault(tracker, "drop", times=99))
    first = project.run("reopen", project.urls[tracker], "--reason", REASON)
    [record] = records(project)
    assert (first.code, len(record["pending"])) == (3, 1), first.said
    project.extra.clear()
    project.box.faults.clear()
    project.run("sync", "--yes").ends(0)
    assert [REASON in text for text in project.comments()[tracker]] == [True]


@pytest.mark.sample(at=(1, 9))
@pytest.mark.parametrize("verb", ["reopen", "close"])
@pytest.mark.parametrize("place", ["project", "outside"])
@pytest.mark.parametrize("tracker", ALL)
def test_a_reason_left_from_a_failure_is_not_posted_by_a_later_command_without_one(
    request: pytest.FixtureRequest, place: str, tracker: str, verb: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items(tracker, finished=verb == "reopen")
    url = project.urls[tracker]
    project.box.faults.add(Fault(tracker, "status", code=503, times=99))
    project.run(verb, url, "--reason", "Left from a failure").ends(3)
    project.box.faults.clear()
    before = (records(project), project.states())

    refused = project.run(verb, url).ends(2, err="error[reason-missing]")

    assert "one is pending: 'Left from a failure'" in refused.err
    assert (records(project), project.states(), project.comments()[tracker]) == (*before, [])
    project.run(verb, url, "--reason", "Left from a failure").ends(0)
    (comment,) = project.comments()[tracker]
    assert "Left from a failure" in comment
