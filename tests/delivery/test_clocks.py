"""Wrong clocks decide nothing: neither the state of items nor repeated requests."""

from datetime import timedelta

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import (
    RESUME,
    SYNC,
    completed_on,
    count_markers,
    fault,
    set_clock_ahead,
)
from tests.delivery.test_acted_then_refused import CREATED

from unlatch_sandbox import Fault

AHEAD = [timedelta(hours=26), timedelta(days=365 * 80)]


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("ahead", AHEAD, ids=["26 hours", "80 years"])
def test_a_comment_is_posted_once(project: Project, tracker: str, ahead: timedelta) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    set_clock_ahead(project, ahead)
    project.box.faults.add(fault(tracker, "comment", "drop-after"))
    assert project.run(*SYNC).code == 3

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == count_markers(project).total()


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("ahead", AHEAD, ids=["26 hours", "80 years"])
def test_an_item_is_created_once(project: Project, tracker: str, ahead: timedelta) -> None:
    noun, path = CREATED[tracker]
    project.increment(status="active")
    project.box.faults.add(Fault(tracker, "drop-after", method="POST", path=path))
    assert project.run(tracker, f"create-{noun}", "7").code == 3
    set_clock_ahead(project, ahead)

    done = project.run(*SYNC)

    assert done.code == 0, done.said
    assert 1 == len(getattr(project.box, tracker).items())
