"""Folders of other tools that no tool left like this: conflicts, namesakes, halves, odd names."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.layouts.folders import kiro, openspec, spec_kit, tick, write
from tests.cli.project import REASON, Project

FEATURE, CHANGE, SPEC = "001-photo-albums", "add-login", "photo-albums"
CONFLICT = """\
<<<<<<< HEAD
- [x] 1. Set up
=======
- [x] 1. Set up the project
>>>>>>> other
- [x] 2. Build it
"""


@pytest.fixture(
    params=[FEATURE, *(pytest.param(name, marks=pytest.mark.sweep) for name in (CHANGE, SPEC))]
)
def begun(request: pytest.FixtureRequest, project: Project) -> tuple[Project, str, Path]:
    """A project with an active unit of each tool, linked to an issue; its tasks."""
    spec_kit(project.root)
    openspec(project.root)
    kiro(project.root)
    name: str = request.param
    assert project.run("init").code == 0
    if name == CHANGE:
        project.run("resume", CHANGE, "--reason", REASON, "--yes")
        tasks = project.root / f"openspec/changes/{CHANGE}/tasks.md"
        write(tasks, tasks.read_text("utf-8").replace("- [x] 1.2", "- [ ] 1.2"))
    else:
        place = "specs" if name == FEATURE else ".kiro/specs"
        tasks = project.root / place / name / "tasks.md"
    assert project.run("link", name, "--create", "github").code == 0
    assert project.run("sync").code == 0
    return project, name, tasks


def issue(project: Project, number: int = 1) -> dict[str, Any]:
    return project.box.github.issue("octo/widgets", number)


def record(project: Project, name: str) -> dict[str, Any]:
    path = project.root / ".unlatch/increments" / name / "metadata.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def shown(project: Project, name: str) -> dict[str, Any]:
    listed = {one["id"]: one for one in project.run("list", "--all", "--json").document}
    found: dict[str, Any] = listed[name]
    return found


def test_a_conflict_left_by_git_completes_nothing_unless_it_is_overridden(
    begun: tuple[Project, str, Path],
) -> None:
    project, name, tasks = begun
    body = issue(project)["body"]
    write(tasks, CONFLICT)

    synced = project.run("sync")
    done = project.run("complete", name)

    assert "completed" not in synced.said
    assert "tasks.md has git conflict markers" in synced.said
    assert (done.code, "document-in-conflict" in done.said) == (1, True), done.said
    assert record(project, name)["status"] == "active"
    assert (issue(project)["state"], issue(project)["body"]) == ("open", body)
    assert tasks.read_text("utf-8") == CONFLICT
    forced = project.run("complete", name, "--force", "--reason", "Both sides are done")
    assert forced.code == 0, forced.said
    assert "git conflict markers" in forced.said
    # Nor is it written into.
    more = project.run("resume", name, "--task", "More", "--scope", "M", "--reason", "r", "--yes")
    assert (more.code, "document-in-conflict" in more.said) == (1, True), more.said
    assert tasks.read_text("utf-8") == CONFLICT
    assert record(project, name)["status"] == "completed"


@pytest.mark.sweep
def test_done_tasks_beside_a_document_that_nobody_can_read_complete_nothing(
    begun: tuple[Project, str, Path],
) -> None:
    project, name, tasks = begun
    beside = {FEATURE: "spec.md", CHANGE: "proposal.md", SPEC: "requirements.md"}
    document = tasks.with_name(beside[name])
    before = document.read_bytes()
    document.write_bytes(before + b"Gr\xfc\xdfe\n")
    tick(tasks)

    synced = project.run("sync")
    done = project.run("complete", name)

    assert (1, True) == (done.code, "document-unreadable" in done.said), done.said
    assert ("active", "open") == (record(project, name)["status"], issue(project)["state"])
    assert "completed" not in synced.said
    document.write_bytes(before)
    assert project.run("sync").code == 0
    assert "completed" == shown(project, name)["status"]


@pytest.mark.sweep
@pytest.mark.parametrize("is_synced", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_a_new_change_of_an_old_name_does_not_reopen_the_items_of_the_old(
    project: Project, *, is_synced: bool
) -> None:
    archived = openspec(project.root)
    records = project.root / ".unlatch/increments"
    project.run("init")
    project.run("resume", CHANGE, "--reason", REASON, "--yes")
    project.run("link", CHANGE, "--create", "github")
    project.run("complete", CHANGE)
    new = project.root / f"openspec/changes/{CHANGE}"
    new.rename(archived)
    if is_synced:
        # A write records the place in the archive.
        project.run("unlink", CHANGE, "github")
        project.run("link", CHANGE, issue(project)["html_url"])
    write(new / "tasks.md", "- [ ] 1.1 Other\n")

    synced = project.run("sync")
    broken = shown(project, CHANGE)["broken"]

    assert issue(project)["state"] == "closed", synced.said
    assert broken["id"] == "unit-replaced"
    assert f"mv -- .unlatch/increments/{CHANGE} .unlatch/increments/{archived.name};" in synced.said
    (records / CHANGE).rename(records / archived.name)
    assert shown(project, CHANGE)["status"] == "planning"
    assert shown(project, archived.name)["status"] == "completed"
    assert "both sides are in sync" in project.run("sync").said
    assert issue(project)["state"] == "closed"


@pytest.mark.parametrize("tool", [spec_kit, pytest.param(kiro, marks=pytest.mark.sweep)])
def test_of_two_units_of_one_name_none_is_changed_and_the_others_are(
    project: Project, tool: Callable[[Path], Path]
) -> None:
    unit = tool(project.root)
    openspec(project.root)
    project.run("init")
    project.run("link", unit.name, "--create", "github")
    tick(unit / "tasks.md")
    project.run("complete", unit.name)
    project.run("link", CHANGE, "--create", "github")
    project.run("resume", CHANGE, "--reason", REASON, "--yes", "--offline")
    unit.rename(make(unit.parent / "archive") / unit.name)
    write(unit / "spec.md", "# Other\n")
    write(unit / "tasks.md", "- [ ] T001 Other\n")

    synced = project.run("sync")

    assert issue(project)["state"] == "closed", synced.said
    assert "unit-ambiguous" in synced.said
    assert "reopened" in [one["name"] for one in issue(project, 2)["labels"]]


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_link_in_the_place_of_the_records_breaks_one_unit_alone(
    project: Project, tmp_path: Path
) -> None:
    spec_kit(project.root)
    kiro(project.root)
    project.run("init")
    records = project.root / ".unlatch/increments" / FEATURE
    records.symlink_to(make(tmp_path / "outside"))
    project.run("start", FEATURE).ends(1, "unsafe-path")
    assert shown(project, FEATURE)["broken"]["id"] == "unsafe-path"
    assert shown(project, SPEC)["status"] == "active"
    assert [*(tmp_path / "outside").iterdir()] == []


@pytest.mark.sweep
def test_many_units_that_are_done_at_once_close_no_more_items_than_the_limit(
    project: Project,
) -> None:
    names = [f"00{number}-one" for number in (1, 2, 3)]
    write(project.root / ".specify/memory/constitution.md", "# Constitution\n")
    for name in names:
        write(project.root / "specs" / name / "tasks.md", "- [ ] T001 One\n")
    project.run("init")
    project.run("link", *names, "--create", "github")
    for name in names:
        tick(project.root / "specs" / name / "tasks.md")
    refused, again = (project.run("sync", "--max-items", "2") for _ in range(2))
    assert (refused.code, "too-many-items" in refused.said) == (5, True), refused.said
    # The records follow the files, and the command says so.
    assert refused.said.count("planning -> completed, by spec-kit: 1/1 tasks") == len(names)
    assert (again.code, "too-many-items" in again.said) == (2, True), again.said
    assert {issue(project, number)["state"] for number in (1, 2, 3)} == {"open"}
    project.run("sync", "--max-items", "3").ends(0)
    assert {issue(project, number)["state"] for number in (1, 2, 3)} == {"closed"}


@pytest.mark.sweep
def test_work_that_was_undone_and_done_again_by_hand_is_news(
    begun: tuple[Project, str, Path],
) -> None:
    project, name, tasks = begun
    project.run("unlink", name, "github")  # a sync with items may write the record anyway
    tick(tasks)
    project.run("sync")
    project.run("resume", name, "--reason", REASON, "--yes")
    text = tasks.read_text("utf-8")

    write(tasks, text.replace("- [x]", "- [ ]", 1))
    project.run("sync")
    before = project.tree()
    project.run("sync")
    assert before == project.tree()
    write(tasks, text)
    project.run("sync")

    assert record(project, name)["status"] == "completed"
