"""The status of a reopened issue in its GitHub projects."""

import pytest
from tests.cli.project import REASON, Project

HOME = "octo/widgets"
STATUS = "--project-status"


@pytest.fixture
def planned(project: Project) -> Project:
    """A closed issue that is done in two projects, and a token that may change these."""
    project.items("github")
    project.box.github.scopes = "repo, project"
    for name in ("Roadmap", "Équipe"):
        project.box.github.put_in_project(HOME, 4, name, "Done")
    return project


def statuses(project: Project, number: int = 4) -> list[str]:
    issue = project.box.github.hub.issue(HOME, number)
    return [*issue.projects.values()] if issue else []


@pytest.mark.sample(at=(0, 3))
@pytest.mark.parametrize("way", ["option", "later", "setting", "increment"])
def test_a_reopen_moves_the_issue_in_its_projects(planned: Project, way: str) -> None:
    words: tuple[str, ...] = ("reopen", "octo/widgets#4", "--reason", REASON)
    option: tuple[str, ...] = (STATUS, " in progress ")
    if way == "setting":
        planned.configure_more(tables='[trackers.github.on_reopen]\nproject_status = "In Progress"')
        option = ()
    elif way == "increment":
        planned.increment(links={"github": planned.urls["github"]})
        words = ("resume", "7", "--reason", REASON, "--yes")

    foreseen = planned.run(*words, *option, "--dry-run")
    done = planned.run(*words, *option, *(["--offline"] if way == "later" else []))
    if way == "later":
        done = planned.run("sync")

    assert (0, 0) == (foreseen.code, done.code), done.said
    assert 2 == foreseen.out.count("set its status in a project to In Progress")
    assert ["In Progress"] * 2 == statuses(planned)
    assert 'moved to "In Progress" in the project "Roadmap"' in done.said


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    ("token", "scopes", "status", "said"),
    [
        ("token", "repo", "In Progress", 'not "In Progress": the token needs the scope project'),
        ("bot_token", "", "In Progress", "may not write to it (a job's GITHUB_TOKEN never may)"),
        ("fine_token", "", "Gone", 'no status "Gone" (it has: Todo, In Progress, Done)'),
    ],
)
def test_a_status_that_cannot_be_set_is_a_note(
    planned: Project, token: str, scopes: str, status: str, said: str
) -> None:
    planned.box.github.scopes = scopes
    planned.extra["GITHUB_TOKEN"] = getattr(planned.box.github, token)
    done = planned.run("reopen", "octo/widgets#4", "--reason", REASON, STATUS, status)
    assert (0, "open") == (done.code, planned.states()["github"]), done.said
    assert ["Done"] * 2 == statuses(planned)
    assert said in " ".join(done.said.split())
    assert "Nothing is pending" in planned.run("sync").said


def test_an_issue_in_no_project_and_a_pull_request(planned: Project) -> None:
    github = planned.box.github
    alone = github.add_issue(HOME, title="Alone", state="closed")
    pull = github.add_issue(HOME, title="Fix", state="closed", pull_request=True)
    github.put_in_project(HOME, pull, "Roadmap", "Done")
    urls = [f"{github.web_url}/{HOME}/{part}" for part in (f"issues/{alone}", f"pull/{pull}")]
    done = planned.run("reopen", *urls, "--reason", REASON, STATUS, "Todo")
    assert (0, ["Todo"]) == (done.code, statuses(planned, pull)), done.said
    assert "it is in no open project that this token may see" in done.said


def test_the_option_is_refused_where_it_means_nothing(planned: Project) -> None:
    planned.items("jira")
    elsewhere = planned.run("reopen", "SCRUM-28", "--reason", REASON, STATUS, "Todo")
    empty = planned.run("reopen", "octo/widgets#4", "--reason", REASON, STATUS, " ")
    assert (2, 2, []) == (elsewhere.code, empty.code, planned.wrote())
    assert "--project-status is an option of GitHub, and no item is there" in elsewhere.err
    assert "is empty or has control characters" in empty.err
