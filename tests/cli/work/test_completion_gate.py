"""complete while tasks or criteria are open: refused, listed, forced."""

import pytest
from tests.cli import scoped
from tests.cli.project import Project

REASON = "The rest moves to 0008"


@pytest.fixture
def ready(project: Project) -> Project:
    """0007 is active; one task and one criterion are open."""
    project.increment(status="active", links=project.items("github", finished=False))
    scoped.write(project, status="active")
    for name, ticked in (
        ("spec.md", "- [x] **AC-US1-02**"),
        ("tasks.md", "AC-US2-01\n**Status**: [x] completed"),
    ):
        path = project.folder() / name
        unticked = ticked.replace("[x] completed", "[ ] pending").replace("[x]", "[ ]")
        path.write_text(path.read_text().replace(ticked, unticked))
    return project


def test_open_work_is_refused_and_listed_and_a_dry_run_shows_what_force_would_do(
    ready: Project,
) -> None:
    before = ready.tree()
    done = ready.run("complete", "7").ends(1)
    ready.run("complete", "7", "--force").ends(2, err="error[reason-missing]")
    error = ready.run("complete", "7", "--json").document["error"]
    ready.run("complete", "7", "--dry-run").ends(1, err="error[work-open]")
    forced = ready.run("complete", "7", "--dry-run", "--force", "--reason", REASON, "--json").ends(
        0
    )
    assert done.err.splitlines() == [
        "error[work-open]: 2 tasks and criteria are open",
        "  - AC-US1-02: Mistakes are told",
        "  - T-003: Follow rules",
        "  at: 0007-smart-discipline",
        "  next: tick them when they are done, then unlatch complete 0007-smart-discipline",
    ]
    assert (error["id"], error["problems"]) == (
        "work-open",
        ["AC-US1-02: Mistakes are told", "T-003: Follow rules"],
    )
    assert [warning["id"] for warning in forced.document["warnings"]] == ["work-open"]
    assert before == ready.tree()
    assert ready.states()["github"] == "open"


def test_open_tasks_in_other_spellings_are_refused(ready: Project) -> None:
    spec = ready.folder() / "spec.md"
    spec.write_text(spec.read_text().replace("[ ] **AC-US1-02**", "[ ] ac-us1-02"))

    for task in (
        "### T-009: n\n- Status: [ ] pending",
        "### T-009: n\n- Status: pending",
        "### Task T-009: n\n**Status**: [ ] pending",
        "### T-US1-009: n\n**Status**: [ ] pending",
        "### t-009: n\n**Status**: [ ] pending",
        "- [ ] t-009: n",
        "- [ ] `T-009` n",
        "- [ ] [T-009](x.md) n",
        "- [x] T-009: n \u00b7 **Status**: [ ] pending",
    ):
        (ready.folder() / "tasks.md").write_text(f"# Tasks\n\n{task}\n")
        error = ready.run("complete", "7", "--json").document["error"]
        assert error["id"] == "work-open", task
        criterion, listed = error["problems"]
        assert ("ac-us1-02" in criterion, "9: n" in listed) == (True, True), task


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(
    ("tasks", "still_open"),
    [
        ("## T-001: Parse\n- [x] Done\n", ["T-001: Parse"]),
        ("## T-001: Parse\n- [X] DONE\n\n## T-002: B\n- [x] Done\n", ["T-001: Parse"]),
        ("## T-001: Parse \u2705\n\n## T-002: B\n", ["T-001: Parse", "T-002: B"]),
    ],
)
def test_a_reopened_task_is_open_however_it_was_marked(
    project: Project, tasks: str, still_open: list[str]
) -> None:
    project.increment()
    path = project.folder() / "tasks.md"
    path.write_text(tasks)
    resume = ("resume", "7", "--reason", "A defect", "--task", "T-001", "--yes")
    assert project.run(*resume).code == 0
    opened = path.read_text()
    assert project.run(*resume).code == 0
    assert path.read_text() == opened
    error = project.run("complete", "7", "--json").document["error"]
    assert (error["id"], error["problems"]) == ("work-open", still_open)


def test_force_completes_and_is_recorded_if_there_is_need(ready: Project) -> None:
    ready.increment("0008-done", status="active")
    ready.run("complete", "7", "--force", "--reason", REASON, "--by", "Dana").ends(
        0, err="note: 2 tasks and criteria are open [work-open]\n"
    )
    needless = ready.run("complete", "8", "--force", "--json").document
    assert ready.metadata()["status"] == "completed"
    (event,) = [event for event in ready.events() if event["event"] == "transitioned"]
    assert (event["by"], event["reason"], event["forced"]) == ("Dana", REASON, ["work-open"])
    assert (needless["forced"], needless["warnings"]) == ([], [])
    assert "forced" not in ready.events("0008-done")[0]
    # It is done once, whatever is open.
    assert ready.run("complete", "7").code == 0


def test_a_document_that_cannot_be_read_is_never_finished_work(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_bytes(b"\xff\xfe")
    refused = project.run("complete", "7")
    without = project.run("complete", "7", "--force")
    forced = project.run("complete", "7", "--force", "--reason", "It was empty")
    assert (1, 2, 0) == (refused.code, without.code, forced.code), without.said
    assert "error[document-unreadable]: tasks.md cannot be read as UTF-8 text" in refused.err
    assert "unlatch complete 0007-smart-discipline --force --reason TEXT" in without.err
    assert ["document-unreadable"] == project.events()[-1]["forced"]
