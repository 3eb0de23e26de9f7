"""Boxes with marks that nobody knows, from outside: complete, doctor, sync and the item's boxes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.layouts.folders import backlog_md, kiro, spec_kit, write
from tests.cli.layouts.test_units import active_change
from tests.cli.project import NAME, Project
from tests.cli.trackers.test_check_boxes import block, created, text, tick
from tests.cli.trackers.test_sync import writes

FORCED = ("--force", "--reason", "It is enough")


@pytest.mark.parametrize("mark", ["?", ""])
def test_complete_refuses_work_with_a_mark_that_nobody_knows(project: Project, mark: str) -> None:
    project.increment(status="active", links=project.items("github"))
    (project.folder() / "tasks.md").write_text(f"# Tasks\n\n- [x] T-001: a\n- [{mark}] T-002: b\n")
    project.run("complete", "7").ends(1, err="T-002: b")
    assert [] == writes(project)
    project.run("complete", "7", *FORCED).ends(0)


def test_a_block_that_never_ends_hides_no_open_task_from_complete(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_text("- [x] T-001: a\n\n```\ncode\n\n- [ ] T-002: b\n")
    project.run("complete", "7").ends(1, err="T-002: b")
    found = project.run("doctor")
    assert "tasks.md:3" in found.out.replace("\n", ""), found.said
    assert "block-unclosed" in found.out


KINDS = ("block-unclosed", "mark-unknown")


def specweave(root: Path) -> Path:
    """A project of SpecWeave with one increment that has no metadata.json; its folder."""
    folder = root / ".specweave/increments" / NAME
    write(root / ".specweave/config.json", "{}\n")
    write(folder / "spec.md", "---\nstatus: active\n---\n# Smart discipline\n")
    write(folder / "tasks.md", "# Tasks\n\n- [x] T-001: a\n- [ ] T-002: b\n")
    return folder


# By layout: what makes a unit, its document with boxes, an open one, and a mark that is not known.
# To OpenSpec every mark but x is open.
LAYOUTS: dict[str, tuple[Callable[[Path], Path], str, str, str]] = {
    "specweave": (specweave, "tasks.md", "T-002", "?"),
    "spec-kit": (spec_kit, "tasks.md", "T002", "!"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_doctor_names_what_complete_refuses_in_units_without_records(
    project: Project, layout: str
) -> None:
    make, name, task, mark = LAYOUTS[layout]
    unit = make(project.root)
    document = unit / name if name else unit
    text = document.read_text().replace(f"[ ] {task}", f"[{mark or '?'}] {task}")
    document.write_text(f"{text}\n```\n- [ ] T009 In a block\n")
    lines = document.read_text().splitlines()
    assert 0 == project.run("init").code
    before = project.tree()
    project.run("complete", unit.stem.partition(" - ")[0]).ends(1, err="work-open")
    found = project.run("doctor", "--json").document["findings"]
    box = next(number for number, line in enumerate(lines, 1) if f"] {task}" in line)
    place = document.relative_to(project.root).as_posix()
    expected = {("block-unclosed", f"{place}:{lines.index('```') + 1}")}
    expected |= {("mark-unknown", f"{place}:{box}")} if mark else set()
    assert expected == {(one["id"], one["where"]) for one in found if one["id"] in KINDS}
    assert before == project.tree()


_SCENARIO = "\n### Requirement: Out\n\n#### Scenario: A\n\n- **WHEN** b\n\n#### Scenario: A\n"
_SCHEMA = "artifacts:\n  - id: tasks\n    generates: work/*.md\napply:\n  tracks: work/*.md\n"
_BUG = "# Bugfix\n\n## Expected Behavior\n\n2.1 WHEN a THEN b\n2.1 WHEN c THEN d\n"
_BOTH = "<<<<<<< a\n=======\n>>>>>>> b\n"


@pytest.mark.parametrize(
    ("make", "document", "text", "finding"),
    [
        (spec_kit, "spec.md", b"# Gr\xfc\xdfe\n", "document-unreadable"),
        (backlog_md, "", _BOTH, "document-in-conflict"),
        (kiro, "tasks.md", "- [ ] 2.1 Again\n", "task-id-twice"),
        (kiro, "bugfix.md", _BUG, "criterion-id-twice"),
        (active_change, "specs/auth/spec.md", _SCENARIO, "criterion-id-twice"),
        (active_change, "work/b.md", "- [ ] 1.1 A\n- [ ] 1.1 B\n", "task-id-twice"),
    ],
)
def test_doctor_names_the_document_of_a_unit_without_records(
    project: Project,
    make: Callable[[Path], Path],
    document: str,
    text: str | bytes,
    finding: str,
) -> None:
    path = make(project.root) / document if document else make(project.root)
    if document == "bugfix.md":
        path.with_name("requirements.md").unlink()
    if document.startswith("work/"):
        write(project.root / "openspec/schemas/spec-driven/schema.yaml", _SCHEMA)
        write(path.with_name("a.md"), "- [ ] 1.1 C\n")
    before = path.read_bytes() if path.exists() and isinstance(text, str) else b""
    path.write_bytes(before + (text.encode() if isinstance(text, str) else text))
    assert 0 == project.run("init").code

    found = project.run("doctor", "--json").document["findings"]

    named = [one["where"] for one in found if one["id"] == finding]
    place = path.relative_to(project.root).as_posix()
    assert [place] == [one.partition(".md:")[0].removesuffix(".md") + ".md" for one in named], found


def test_a_project_brings_the_old_meaning_of_a_mark_back(project: Project) -> None:
    project.increment(status="active")
    (project.folder() / "tasks.md").write_text("# Tasks\n\n- [x] T-001: a\n- [~] T-002: b\n")
    assert 1 == project.run("complete", "7").code
    project.configure_more(tables='[documents]\ndiscarded_marks = ["~"]')
    assert "mark-unknown" not in project.run("doctor").out
    project.run("complete", "7").ends(0)


def test_a_wrong_mark_in_the_configuration_is_named(project: Project) -> None:
    project.configure_more(tables='[documents]\ndiscarded_marks = ["x"]')
    project.run("sync").shows(err=("config-invalid", "documents.discarded_marks"))


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
    project.run("sync").ends(0)
    assert "- [!] **AC-US1-01**: c\n" in text(project, "spec.md")
    assert text(project, "tasks.md").endswith("- [?] T-002: b\n")
