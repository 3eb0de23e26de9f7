"""Commands on increments that are given items, or run outside of a project."""

import shlex
import shutil

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import CLOSED, OPEN, REASON, Project

from unlatch.increments.model.status import Status


def next_step(said: str) -> list[str]:
    """The first command of the error's next step, without `unlatch`."""
    return shlex.split(said.partition("next: ")[2].partition(";")[0])[1:]


def test_resume_takes_no_number_of_an_item(project: Project) -> None:
    project.items("github")
    project.run("resume", "#4", "--reason", REASON).ends(2)


# Items that belong to an increment: the next step of the error, by the increment's status


def steps(project: Project, command: str, tracker: str) -> list[list[str]]:
    """The commands of the error's next step, without `unlatch`."""
    done = project.run(command, KEYS[tracker], "--reason", REASON).ends(
        2, err="error[item-of-increment]"
    )
    _, _, hint = done.err.partition("next: ")
    return [shlex.split(one)[1:] for one in hint.partition(";")[0].split(", then ")]


@pytest.mark.sample(at=(1, 3))
@pytest.mark.parametrize("status", Status)
def test_the_next_steps_close_and_reopen_the_item(project: Project, status: Status) -> None:
    links = project.items("jira", finished=False)
    project.increment(status=status, links=links)
    for step in steps(project, "close", "jira"):
        project.run(*step).ends(0)
    assert {"jira": CLOSED["jira"]} == project.states()
    shutil.rmtree(project.folder())
    project.increment(status=status, links=links)
    (step,) = steps(project, "reopen", "jira")
    done = project.run(*step, "--reason", REASON, "--yes")
    assert (0, {"jira": OPEN["jira"]}) == (done.code, project.states()), done.said
