"""Boxes with marks that nobody knows, from outside: complete, doctor, sync and the item's boxes."""

import pytest
from tests.cli.layouts.folders import spec_kit
from tests.cli.project import Project
from tests.cli.trackers.test_check_boxes import block, created, text, tick
from tests.cli.trackers.test_sync import writes

FORCED = ("--force", "--reason", "It is enough")


@pytest.mark.parametrize("mark", ["!", "?", "~", "/", "", "x "])
def test_complete_refuses_work_with_a_mark_that_nobody_knows(project: Project, mark: str) -> None:
    project.increment(status="active", links=project.items())
    (project.folder() / "tasks.md").write_text(f"# Tasks\n\n- [x] T-001: a\n- [{mark}] T-002: b\n")

    refused = project.run("complete", "7")

    assert (1, True) == (refused.code, "T-002: b" in refused.err), refused.said
    assert [] == writes(project)
    forced = project.run("complete", "7", *FORCED)
    assert 0 == forced.code, forced.said


def test_a_block_that_never_ends_hides_no_open_task_from_complete(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_text("- [x] T-001: a\n\n```\ncode\n\n- [ ] T-002: b\n")

    refused = project.run("complete", "7")
    found = project.run("doctor")

    assert (1, True) == (refused.code, "T-002: b" in refused.err), refused.said
    assert "tasks.md:3" in found.out.replace("\n", ""), found.said
    assert "block-unclosed" in found.out


def test_doctor_names_the_marks_with_their_lines(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_text("# Tasks\n\n- [?] T-001: a\n- [ ] T-002: b\n")
    (project.folder() / "spec.md").write_text("# One\n\n- [!] **AC-US1-01**: c\n")

    found = project.run("doctor", "--json").document["findings"]

    marks = [one["where"].rpartition("/")[2] for one in found if one["id"] == "mark-unknown"]
    assert ["spec.md:3", "tasks.md:3"] == sorted(marks)


def test_a_project_brings_the_old_meaning_of_a_mark_back(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_text("# Tasks\n\n- [x] T-001: a\n- [~] T-002: b\n")
    assert 1 == project.run("complete", "7").code

    project.configure_more(tables='[documents]\ndiscarded_marks = ["~"]')

    assert "mark-unknown" not in project.run("doctor").out
    done = project.run("complete", "7")
    assert 0 == done.code, done.said


def test_a_wrong_mark_in_the_configuration_is_named(project: Project) -> None:
    project.configure_more(tables='[documents]\ndiscarded_marks = ["x"]')
    refused = project.run("sync")
    assert "config-invalid" in refused.err, refused.said
    assert "documents.discarded_marks" in refused.err


def test_a_sync_leaves_marks_and_unticking_on_the_item_restores_them(project: Project) -> None:
    created(project, "github")
    tasks, spec = project.folder() / "tasks.md", project.folder() / "spec.md"
    tasks.write_text("# Tasks\n\n- [x] T-001: a\n- [?] T-002: b\n")
    spec.write_text("# One\n\n- [!] **AC-US1-01**: c\n")
    assert 0 == project.run("sync").code
    before = project.tree()
    assert (0, before) == (project.run("sync").code, project.tree())

    for words in ("T-002: b", "AC-US1-01: c"):
        tick(project, "github", words)
    assert 0 == project.run("sync").code
    assert "- [x] **AC-US1-01**: c\n" in text(project, "spec.md")
    assert "- [x] T-002: b" in text(project, "tasks.md")
    assert {"AC-US1-01": "!"} == block(project, "github")["base"]["boxes"]["marks"]
    for words in ("T-002: b", "AC-US1-01: c"):
        tick(project, "github", words, done=False)
    done = project.run("sync")

    assert 0 == done.code, done.said
    assert "- [!] **AC-US1-01**: c\n" in text(project, "spec.md")
    assert text(project, "tasks.md").endswith("- [?] T-002: b\n")


def test_the_marks_of_another_tool_come_back_too(project: Project) -> None:
    folder = spec_kit(project.root)
    project.configure_more(tables='[layouts]\nuse = ["spec-kit"]')
    tasks = folder / "tasks.md"
    tasks.write_text(tasks.read_text().replace("[ ] T002", "[?] T002"))
    assert 0 == project.run("github", "create-issue", "001-photo-albums").code
    before = tasks.read_text()
    project.box.github.tick("octo/widgets", 1, "T002: ")
    assert 0 == project.run("sync").code
    assert before.replace("[?]", "[X]") == tasks.read_text()

    project.box.github.tick("octo/widgets", 1, "T002: ", done=False)
    done = project.run("sync")

    assert (0, before) == (done.code, tasks.read_text()), done.said
