"""Guards of every writing path of sync: decisions in time, caps, limits, exit codes."""

from typing import Any

import pytest
from tests.cli.project import NAME, OPEN, REASON, Done, Project
from tests.cli.terminal import Terminal
from tests.delivery.stage import (
    ALL,
    RESUME,
    active_on,
    add_issue,
    completed_on,
    edit_metadata,
)

from unlatch_sandbox import Fault

READS: dict[str, dict[str, Any]] = {
    "github": {"path": "/(graphql|issues/4)"},
    "ado": {"path": "(?i)/workitems"},
    "jira": {"path": "/(issue|search)"},
}


def complete_by_editor(project: Project) -> None:
    """Set 0007 completed as with an editor: only sync updates its items."""
    edit_metadata(project, lambda data: data.update(status="completed"))


@pytest.mark.parametrize("tracker", ALL)
def test_a_push_is_cancelled_by_a_resume_during_its_reads(project: Project, tracker: str) -> None:
    active_on(project, tracker)
    complete_by_editor(project)
    said: list[Done] = []

    def resume() -> None:
        said.append(project.process(*RESUME, "--offline"))

    project.box.faults.add(Fault(tracker, "human", action=resume, **READS[tracker]))
    synced = project.run("sync", "--yes")
    project.run("sync", "--yes")

    assert [0] == [done.code for done in said], said
    assert "active" == project.metadata()["status"]
    assert OPEN[tracker] == project.states()[tracker], synced.said
    assert [] == [e for e in project.events() if e.get("result") == "closed"]


def test_no_base_is_recorded_for_a_status_that_changed_during_the_reads(project: Project) -> None:
    completed_on(project, "github")
    edit_metadata(project, lambda data: data["github"].pop("base", None))

    def resume() -> None:
        assert project.process(*RESUME, "--offline").code == 0

    project.box.faults.add(Fault("github", "human", action=resume, **READS["github"]))
    synced = project.run("sync", "--yes")

    assert synced.code == 0, synced.said
    assert "active" == project.metadata()["status"]
    assert "base" not in project.metadata()["github"]


@pytest.mark.sweep
def test_a_push_is_cancelled_by_a_resume_while_sync_asks(project: Project) -> None:
    active_on(project, "github")
    number = add_issue(project, "0008-other", status="active")
    assert project.run("sync").code == 0
    complete_by_editor(project)
    project.box.github.edit("octo/widgets", number, state="closed", state_reason="completed")

    with Terminal(project, "sync") as terminal:
        terminal.expect("leave both")
        assert project.process(*RESUME, "--offline").code == 0
        terminal.type("l\n")
        terminal.end()

    assert "active" == project.metadata()["status"]
    assert OPEN["github"] == project.states()["github"], terminal.text


@pytest.fixture
def pending(project: Project) -> Project:
    """Three completed increments, each reopened and its issue's operation still pending."""
    names = ("0001-one", "0002-two", "0003-three")
    for name in names:
        add_issue(project, name)
    assert project.run("resume", *names, "--reason", REASON, "--yes", "--offline").code == 0
    return project


def open_issues(project: Project) -> int:
    return sum(item.open for item in project.box.github.items())


def test_pending_operations_count_against_the_maximum_of_items(pending: Project) -> None:
    done = pending.run("sync", "--max-items", "2", "--yes")

    assert done.code != 0, done.said
    assert open_issues(pending) <= 2
    assert "too-many-items" in done.err


@pytest.mark.parametrize(("others", "code", "status"), [(1, 5, "completed"), (0, 0, "active")])
def test_a_pull_respects_the_limit_of_active_increments(
    project: Project, others: int, code: int, status: str
) -> None:
    completed_on(project, "github")
    assert project.run("sync", "--yes").code == 0
    for number in range(others):
        project.increment(f"000{number}-active", status="active")
    project.configure_more(tables='[limits]\nmax_active = 1\npolicy = "refuse"\n')
    project.box.github.edit("octo/widgets", 4, state="open")

    done = project.run("sync", "--yes")

    assert (code, status) == (done.code, project.metadata(NAME)["status"]), done.said
    assert bool(others) is ("limits.max_active" in done.said)


@pytest.mark.sample
@pytest.mark.parametrize("changed", ["delivered", "pulled"])
def test_a_run_that_changed_something_does_not_exit_with_1(project: Project, changed: str) -> None:
    completed_on(project, "github")
    number = add_issue(project, "0008-other")
    assert project.run("sync", "--yes").code == 0
    if changed == "delivered":
        project.run(*RESUME, "--offline")
    else:
        project.box.github.edit("octo/widgets", 4, state="open")
    project.box.github.edit("octo/widgets", number, deleted=True)

    done = project.run("sync", "--yes")

    assert "active" == project.metadata(NAME)["status"]
    assert OPEN["github"] == project.states()["github"]
    assert 5 == done.code, done.said
