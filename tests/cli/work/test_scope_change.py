"""resume --update-scope: the increment's files, its items, and the output."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli import scoped
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

CHANGE = "Rules can be switched off"
TITLES = ("Add a switch", "Remember the switch")
TASKS = ("--task", TITLES[0], "--task", TITLES[1])
RESUME = ("resume", "7", "--reason", REASON, "--yes")
SCOPE = (*RESUME, "--update-scope", "--scope", CHANGE, *TASKS)


@pytest.fixture
def ready(completed: Project) -> Project:
    """0007 is completed, its items are closed, and all of its work is done."""
    scoped.write(completed)
    return completed


def entry_of(project: Project) -> dict[str, Any]:
    entry: dict[str, Any] = project.metadata()["reopenHistory"][-1]
    return entry


def test_documents_and_history_say_what_changed_and_nothing_else_does(ready: Project) -> None:
    ready.run(*SCOPE).ends(0)
    entry = entry_of(ready)
    op, at = entry["id"], entry["reopenedAt"][:10]
    spec = scoped.text(ready, "spec.md")
    before = scoped.SPEC.format(status="active")
    assert before == spec[: len(before)]
    appended = spec[len(before) :]
    assert appended.startswith(f"\n## Scope change ({at})\n\n**Reopen**: {op}\n")
    assert f"> {REASON}\n" in appended
    assert f"> {CHANGE}\n" in appended
    tasks = scoped.text(ready, "tasks.md")
    assert tasks == (
        f"{scoped.TASKS}\n## Scope change {at} ({op})\n\n"
        f"### T-004: {TITLES[0]}\n\n**Status**: [ ] pending\n\n"
        f"### T-005: {TITLES[1]}\n\n**Status**: [ ] pending\n"
    )
    assert (entry["reason"], entry["scopeChange"]) == (REASON, CHANGE)
    assert entry["newTasks"] == [
        {"id": "T-004", "title": TITLES[0]},
        {"id": "T-005", "title": TITLES[1]},
    ]
    assert "unwritten" not in entry
    (reopened,) = [event for event in ready.events() if event["event"] == "reopened"]
    assert (reopened["scopeChange"], reopened["tasks"]) == (CHANGE, ["T-004", "T-005"])


def test_the_items_get_both_labels_and_are_told_of_change_and_tasks(ready: Project) -> None:
    done = ready.run(*SCOPE)

    assert OPEN == ready.states()
    assert {
        "github": {"bug", "reopened", "scope-change"},
        "ado": {"ui", "reopened", "scope-change"},
        "jira": {"ux", "reopened", "scope-change"},
    } == ready.labels()
    said = ready.comments()
    assert dict.fromkeys(ALL, 1) == {name: len(told) for name, told in said.items()}
    assert said["github"][0].startswith(f"**Reopened with scope change**: {REASON}\n\n")
    for wanted in (f"**Change**: {CHANGE}", "**New tasks**", f"- [ ] T-004: {TITLES[0]}"):
        assert wanted in said["github"][0]
    for told in (said["ado"][0], said["jira"][0]):
        assert CHANGE in told
        assert f"T-005: {TITLES[1]}" in told
    assert done.out.splitlines()[-2:] == [
        "Tasks: 5 (3 original + 2 new)",
        "Coverage target: 90%",
    ]
    assert done.out.splitlines()[1:3] == [
        "✓ spec.md: the scope change is at the end",
        "✓ tasks.md: T-004, T-005",
    ]


def test_new_tasks_are_linked_to_what_was_named(ready: Project) -> None:
    ready.run(*SCOPE, "--story", "US-002", "--criterion", "AC-US2-01", "--offline")
    ready.run("resume", "7", "--scope", "More", "--story", "US-009", "--offline").ends(
        0, err="note: no story or criterion has the id US-009\n"
    )
    added = scoped.text(ready, "tasks.md").partition("### T-004")[2]
    assert "**User Story**: US-002\n**Satisfies ACs**: AC-US2-01\n" in added


LINKED = {"title": "One thing", "story": "US-001", "criteria": ["AC-US1-02"]}


@pytest.mark.parametrize(
    ("content", "tasks"),
    [
        ("One thing\n\n  Another thing \n", [{"title": "One thing"}, {"title": "Another thing"}]),
        (json.dumps({"tasks": [LINKED]}), [LINKED]),
    ],
    ids=["titles", "json"],
)
def test_tasks_come_from_a_file(
    ready: Project, tmp_path: Path, content: str, tasks: list[dict[str, Any]]
) -> None:
    path = tmp_path / ("tasks.json" if content.startswith("{") else "tasks.txt")
    path.write_text(content)
    ready.run(*RESUME, "--scope", CHANGE, "--tasks-file", str(path), "--offline").ends(0)
    numbered = [{"id": f"T-{number:03}", **task} for number, task in enumerate(tasks, 4)]
    assert numbered == entry_of(ready)["newTasks"]


def test_what_cannot_be_used_changes_nothing(ready: Project, tmp_path: Path) -> None:
    path, before = tmp_path / "tasks.json", ready.tree()
    for content, problem in (
        ('{"tasks": [{"title": ""}]}', "tasks/0/title"),
        ('{"tasks": [{"title": "x", "status": "done"}]}', "tasks/0/status"),
        ('{"tasks": "x"}', "tasks:"),
        ("[", "invalid JSON"),
    ):
        path.write_text(content)
        ready.run(*RESUME, "--scope", CHANGE, "--tasks-file", str(path)).ends(
            1, err=("error[tasks-invalid]", problem)
        )
    for arguments, error in (
        (("--update-scope",), "not-interactive"),
        (("--scope", " "), "change-missing"),
        (("--scope", "x" * 10_001), "change-too-long"),
        (("--scope", CHANGE, "--task", "T-002"), "task-is-id"),
        (("--scope", CHANGE, "--task", " "), "task-unusable"),
        (("--scope", CHANGE, "--task", "x" * 301), "task-unusable"),
        (("--scope", CHANGE, *(["--task", "x"] * 201)), "too-many-tasks"),
    ):
        ready.run(*RESUME, *arguments).ends(2, err=f"error[{error}]")
    assert (before, []) == (ready.tree(), ready.wrote())


def test_what_people_type_stays_what_it_is(ready: Project) -> None:
    change = "$& \\1\n# Tasks\n### T-900: no task\n- [ ] **AC-US1-99**: none\n<!--\n```\n@all"
    ready.run(*RESUME, "--scope", change, "--task", "`$&` <!-- ### T-999: ${x} [x]").ends(0)
    assert entry_of(ready)["scopeChange"] == change
    assert ready.run("complete", "7", "--json").document["error"]["problems"] == [
        "T-004: `$&` \\<!-- ### T-999: ${x} [x]"
    ]


def test_a_step_that_ci_repeats_adds_nothing(ready: Project) -> None:
    ready.run(*SCOPE)
    before, said = ready.tree(), ready.comments()
    done = ready.run(*SCOPE).ends(0)
    assert before == ready.tree()
    assert said == ready.comments()
    assert f"Not repeated, because it was made before: {CHANGE} (T-004, T-005)\n" == done.said


def test_a_description_is_updated_with_new_scope_alone(ready: Project) -> None:
    done = ready.run(*RESUME, "--update-description")
    assert (2, CLOSED) == (done.code, ready.states()), done.said


def test_the_number_of_tasks_in_the_front_matter_follows(ready: Project) -> None:
    front = "---\ntotal_tasks: 3  # all\ncompleted_tasks: 3\n---\n\n"
    tasks = ready.folder() / "tasks.md"
    tasks.write_text(f"{front}{tasks.read_text()}")
    for _ in range(2):
        assert ready.run(*SCOPE).code == 0
    assert tasks.read_text().startswith(front.replace("s: 3  #", "s: 5  #"))


def test_a_dry_run_shows_the_comment_and_the_tasks_and_writes_nothing(ready: Project) -> None:
    before, labels = ready.tree(), ready.labels()
    ready.run(*SCOPE, "--dry-run").ends(
        0,
        out=(
            "Reopened with scope change: Bug discovered",
            f"T-004: {TITLES[0]}",
            "    spec.md and tasks.md would be changed\n",
            "Tasks: 5 (3 original + 2 new)\nCoverage target: 90%\n",
            "add label scope-change",
        ),
    )
    document = ready.run(*SCOPE, "--dry-run", "--json").document
    ready.run("resume", "7", "--update-scope", "--dry-run", "--offline").ends(
        0, out=("Change: (the change)", "Tasks: 3 (3 original + 0 new)\n")
    )
    assert document["scope"]["tasks"] == {"total": 5, "original": 3, "new": 2}
    assert document["items"][0]["addLabels"] == ["reopened", "scope-change"]
    assert before == ready.tree()
    assert (CLOSED, labels) == (ready.states(), ready.labels())
