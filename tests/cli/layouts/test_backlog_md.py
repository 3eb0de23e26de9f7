"""Tasks of Backlog.md from outside: each is a file, and its folder says whether it is finished."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.layouts.folders import backlog_md, write
from tests.cli.layouts.test_units import issue, listed, record
from tests.cli.project import REASON, Project

NAME = "Log-in-safely.md"


@pytest.fixture
def tasks(project: Project) -> Project:
    backlog_md(project.root)
    assert project.run("init").code == 0
    return project


def place(project: Project, folder: str, id_: int, *, kind: str = "task") -> Path:
    return project.root / "backlog" / folder / f"{kind}-{id_} - {NAME}"


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def create(project: Project, name: str = "TASK-2") -> dict[str, Any]:
    project.run("link", name, "--create", "github").ends(0)
    return issue(project)


def test_each_file_is_a_unit_with_the_status_of_its_folder(project: Project) -> None:
    backlog_md(project.root)
    done = project.run("init")
    counts = "4 units (1 planning, 1 active, 1 completed, 1 abandoned)"
    assert f"Found Backlog.md: {counts}. It is read." in done.err
    rows = [line.split() for line in project.run("list", "--all").out.splitlines()[1:]]
    title = ["Log", "in:", '"safely"']
    assert [
        ["DRAFT-1", "planning", "draft", *title],
        ["TASK-2", "active", "In", "Progress", *title],
        ["TASK-5", "completed", "(archived)", "completed", "folder", *title],
        ["TASK-6", "abandoned", "(archived)", "archive", *title],
    ] == rows


def test_complete_writes_the_last_status_and_names_the_tools_own_command(tasks: Project) -> None:
    create(tasks)
    tasks.run("complete", "TASK-2").ends(1, "Attempts are counted")
    before = place(tasks, "tasks", 2)
    change(before, "[ ] #2", "[x] #2")
    text = before.read_text("utf-8")
    done = tasks.run("complete", "TASK-2").ends(0, err="Next: backlog task complete TASK-2")
    assert text.replace("status: In Progress", "status: Done") == before.read_text("utf-8")
    assert issue(tasks)["state"] == "closed"
    before.rename(place(tasks, "completed", 2))
    assert listed(tasks)["TASK-2"]["status"] == "completed"
    assert tasks.run("sync").code == 0  # the item gets the tick
    assert (0, "") == ((done := tasks.run("sync")).code, done.out), done.said


def test_a_completed_task_moves_back_and_is_in_progress(tasks: Project) -> None:
    create(tasks, "TASK-5")
    old, new = place(tasks, "completed", 5), place(tasks, "tasks", 5)
    before = old.read_text("utf-8")
    # git keeps no empty folder.
    shutil.rmtree(new.parent)
    scope = ("--scope", "Lock it", "--task", "Count attempts")
    tasks.run("resume", "TASK-5", "--reason", REASON, *scope, "--yes").ends(
        0, out=f"Moved out of the archive: backlog/tasks/{new.name}"
    )
    assert not old.exists()
    after = new.read_text("utf-8")
    head, _, end = before.replace("To Do", "In Progress").partition("<!-- AC:END -->\n\n## Def")
    assert (True, True) == (after.startswith(head), after.endswith(end))
    assert "\n- [ ] #3 Count attempts\n<!-- AC:END -->\n" in after
    assert record(tasks, "TASK-5")["unit"] == {
        "layout": "backlog-md",
        "path": f"backlog/tasks/{new.name}",
        "shows": "active",
        "by": "In Progress",
    }
    assert tasks.run("undo", "TASK-5", "--yes").code == 0
    assert "status: Done\n" in new.read_text("utf-8")
    assert listed(tasks)["TASK-5"]["status"] == "completed"


def test_what_the_tool_does_with_a_task_is_adopted(tasks: Project) -> None:
    create(tasks)
    change(path := place(tasks, "tasks", 2), "In Progress", "Done")
    done = tasks.run("sync")
    assert "active -> completed, by Backlog.md: Done" in done.said
    assert issue(tasks)["state"] == "closed"
    change(path, "status: Done", "status: To Do")
    done = tasks.run("sync")
    assert "completed -> active, by Backlog.md: To Do" in done.said
    assert issue(tasks)["state"] == "open"
    assert "status: To Do" in path.read_text("utf-8")
    assert (0, "") == ((done := tasks.run("sync")).code, done.out), done.said


def test_two_files_with_one_id_are_both_named_and_neither_is_written(tasks: Project) -> None:
    create(tasks)
    other = place(tasks, "tasks", 2).with_name("task-02 - Other.md")
    write(other, "---\nid: TASK-02\ntitle: Other\nstatus: Done\n---\n")
    before = tasks.tree()

    shown = listed(tasks)["TASK-2"]["broken"]
    runs = {
        command: tasks.run(command, "TASK-2", *more)
        for command, more in {
            "resume": ("--reason", REASON, "--yes"),
            "complete": ("--force", "--reason", REASON),
            "show": (),
        }.items()
    }
    synced = tasks.run("sync")

    assert "unit-ambiguous" == shown["id"]
    for done in runs.values():
        assert done.code, done.said
        assert f"backlog/tasks/task-2 - {NAME}" in done.said
        assert "backlog/tasks/task-02 - Other.md" in done.said
    assert (5, "open") == (synced.code, issue(tasks)["state"]), synced.said
    assert before == tasks.tree()


def test_a_change_of_one_file_is_a_change_of_its_task_alone(tasks: Project) -> None:
    write(place(tasks, "tasks", 3), "---\nid: TASK-3\ntitle: Other\nstatus: To Do\n---\n")
    create(tasks)
    tasks.git("init", "--quiet", "--initial-branch=main")
    tasks.commit()
    tasks.git("checkout", "--quiet", "-b", "work")
    change(place(tasks, "tasks", 2), "[ ] #2", "[x] #2")
    tasks.commit("Count attempts")
    found = tasks.run("sync", "--changed-since", "main", "--dry-run", "--json")
    assert ["TASK-2"] == [one["increment"] for one in found.document["compared"]]
