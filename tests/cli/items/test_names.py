"""Items under other addresses and names: moved ones, needless spaces, and wrong numbers."""

import pytest
from tests.cli.items.test_reopen import records
from tests.cli.project import REASON, Project


@pytest.fixture
def moved(outside: Project) -> Project:
    """An issue that was moved to another repository, and a folder that is no project."""
    outside.items("github")
    outside.box.github.add_repository("octo/gadgets")
    outside.box.github.transfer_issue("octo/widgets", 4, "octo/gadgets")
    return outside


def test_items_of_two_hosts_with_one_name_have_records_of_their_own(outside: Project) -> None:
    outside.items("github")
    here, there = outside.urls["github"], "https://github.com/octo/widgets/issues/4"
    outside.run("reopen", here, "--reason", REASON, "--offline")
    outside.run("reopen", there, "--reason", "Of another host", "--offline").ends(0)
    assert {here, there} == {one["github"]["url"] for one in records(outside)}


@pytest.mark.parametrize("place", ["project", "outside"])
def test_a_number_that_no_item_has_is_refused(request: pytest.FixtureRequest, place: str) -> None:
    project: Project = request.getfixturevalue(place)
    words = ["octo/widgets#0", f"octo/widgets#{'9' * 40}", "SCRUM-0"]
    for word in words:
        done = project.run("reopen", word, "--reason", REASON)
        assert (2, True) == (done.code, "error[unknown-item]" in done.err), done.said
    if place == "project":
        # Nor is a word a name that its tracker, which is not configured, would not give.
        project.configure("[trackers.jira" + project.box.config().split("[trackers.jira")[1])
        for word in ("octo/widgets#0", "jira:octo/widgets#4"):
            done = project.run("reopen", word, "--reason", REASON)
            assert (2, True) == (done.code, "error[unknown-item]" in done.err), done.said


def test_the_plan_says_why_an_item_could_not_be_read(outside: Project) -> None:
    outside.run("reopen", outside.urls["github"], "--reason", REASON, "--offline")
    outside.run("sync", "--dry-run").ends(5, out="unknown", err="1 item unknown [item-not-found]")


@pytest.mark.parametrize("command", ["status", "reopen", "link"])
@pytest.mark.parametrize("repository", ["octo/widgets", "fabrikam/gadgets"])
def test_a_name_is_of_the_tracker_that_names_items_so(
    project: Project, command: str, repository: str
) -> None:
    project.increment()
    project.configure(project.box.config().replace("octo/widgets", repository))
    words = ["7"] if command == "link" else []
    reason = ["--reason", REASON] if command == "reopen" else []
    project.run(command, *words, "fabrikam/gadgets 202", *reason).ends(
        2, err=("error[target-not-allowed]", "the configured targets of Azure DevOps")
    )
    assert project.box.requests.entries("github") == []


def test_a_name_is_told_and_its_separator_understood_by_the_trackers_that_are_configured(
    project: Project,
) -> None:
    for word, kept, title in (
        ("fabrikam/gadgets 202", "github", "Azure DevOps"),
        ("octo/widgets#4", "jira", "GitHub"),
        ("SCRUM-28", "github", "Jira"),
    ):
        configure_for(project, kept)
        project.run("status", word).ends(
            2, err=(f"{title} is not configured", "error[tracker-not-configured]")
        )
    project.items("github", "ado")
    configure_for(project, "github", "jira")
    for word in ("octo/widgets 4", "octo/widgets#4"):
        project.run("status", word).ends(0, out="octo/widgets#4")


def configure_for(project: Project, *trackers: str) -> None:
    """Leave the other trackers out of the configuration."""
    tables = project.box.config().split("[trackers.")
    kept = [table for table in tables[1:] if table.startswith(trackers)]
    project.configure("[trackers.".join([tables[0], *kept]))
