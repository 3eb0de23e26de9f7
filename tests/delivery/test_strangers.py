"""Markers that a stranger wrote: the ids of operations stand in files that anybody may read."""

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.delivery.stage import RESUME, SYNC, active_on, completed_on

from unlatch.spi.text import hidden
from unlatch_sandbox import Fault

HOME = "octo/widgets"
STRANGER = "a-stranger"
INVENTED = "01JB0000000000000000000000"


@pytest.fixture(autouse=True)
def _stranger(project: Project) -> None:
    """An account that may read the repository, and comment, as anybody may."""
    project.box.github.add_person(STRANGER)


def recorded_offline(project: Project) -> str:
    """Reopen 0007, leave its issue for later, and publish the operation's id."""
    completed_on(project, "github")
    assert project.run(*RESUME, "--offline").code == 0
    op: str = project.metadata()["pending"][0]["op"]
    return op


@pytest.mark.parametrize("forget", [False, True])
def test_a_strangers_marker_does_not_count_as_the_reopen(project: Project, forget: bool) -> None:
    op = recorded_offline(project)
    project.box.github.add_comment(HOME, 4, f"mine {hidden(op)}", user=STRANGER)
    if forget:
        project.forget_local()

    done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert OPEN["github"] == project.states()["github"]
    said = project.comments()["github"]
    assert 1 == sum(REASON in text for text in said)
    assert "mine" in said[0]
    assert {"reopened"} == project.labels()["github"] & {"reopened", "completed"}


@pytest.mark.parametrize("user", ["octocat", "github-actions[bot]", "a-collaborator"])
def test_a_marker_of_whoever_may_write_counts_and_the_state_is_verified(
    project: Project, user: str
) -> None:
    op = recorded_offline(project)
    project.box.github.add_person("a-collaborator", role="write")
    project.box.github.add_comment(HOME, 4, f"{REASON} {hidden(op)}", user=user)

    done = project.run(*SYNC)

    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said
    assert 1 == len(project.comments()["github"])
    assert {"reopened"} == project.labels()["github"] & {"reopened", "completed"}


def test_a_marker_whose_author_cannot_be_checked_counts_with_a_note(project: Project) -> None:
    op = recorded_offline(project)
    project.box.github.add_comment(HOME, 4, f"{REASON} {hidden(op)}", user=STRANGER)
    project.box.faults.add(
        Fault("github", "status", method="GET", path="/collaborators/", code=403, times=99)
    )

    done = project.run(*SYNC)

    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said
    assert 1 == len(project.comments()["github"])
    assert STRANGER in done.out


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_elsewhere_a_marker_counts_and_the_state_is_verified(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    op = project.metadata()["pending"][0]["op"]
    if tracker == "ado":
        project.box.ado.add_comment(101, f"<p>unlatch ref {op}</p>")
    else:
        project.box.jira.add_comment("SCRUM-28", f"unlatch ref {op}")

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == len(project.comments()[tracker])
    assert {"reopened"} == project.labels()[tracker] & {"reopened", "completed"}


def test_a_strangers_issue_with_the_marker_of_a_pending_create_is_not_adopted(
    project: Project,
) -> None:
    project.increment(status="active")
    project.box.faults.add(Fault("github", "drop", method="POST", path="/issues$"))
    assert project.run("github", "create-issue", "7").code == 3
    op = project.metadata()["pending"][0]["op"]
    theirs = project.box.github.add_issue(title="T", body=hidden(op), author=STRANGER)

    done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert 2 == len(project.box.github.items())
    assert theirs != project.metadata()["github"]["issue"]


def test_an_invented_marker_does_not_pass_for_a_reopen_on_another_branch(
    project: Project,
) -> None:
    active_on(project, "github")
    assert project.run("complete", "7").code == 0
    assert CLOSED["github"] == project.states()["github"]
    project.box.github.edit(HOME, 4, state="open")
    project.box.github.add_comment(HOME, 4, hidden(INVENTED), user=STRANGER)

    done = project.run("sync", "--yes")

    assert "another branch" not in done.said
    assert "active" == project.metadata(NAME)["status"], done.said
