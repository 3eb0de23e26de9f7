"""Another operation on an item of which an earlier request may still take effect."""

import time
from types import SimpleNamespace

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.delivery.stage import (
    ALL,
    RESUME,
    SYNC,
    Held,
    active_on,
    assert_each_comment_once,
    await_request,
    completed_on,
    count_markers,
    fault,
    kill_when_held,
    settle,
    start,
)

from unlatch.worklog.disk import flock
from unlatch_sandbox import Fault

# A late effect takes its time, too.
pytestmark = pytest.mark.real_waits
# A late effect comes well before the settle time ends.
LATE, SETTLE = 0.4, 1.5


@pytest.mark.parametrize("tracker", ALL)
def test_a_resume_waits_for_a_close_that_may_still_come(project: Project, tracker: str) -> None:
    active_on(project, tracker)
    settle(project, SETTLE)
    project.box.faults.add(fault(tracker, "state", "late", seconds=LATE))
    assert project.run("complete", "7").code == 3

    done = project.run(*RESUME)

    project.box.settle()
    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert "may still" in done.err
    assert "completed" not in project.labels()[tracker]
    assert_each_comment_once(project)


def test_another_increment_waits_for_a_close_that_may_still_come(project: Project) -> None:
    links = project.items("github", finished=False)
    project.increment(status="active", links=links)
    project.increment("0008-other", links=links)
    settle(project, SETTLE)
    project.box.faults.add(fault("github", "state", "late", seconds=LATE))
    assert project.run("complete", "7").code == 3

    done = project.run("resume", "8", "--reason", REASON, "--yes")

    project.box.settle()
    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_the_second_operation_of_a_queue_is_noted_before_it_is_sent(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    settle(project, SETTLE)
    for reason in ("First", "Second"):
        project.run("resume", "7", "--reason", reason, "--yes", "--offline")
        project.run("complete", "7", "--offline")
    project.run("resume", "7", "--reason", "Third", "--yes", "--offline")
    held = Held()
    project.box.faults.add(fault(tracker, "comment", "human", after=1, action=held))
    project.box.faults.add(fault(tracker, "comment", "late", after=1, seconds=LATE))

    kill_when_held(start(project, *SYNC), held)
    (operation,) = project.metadata(NAME)["pending"][:1]
    assert (1, False) == (operation["attempt"]["n"], "ended" in operation["attempt"])
    done = project.run(*SYNC)

    project.box.settle()
    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 3 == count_markers(project).total()
    assert_each_comment_once(project)


@pytest.mark.sample
@pytest.mark.parametrize("seconds", [0, SETTLE])
@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_an_item_is_read_again_before_a_write_if_another_operation_may_change_it(
    project: Project, tracker: str, seconds: float
) -> None:
    completed_on(project, tracker)
    settle(project, seconds)
    project.box.faults.add(fault(tracker, "label added", "drop"))
    assert project.run(*RESUME).code == 3
    # Its effect comes after the item was read for a plan.
    project.box.faults.add(
        Fault(tracker, "human", method="GET", effect=True, action=lambda: _label(project, tracker))
    )

    words = ("close", project.urls[tracker], "--item-only", "--reason", "Not a bug")
    done = project.run(*words)

    assert (0, CLOSED[tracker]) == (done.code, project.states()[tracker]), done.said
    assert {"completed"} == project.labels()[tracker] & {"completed", "reopened"}


def _label(project: Project, tracker: str) -> None:
    if tracker == "github":
        project.box.github.edit("octo/widgets", 4, labels=["bug", "reopened"])
    else:
        project.box.jira.edit("SCRUM-28", labels=["ux", "reopened"])


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_the_wait_begins_when_another_process_has_ended_its_delivery(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    settle(project, SETTLE)
    held = Held()
    project.box.faults.add(fault(tracker, "comment", "human", action=held))
    project.box.faults.add(fault(tracker, "comment", "late", seconds=3 * LATE))
    first = start(project, *RESUME)
    await_request(first, held.arrived)

    def wait_for_the_lock(_seconds: float) -> None:
        time.sleep(SETTLE)
        held.released.set()
        first.communicate(timeout=60)

    blocked = SimpleNamespace(monotonic=time.monotonic, sleep=wait_for_the_lock)
    project.monkeypatch.setattr(flock, "time", blocked)
    second = project.run(*SYNC)

    project.box.settle()
    assert (3, 0) == (first.returncode, second.code), second.said
    assert 1 == count_markers(project).total(), second.said


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_an_item_with_an_earlier_operation_is_read_again_before_the_next(
    project: Project, tracker: str
) -> None:
    project.items(tracker)
    words = project.urls[tracker], "--reason"
    project.box.faults.add(fault(tracker, "comment", "drop"))
    assert project.run("reopen", *words, REASON).code == 3
    # Its labels come after the item was read for a plan.
    project.box.faults.add(
        Fault(tracker, "human", method="GET", effect=True, action=lambda: _label(project, tracker))
    )

    done = project.run("close", *words, "Not a bug")

    assert (0, CLOSED[tracker]) == (done.code, project.states()[tracker]), done.said
    assert {"completed"} == project.labels()[tracker] & {"completed", "reopened"}
