"""Commands on increments that are given items, or run outside of a project."""

import shlex
import shutil
from itertools import product

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

from unlatch.increments.model.status import Status

LOOKS = "; without one, name an item (by URL, or as octo/widgets#4 or SCRUM-28)"


def next_step(said: str) -> list[str]:
    """The first command of the error's next step, without `unlatch`."""
    return shlex.split(said.partition("next: ")[2].partition(";")[0])[1:]


def test_outside_of_a_project_the_error_shows_how_items_are_named(outside: Project) -> None:
    for command, word in product(("resume", "reopen", "complete", "show"), ("nonsense", "7")):
        done = outside.run(command, word).ends(2, err=("error[no-project]", LOOKS))
        assert done.err.endswith("to set up a project here: unlatch init\n")


@pytest.mark.parametrize("place", ["project", "outside"])
@pytest.mark.parametrize("tracker", ALL)
def test_resume_of_an_item_names_the_command_that_reopens_it(
    request: pytest.FixtureRequest, place: str, tracker: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items(tracker)
    refused = project.run("resume", project.urls[tracker])
    step = next_step(refused.err)
    done = project.run(*step, "--reason", REASON)
    assert ("reopen", 2, 0) == (step[0], refused.code, done.code), refused.said + done.said
    assert {tracker: OPEN[tracker]} == project.states()


def test_complete_of_an_item_names_the_command_that_closes_it(project: Project) -> None:
    project.items("github", finished=False)
    done = project.run(*next_step(project.run("complete", KEYS["github"]).err))
    assert (0, {"github": CLOSED["github"]}) == (done.code, project.states()), done.said


def test_history_of_an_item_without_one_names_the_command_that_shows_it(outside: Project) -> None:
    outside.items("github")
    refused = outside.run("history", outside.urls["github"])
    done = outside.run(*next_step(refused.err))
    assert (2, 0, True) == (refused.code, done.code, "octo/widgets#4" in done.out)


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


def test_an_unfinished_increment_is_named_before_a_finished_one(project: Project) -> None:
    links = project.items("jira", finished=False)
    project.increment("0006-login", links=links)
    project.increment(status="active", links=links)
    assert [["complete", "0007-smart-discipline"]] == steps(project, "close", "jira")
