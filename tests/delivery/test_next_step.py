"""After a permanent failure: blocked, listed, skipped by a plain sync; `Next:` helps."""

import time
from collections.abc import Callable

import pytest
from tests.cli.project import OPEN, REASON, Project
from tests.delivery.stage import (
    AT_ONCE,
    RESUME,
    SYNC,
    completed_on,
    count_markers,
    end_waits,
    fault,
    next_command,
    transfer,
)

from unlatch_sandbox.faults import Fault

HOME = "octo/widgets"


def lock(project: Project) -> None:
    project.box.github.edit(HOME, 4, locked=True)


def drop(project: Project) -> None:
    project.box.github.edit(HOME, 4, state="open")
    project.box.github.edit(HOME, 4, state="closed", state_reason="not_planned")


# What stands in the way, and the option with which another attempt can succeed.
IN_THE_WAY: dict[str, tuple[Callable[[Project], object], str]] = {
    "locked": (lock, "--comment"),
    "not planned": (drop, "--even-if-not-planned"),
    "transferred": (transfer, "--follow"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", IN_THE_WAY)
def test_the_next_step_succeeds_when_typed(project: Project, case: str) -> None:
    hinder, option = IN_THE_WAY[case]
    completed_on(project, "github")
    hinder(project)
    done = project.run(*RESUME)
    assert done.code == 3, done.said
    command = next_command(done)
    assert option in command

    done = project.run(*command)

    assert done.code == 0, done.said
    assert "pending" not in project.metadata()
    assert [True] == [item.open for item in project.box.github.items()]


@pytest.fixture
def blocked(project: Project) -> Project:
    """0007, reopened, with its comment refused: the issue is locked."""
    completed_on(project, "github")
    lock(project)
    assert project.run(*RESUME).code == 3
    project.box.requests.clear()
    return project


def test_a_sync_skips_what_is_blocked_unless_it_names_it(blocked: Project) -> None:
    (operation,) = blocked.metadata()["pending"]
    assert ("item-locked", True) == (operation["cause"], "parkedAt" in operation)
    blocked.box.github.edit(HOME, 4, locked=False)

    done = blocked.run("sync", "--yes")

    assert [] == blocked.wrote(), done.said
    assert [] == blocked.comments()["github"]
    assert 1 == len(blocked.metadata()["pending"])
    assert done.code != 1
    named = blocked.run(*SYNC)
    assert named.code == 0, named.said
    assert 1 == count_markers(blocked).total()
    assert {"reopened"} == blocked.labels()["github"] & {"reopened", "completed"}


def test_status_lists_what_is_blocked_with_a_next_step_that_helps(blocked: Project) -> None:
    done = blocked.run("status")

    assert "blocked" in done.said, done.said
    assert blocked.run(*next_command(done)).code == 0
    assert "pending" not in blocked.metadata()


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_a_named_operation_that_meets_a_failure_of_the_tracker_is_blocked_no_more(
    project: Project, tracker: str
) -> None:
    """Unreachable trackers and limits never block, so a scheduled sync delivers it."""
    completed_on(project, tracker)
    project.box.faults.add(fault(tracker, "state", "status", code=403, times=9))
    project.run(*RESUME)
    project.box.faults.clear()
    assert "parkedAt" in project.metadata()["pending"][0]
    project.box.faults.add(Fault(tracker, "status", code=503, times=99))

    named = project.run(*AT_ONCE, *SYNC)
    listed = project.run("status")
    project.box.faults.clear()
    done = project.run("sync", "--yes")

    assert (3, 0) == (named.code, done.code), named.said + done.said
    assert "blocked" not in named.said + listed.said
    assert "pending" not in project.metadata()


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_the_fifth_refusal_without_a_known_cause_blocks_an_operation(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    project.box.faults.add(fault(tracker, "state", "status", code=401, times=99))
    project.run(*AT_ONCE, *RESUME)
    blocked = ["parkedAt" in project.metadata()["pending"][0]]

    for _ in range(4):
        project.run(*AT_ONCE, "sync", "--yes")
        blocked.append("parkedAt" in project.metadata()["pending"][0])

    assert [False, False, False, False, True] == blocked
    assert 5 == project.metadata()["pending"][0]["attempt"]["n"]


@pytest.fixture
def limited(project: Project) -> Project:
    """0007, reopened, while GitHub asks to wait ten minutes before it takes anything."""
    completed_on(project, "github")
    project.box.faults.add(fault("github", "state", "rate-limit", seconds=600))
    assert project.run(*AT_ONCE, *RESUME).code == 3
    project.box.requests.clear()
    return project


def test_a_plain_sync_delivers_after_the_time_that_a_tracker_asked_to_wait_for(
    limited: Project,
) -> None:
    (operation,) = limited.metadata()["pending"]
    assert operation["attempt"]["at"] < operation["attempt"]["retryAt"]
    assert "parkedAt" not in operation

    early = limited.run(*AT_ONCE, "sync", "--yes")

    assert (3, [], []) == (early.code, limited.wrote(), limited.comments()["github"]), early.said
    end_waits(limited)

    done = limited.run("sync", "--yes")

    assert (0, OPEN["github"]) == (done.code, limited.states()["github"]), done.said
    assert [True] == [REASON in text for text in limited.comments()["github"]]


def test_an_item_that_was_closed_after_a_lost_answer_needs_a_decision(project: Project) -> None:
    completed_on(project, "github")
    project.box.faults.add(fault("github", "state", "drop-after"))
    assert project.run(*RESUME).code == 3
    time.sleep(1.1)  # GitHub's times have whole seconds
    project.box.github.edit(HOME, 4, state="closed", state_reason="not_planned")

    told = project.run(*SYNC)
    again = project.run(*SYNC)
    done = project.run("complete", "0007-smart-discipline")

    assert (5, 5, 0) == (told.code, again.code, done.code), told.said + again.said + done.said
    assert "note: left as it is: its state was changed to closed by" in told.said
    assert "unlatch complete 0007-smart-discipline" in told.said
    assert "after the last attempt" not in again.said
    assert count_markers(project).total() <= 1
