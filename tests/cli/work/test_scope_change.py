"""resume --update-scope: the increment's files, its items, and the output."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli import scoped
from tests.cli.output.test_documents import check, check_files
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project

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


def test_scripts_get_the_same(ready: Project) -> None:
    document = ready.run(*SCOPE, "--story", "US-002", "--json").document

    assert ["4", "101", "SCRUM-28"] == [one["id"] for one in document["scope"].pop("undescribed")]
    assert document["scope"] == {
        "change": CHANGE,
        "parts": [],
        "newTasks": [
            {"id": "T-004", "title": TITLES[0], "story": "US-002", "criteria": []},
            {"id": "T-005", "title": TITLES[1], "story": "US-002", "criteria": []},
        ],
        "tasks": {"total": 5, "original": 3, "new": 2},
        "coverageTarget": 90,
        "spared": [],
        "unwritten": [],
    }
    assert document["reopen"]["scopeChange"] == CHANGE


@pytest.mark.parametrize(
    ("place", "written", "wanted"),
    [("spec.md", "coverage_target: 95", 95), ("metadata.json", {"coverageTarget": 80}, 80)],
)
def test_the_coverage_target_is_found_in_other_places(
    project: Project, place: str, written: Any, wanted: int
) -> None:
    more = written if isinstance(written, dict) else {}
    project.increment(**more)
    if place == "spec.md":
        (project.folder() / place).write_text(f"---\n{written}\n---\n# Smart discipline\n")
    document = project.run(*SCOPE, "--json").document
    assert wanted == document["scope"]["coverageTarget"]


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


def test_undo_and_complete_take_the_label_away_and_leave_the_documents(ready: Project) -> None:
    before = ready.labels()
    ready.run(*SCOPE)
    tasks = scoped.text(ready, "tasks.md")
    ready.run("undo", "7", "--yes").ends(0, err="the documents keep the text of the reopen")
    assert before == ready.labels()
    assert tasks == scoped.text(ready, "tasks.md")
    ready.run(*SCOPE)
    ready.run("complete", "7", "--force", "--reason", "Enough")
    assert {
        "github": {"bug", "completed"},
        "ado": {"ui", "completed"},
        "jira": {"ux", "completed"},
    } == ready.labels()


def test_an_active_increment_gets_more_to_do_without_a_reopen(project: Project) -> None:
    project.increment(status="active", links=project.items(finished=False))
    scoped.write(project, status="active")
    project.run("resume", "7", "--scope", CHANGE, *TASKS).ends(0)
    (entry,) = project.metadata()["amendments"]
    assert (entry["scopeChange"], len(entry["newTasks"])) == (CHANGE, 2)
    assert "reopenHistory" not in project.metadata()
    assert project.labels()["github"] == {"bug", "scope-change"}
    (said,) = project.comments()["github"]
    assert said.startswith(f"**Scope changed**: {CHANGE}\n\n")
    assert f"- [ ] T-004: {TITLES[0]}" in said
    assert next(event["event"] for event in project.events()) == "amended"
    assert "T-005" in scoped.text(project, "tasks.md")


def test_a_step_that_ci_repeats_adds_nothing(ready: Project) -> None:
    ready.run(*SCOPE)
    before, said = ready.tree(), ready.comments()
    done = ready.run(*SCOPE).ends(0)
    assert before == ready.tree()
    assert said == ready.comments()
    assert f"Not repeated, because it was made before: {CHANGE} (T-004, T-005)\n" == done.said


def test_a_paused_increment_is_resumed_and_gets_more_to_do(project: Project) -> None:
    project.increment(status="paused")
    scoped.write(project, status="paused")

    done = project.run("resume", "7", "--scope", CHANGE, *TASKS)

    assert done.code == 0, done.said
    assert project.metadata()["status"] == "active"
    assert "T-005" in scoped.text(project, "tasks.md")


def test_an_archived_increment_comes_back_and_missing_documents_are_made(project: Project) -> None:
    project.increment(archived=True)
    (project.increments / "_archive" / NAME / "spec.md").unlink()
    (project.increments / "_archive" / NAME / "tasks.md").unlink()
    project.run(*SCOPE).ends(0)
    assert scoped.text(project, "tasks.md").startswith("# Tasks\n\n## Scope change ")
    assert "### T-002: Remember the switch" in scoped.text(project, "tasks.md")
    assert f"> {CHANGE}\n" in scoped.text(project, "spec.md")


@pytest.mark.parametrize("name", ["spec.md", "tasks.md"])
def test_a_document_that_is_no_text_is_not_overwritten(ready: Project, name: str) -> None:
    (ready.folder() / name).write_bytes(b"\xff\xfe\x00")
    before = ready.tree()
    ready.run(*SCOPE).ends(1, err="error[document-unreadable]")
    assert before == ready.tree()
    assert ready.wrote() == []


def test_the_check_boxes_of_an_item_that_unlatch_made_follow(project: Project) -> None:
    project.increment(status="active")
    scoped.write(project, status="active")
    project.run("github", "create-issue", "7")
    project.run("complete", "7")
    project.run(*SCOPE).ends(0)
    link = project.metadata()["github"]
    issue = project.box.github.issue("octo/widgets", link["issue"])
    assert f"- [ ] T-004: {TITLES[0]}" in issue["body"]
    assert issue["state"] == "open"
    kinds = [event["kind"] for event in project.events() if event["event"] == "delivered"]
    assert kinds == ["create", "close", "reopen", "update"]
    assert "pending" not in project.metadata()


@pytest.mark.parametrize("describe", [False, True])
def test_linked_items_list_the_new_tasks_only_where_that_is_asked_for(
    ready: Project, describe: bool
) -> None:
    options = ("--update-description",) if describe else ()
    done = ready.run(*SCOPE, *options).ends(0)
    commands = [
        f"{key} does not list the new tasks: unlatch {name} update-{noun} {NAME}"
        for name, key, noun in (
            ("github", "octo/widgets#4", "issue"),
            ("ado", "fabrikam/widgets 101", "work-item"),
            ("jira", "SCRUM-28", "issue"),
        )
    ]
    assert [not describe] * 3 == [command in done.err for command in commands], done.said
    bodies = [
        ready.box.github.issue("octo/widgets", 4)["body"],
        ready.box.ado.work_item(101)["fields"].get("System.Description"),
        json.dumps(ready.box.jira.issue("SCRUM-28")["fields"]["description"]),
    ]
    assert [describe] * 3 == [f"T-004: {TITLES[0]}" in (body or "") for body in bodies]
    if not describe:
        assert ready.run(*commands[0].partition(": unlatch ")[2].split()).code == 0
        assert f"T-004: {TITLES[0]}" in ready.box.github.issue("octo/widgets", 4)["body"]


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


def test_offline_leaves_the_items_and_not_the_documents(ready: Project) -> None:
    body = ready.box.github.issue("octo/widgets", 4)["body"]
    ready.run(*SCOPE, "--offline", "--comment", "short")
    assert "T-005" in scoped.text(ready, "tasks.md")
    assert ready.wrote() == []
    ready.run("sync", "7")
    # The short style leaves the tasks out.
    said = ready.comments()["github"][0]
    assert said.startswith(f"**Reopened with scope change**: {REASON}\n\n<!-- unlatch:op=")
    assert "scope-change" in ready.labels()["github"]
    # The body of an item that people made is left alone.
    assert body == ready.box.github.issue("octo/widgets", 4)["body"]


def test_documents_and_files_keep_their_schemas_and_history_tells_all(ready: Project) -> None:
    check(ready, "dry-run", *SCOPE, "--dry-run")
    check(ready, "resume", *SCOPE, "--story", "US-001", "--criterion", "AC-US1-01")
    check_files(ready)
    check(ready, "resume", "resume", "7", "--scope", "And more", "--task", "Write it down")
    check(ready, "resume", "reopen", "7", "--task", "T-001", "--story", "US-002")
    check_files(ready)
    check(ready, "error", "complete", "7")
    check(ready, "complete", "complete", "7", "--force", "--reason", "Enough")
    check_files(ready)

    told = ready.run("history", "7").out

    for wanted in (
        f"scope: {CHANGE}",
        "scope changed: And more",
        "to be done again: T-001",
        "active -> completed: Enough (forced: work-open)",
    ):
        assert wanted in told
