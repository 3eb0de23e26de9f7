"""Transitions of Jira that share a name: the one to the goal is taken, or a person names its id."""

import re

import pytest
from tests.cli.project import Project
from tests.delivery.stage import RESUME, SYNC, completed_on


def name_transition(project: Project, word: str) -> None:
    project.configure_more(tables=f'transitions.reopen = "{word}"\n')


@pytest.fixture
def shared(project: Project) -> Project:
    """A completed increment; two transitions called Reopen lead to open work, one called Move."""
    project.box.jira.add_project("SCRUM", "shared-names")
    return completed_on(project, "jira")


def test_the_transition_that_leads_to_the_goal_is_taken(shared: Project) -> None:
    name_transition(shared, "Move")

    done = shared.run(*RESUME)

    assert (0, {"jira": "To Do"}) == (done.code, shared.states()), done.said


def test_an_id_from_the_error_decides_between_two_that_lead_to_the_goal(shared: Project) -> None:
    name_transition(shared, "Reopen")
    refused = shared.run(*RESUME)
    assert (3, {"jira": "Done"}) == (refused.code, shared.states()), refused.said
    ids = re.findall(r"(\d+) \(to [^)]+\)", refused.said)
    assert ["61", "71"] == ids
    name_transition(shared, ids[1])

    done = shared.run(*SYNC)

    assert (0, {"jira": "Doing"}) == (done.code, shared.states()), done.said
    assert 1 == len(shared.comments()["jira"])
