"""Items that belong to an increment: the next step of the error, by the increment's status."""

from __future__ import annotations

import shlex
import shutil

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

from unlatch.increments.model.status import Status


def steps(project: Project, command: str, tracker: str) -> list[list[str]]:
    """The commands of the error's next step, without `unlatch`."""
    done = project.run(command, KEYS[tracker], "--reason", REASON)
    assert (2, True) == (done.code, "error[item-of-increment]" in done.err), done.said
    _, _, hint = done.err.partition("next: ")
    return [shlex.split(one)[1:] for one in hint.partition(";")[0].split(", then ")]


@pytest.mark.parametrize("status", Status)
def test_the_next_steps_close_and_reopen_the_item(project: Project, status: Status) -> None:
    links = project.items("jira", finished=False)
    project.increment(status=status, links=links)

    for step in steps(project, "close", "jira"):
        done = project.run(*step)
        assert 0 == done.code, done.said

    assert {"jira": CLOSED["jira"]} == project.states()
    shutil.rmtree(project.folder())
    project.increment(status=status, links=links)
    (step,) = steps(project, "reopen", "jira")
    done = project.run(*step, "--reason", REASON, "--yes")
    assert (0, {"jira": OPEN["jira"]}) == (done.code, project.states()), done.said


@pytest.mark.parametrize("tracker", ALL)
def test_the_next_step_closes_an_item_that_is_open_by_mistake(
    project: Project, tracker: str
) -> None:
    project.increment(links=project.items(tracker, finished=False))

    (step,) = steps(project, "close", tracker)
    done = project.run(*step)

    assert (0, {tracker: CLOSED[tracker]}) == (done.code, project.states()), done.said


def test_an_unfinished_increment_is_named_before_a_finished_one(project: Project) -> None:
    links = project.items("jira", finished=False)
    project.increment("0006-login", links=links)
    project.increment(status="active", links=links)

    assert [["complete", "0007-smart-discipline"]] == steps(project, "close", "jira")
