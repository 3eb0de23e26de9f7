"""Operations on items outside of a project, seen by the commands of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import OPEN, REASON, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Done

NOTE = "note: outside of this project: "
BLOCKED = "octo/widgets#4: 1 operation blocked. Next"


def out_there(project: Project, *words: str) -> Done:
    """Run a command in a folder that is no project."""
    root, project.root = project.root, project.home
    try:
        return project.run(*words)
    finally:
        project.root = root


def records_of_user(project: Project) -> Path:
    return project.home / "state/unlatch/items/.unlatch/items"


@pytest.fixture
def stuck(project: Project) -> Project:
    """A project, and an operation outside of it that a person has to decide about."""
    project.box.github.add_issue(number=4, title="T", state="closed", state_reason="not_planned")
    done = out_there(project, "reopen", project.urls["github"], "--reason", REASON)
    assert 3 == done.code, done.said
    return project


def test_a_stuck_operation_fails_the_sync_outside_and_not_that_of_a_project(stuck: Project) -> None:
    done = stuck.run("sync")
    document = stuck.run("sync", "--json")
    outside = out_there(stuck, "sync")

    line = f"{NOTE}1 item with pending operations. Next: unlatch status"
    assert (0, line) == (done.code, done.err.strip())
    assert (0, []) == (document.code, document.document["items"])
    assert (3, True) == (outside.code, f"{BLOCKED}: unlatch reopen" in outside.err), outside.said
    # The next step named in a project works outside of it.
    here, _, step = stuck.run("status").out.partition(f"{BLOCKED}, outside of a project: unlatch ")
    resolved = out_there(stuck, *step.split())
    assert "Outside      1 item with pending operations, outside of this project" in here
    assert (0, "open") == (resolved.code, stuck.states()["github"]), resolved.said
    assert "Nothing is pending" in stuck.run("sync").err


def test_a_failure_out_there_is_told_and_the_project_is_in_sync(project: Project) -> None:
    project.items("jira")
    out_there(project, "reopen", project.urls["jira"], "--reason", REASON, "--offline")
    project.extra["JIRA_API_TOKEN"] = None

    done = project.run("sync")

    assert (0, True) == (done.code, NOTE in done.err), done.said
    assert "SCRUM-28 not delivered yet" in done.out


def test_operations_out_there_do_not_count_for_the_limit_of_a_project(project: Project) -> None:
    project.items()
    urls = (project.urls["github"], project.urls["ado"])
    out_there(project, "reopen", *urls, "--reason", REASON, "--offline")
    project.run("reopen", KEYS["jira"], "--reason", REASON, "--offline")

    done = project.run("sync", "--max-items", "1")

    assert (0, f"{NOTE}2 items with pending operations. Next: unlatch status") == (
        done.code,
        done.err.strip(),
    )
    assert OPEN["jira"] == project.states()["jira"]
    assert "closed" == project.states()["github"]


@pytest.mark.parametrize("damage", ["record", "folder"])
def test_unreadable_records_out_there_do_not_fail_a_project(stuck: Project, damage: str) -> None:
    (record,) = records_of_user(stuck).iterdir()
    if damage == "record":
        (record / "metadata.json").write_text("{")
    else:
        record.rename(stuck.home / "kept")
        records_of_user(stuck).rmdir()
        records_of_user(stuck).write_text("")

    synced, shown = stuck.run("sync"), stuck.run("status")
    outside = out_there(stuck, "sync")

    assert (0, 0) == (synced.code, shown.code), synced.said + shown.said
    assert NOTE in synced.err
    error = "metadata-invalid" if damage == "record" else "folder-unreadable"
    assert [True] * 2 == [error in one.err for one in (shown, outside)], shown.said + outside.said
    assert 0 != outside.code
    assert "no-project" not in outside.err
    if damage == "record":
        # The documents stay whole.
        for words in (("sync",), ("sync", "--plan")):
            document = out_there(stuck, *words, "--json").document
            broken = [one["id"] for one in document["broken"]]
            assert (5, [record.name]) == (document["exitCode"], broken)
        assert [] == out_there(stuck, "status", "--json").document["items"]
