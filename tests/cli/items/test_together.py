"""Operations on items with several processes, clones and increments."""

import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.cli.items.test_reopen import KEYS, records
from tests.cli.project import ALL, OPEN, REASON, Done, Project
from tests.delivery.stage import fault

from unlatch.lifecycle.deliver import deliver_all
from unlatch_sandbox import Fault


def test_an_increment_waits_for_an_item_in_doubt(single: Project) -> None:
    single.box.faults.add(fault("jira", "comment", "drop-after"))
    first = single.run("reopen", KEYS["jira"], "--reason", REASON, "--item-only")
    single.configure(single.box.config().replace("settle = 0", "settle = 0.2"))
    done = single.run("resume", "7", "--reason", "Another reason", "--yes")
    assert (3, 0) == (first.code, done.code), done.said
    assert "an earlier request may still take effect" in done.err


def test_a_ci_job_is_told_of_operations_on_items(project: Project) -> None:
    project.items("github", "jira")
    words = (KEYS["github"], KEYS["jira"])
    project.run("reopen", *words, "--reason", REASON, "--offline")
    outputs, summary = project.home / "outputs", project.home / "summary"
    project.extra = {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(outputs)}
    project.extra["GITHUB_STEP_SUMMARY"] = str(summary)

    check = project.run("sync", "--check")
    checked = outputs.read_text()
    project.box.faults.add(Fault("jira", "status", code=503, times=99))
    done = project.run("sync")

    assert (5, 3) == (check.code, done.code)
    assert "adrift=true\nsummary=0 links not in sync, 2 items with pending operations" in checked
    assert "Increments and items differ" in summary.read_text()
    told = outputs.read_text().removeprefix(checked)
    assert (
        "changed=true\nadrift=true\nsummary=1 operation delivered, 1 operation not delivered"
        in told
    )
    assert [2, 1] == [one.said.count("::error") for one in (check, done)]


@pytest.mark.parametrize("tracker", ALL)
def test_what_an_increment_is_about_to_do_is_not_done_on_its_item_as_well(
    project: Project, tracker: str
) -> None:
    project.increment(links=project.items(tracker))
    project.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    words = ("reopen", KEYS[tracker], "--item-only", "--reason")
    same = project.run(*words, REASON)
    assert (3, []) == (same.code, project.wrote()), same.said
    assert "unlatch sync 0007" in same.said
    other = project.run(*words, "Another reason")
    last = project.run("sync")
    assert (0, 0) == (other.code, last.code), other.said + last.said
    texts = project.comments()[tracker]
    assert [1, 1] == [sum(r in text for text in texts) for r in (REASON, "Another reason")]


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_an_item_that_an_increment_has_half_reopened_is_finished_by_the_increment(
    project: Project, tracker: str
) -> None:
    project.increment(links=project.items(tracker))
    project.box.faults.add(fault(tracker, "comment", "drop"))
    assert 3 == project.run("resume", "7", "--reason", REASON, "--yes").code
    done = project.run("reopen", KEYS[tracker], "--item-only", "--reason", "Another reason")
    last = project.run("sync")
    assert (0, 0) == (done.code, last.code), done.said + last.said
    assert "is open; nothing changed" in done.out
    (text,) = project.comments()[tracker]
    assert REASON in text


@pytest.mark.sample(at=(0, 2))
@pytest.mark.parametrize("command", ["item alone", "items of an increment", "resume"])
def test_the_same_reopen_by_another_process_after_the_items_were_read_is_not_repeated(
    project: Project, command: str
) -> None:
    links = project.items("github")
    step = "unlatch.cli.commands.items.change.carry_out"
    words = ["reopen", KEYS["github"], "--reason", REASON]
    if command != "item alone":
        project.increment(links=links, status="active")
        step = "unlatch.lifecycle.items.item_change.find_answered"
        words = ["github", "reopen-issue", "7", "--reason", REASON]
    if command == "resume":
        step = "unlatch.lifecycle.resume.apply_resume"
        words = ["resume", "7", "--reopen-items", "--reason", REASON, "--yes"]
    module, _, name = step.rpartition(".")
    own = getattr(import_module(module), name)

    def late(*arguments: Any, **options: Any) -> Any:
        assert project.process(*words).code == 0
        return own(*arguments, **options)

    project.monkeypatch.setattr(step, late)
    project.run(*words).ends(0, lacks="the time of the last change of state is not known")
    assert 1 == len(project.comments()["github"])


def test_what_another_process_has_just_recorded_is_left_to_it(project: Project) -> None:
    project.items("github")
    words = ("reopen", KEYS["github"], "--reason")

    def late(*arguments: Any, **options: Any) -> Any:
        made = deliver_all(*arguments, **options)
        other = project.process(*words, "More", "--comment-anyway", "--offline")
        assert other.code == 0, other.said
        return made

    project.monkeypatch.setattr("unlatch.lifecycle.deliver.deliver_all", late)
    project.run(*words, REASON).ends(0, whole_err="")
    (record,) = records(project)
    assert 1 == len(record["pending"])


# Operations on items outside of a project, seen by the commands of a project


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
    return project.home / "state/unlatch/items"


@pytest.fixture
def stuck(project: Project) -> Project:
    """A project, and an operation outside of it that a person has to decide about."""
    project.box.github.add_issue(number=4, title="T", state="closed", state_reason="not_planned")
    out_there(project, "reopen", project.urls["github"], "--reason", REASON).ends(3)
    return project


def test_a_stuck_operation_fails_the_sync_outside_and_not_that_of_a_project(stuck: Project) -> None:
    done = stuck.run("sync")
    document = stuck.run("sync", "--json")
    out_there(stuck, "sync").ends(3, err=f"{BLOCKED}: unlatch reopen")
    line = f"{NOTE}1 item with pending operations. Next: unlatch status"
    assert (0, line) == (done.code, done.err.strip())
    assert (0, []) == (document.code, document.document["items"])
    # The next step named in a project works outside of it.
    here, _, step = stuck.run("status").out.partition(f"{BLOCKED}, outside of a project: unlatch ")
    resolved = out_there(stuck, *shlex.split(step.split("\n")[0]))
    assert "Outside      1 item with pending operations, outside of this project" in here
    assert (0, "open") == (resolved.code, stuck.states()["github"]), resolved.said
    assert "Nothing is pending" in stuck.run("sync").err


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
    stuck.run("sync").ends(0, err=NOTE)
    shown = stuck.run("status").ends(0)
    outside = out_there(stuck, "sync")
    error = "metadata-invalid" if damage == "record" else "folder-unreadable"
    assert [True] * 2 == [error in one.err for one in (shown, outside)], shown.said + outside.said
    assert 0 != outside.code
    assert "no-project" not in outside.err
    if damage == "record":
        # The documents stay whole.
        for words in (("sync",), ("sync", "--dry-run")):
            document = out_there(stuck, *words, "--json").document
            broken = [one["id"] for one in document["broken"]]
            assert (5, [record.name]) == (document["exitCode"], broken)
        assert [] == out_there(stuck, "status", "--json").document["items"]
