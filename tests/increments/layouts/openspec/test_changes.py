"""The changes of a project, and the documents of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.increments.layouts.openspec.making import units, write

from unlatch.increments.layouts.openspec import OPENSPEC
from unlatch.increments.layouts.openspec.changes import archive_command
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence

if TYPE_CHECKING:
    from pathlib import Path

CHANGES = "openspec/changes"


@pytest.mark.parametrize("marker", ["config.yaml", "project.md", "changes/add-login/tasks.md"])
def test_a_project_is_detected_by_any_of_its_markers(tmp_path: Path, marker: str) -> None:
    assert not OPENSPEC.detect(tmp_path)
    assert OPENSPEC.detect(write(tmp_path, {f"openspec/{marker}": ""}))


def test_an_archived_change_has_its_name_without_the_date(tmp_path: Path) -> None:
    write(tmp_path, {f"{CHANGES}/add-one/a": "", f"{CHANGES}/archive/2026-01-24-add-two/a": ""})
    found = units(tmp_path)
    assert ["add-one", "add-two"] == list(found)
    assert not found["add-one"].archived
    archived = found["add-two"]
    assert (True, tmp_path / CHANGES / "add-two") == (archived.archived, OPENSPEC.home(archived))


def test_an_archived_change_keeps_its_date_unless_its_name_is_free(tmp_path: Path) -> None:
    """A change in use has its name before archived ones; of two archived, the newer."""
    keys = {
        "2025-12-31-add-a": "2025-12-31-add-a",
        "2026-01-24-add-a": "add-a",
        "2026-01-25-2026-01-24-add-a": "2026-01-25-2026-01-24-add-a",
        "2026-02-01-add-b": "2026-02-01-add-b",
        "add-b": "add-b",
        "2025-12-31-used": "2025-12-31-used",
        "2026-01-24-used": "2026-01-24-used",
        "2026-01-24-recorded": "2026-01-24-recorded",
    }
    archive = f"{CHANGES}/archive"
    write(tmp_path, {f"{archive}/{name}/a": "" for name in keys} | {f"{CHANGES}/used/a": ""})
    write(tmp_path, {".unlatch/increments/2026-01-24-recorded/a": ""})
    # Files, links and hidden folders are no changes.
    no_changes = (f"{CHANGES}/README.md", f"{CHANGES}/.tmp/a", f"{archive}/R.md", f"{archive}/.t/a")
    write(tmp_path, dict.fromkeys(no_changes, ""))
    (tmp_path / CHANGES / "linked").symlink_to("used")
    found = {unit.place.name: key for key, unit in units(tmp_path).items()}
    assert found == {"used": "used", **keys}
    assert [one.key for one in units(tmp_path).values() if not one.archived] == ["used"]


def test_the_documents_are_the_proposal_the_tasks_and_the_changed_specifications(
    tmp_path: Path,
) -> None:
    names = (
        "design.md",
        "specs/b/spec.md",
        "specs/a/c/spec.md",
        "specs/spec.md",
        "specs/a/notes.md",
    )
    write(tmp_path, {f"{CHANGES}/add-one/{name}": "" for name in (*names, "specs/.d/spec.md")})
    unit = units(tmp_path)["add-one"]
    expected = ["proposal.md", "tasks.md", "specs/a/c/spec.md", "specs/b/spec.md"]
    assert expected == list(OPENSPEC.documents(unit))


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ("- [x] 1.1 a\n- [X] b\n", Evidence(Status.COMPLETED, "2/2 tasks")),
        ("- [x] 1.1 a\n- [~] b\n", Evidence(Status.ACTIVE, "1/2 tasks")),
        ("- [-] 1.1 a\n", Evidence(Status.ACTIVE, "0/1 tasks")),
        ("- [ ] 1.1 a\n", Evidence(Status.PLANNING, "0/1 tasks")),
        ("", None),
    ],
)
def test_the_archive_shows_the_status_else_the_tasks(
    tmp_path: Path, tasks: str, expected: Evidence | None
) -> None:
    names = ("add-one", "archive/2026-01-24-add-two")
    write(tmp_path, {f"{CHANGES}/{name}/tasks.md": tasks for name in names})
    found, texts = units(tmp_path), {"proposal.md": "", "tasks.md": tasks}
    assert expected == OPENSPEC.evidence(found["add-one"], texts)
    completed = Evidence(Status.COMPLETED, "archive")
    assert completed == OPENSPEC.evidence(found["add-two"], texts)


def test_archiving_names_the_change_last_and_asks_nothing(tmp_path: Path) -> None:
    unit = units(write(tmp_path, {f"{CHANGES}/--help/a": ""}))["--help"]
    assert ("openspec", "archive", "--yes", "--", "--help") == archive_command(unit)
