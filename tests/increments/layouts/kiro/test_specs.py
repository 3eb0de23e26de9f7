"""The folders of specs, in use and archived."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.increments.layouts.kiro.specs import UNIT, texts

from unlatch.increments.layouts.kiro import KIRO
from unlatch.testing.layouts import check_layout

if TYPE_CHECKING:
    from pathlib import Path

TASKS = "# Implementation Plan\n\n- [x] 1. A\n  - [x] 1.1 B\n  - [ ]* 1.2 C\n\n- [-] 2. D\n"
REQUIREMENTS = "# Requirements Document\n\n### Requirement 1: A\n\n#### Criteria\n\n1. a\n2. b\n"
RECORD = '{"specId": "0f4a", "workflowType": "requirements-first", "specType": "feature"}'


def project(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"tasks.md": TASKS, "requirements.md": REQUIREMENTS, ".config.kiro": RECORD}
        path.write_text(content.get(path.name, ""))
    return root


def listed(root: Path) -> list[tuple[str, str, bool]]:
    units = KIRO.units(root)
    return [(one.key, one.place.relative_to(root).as_posix(), one.archived) for one in units]


@pytest.mark.parametrize(
    ("path", "key", "archived"),
    [
        (".kiro/specs/login/tasks.md", "login", False),
        (".kiro/specs/login/bugfix.md", "login", False),
        (".kiro/specs/login/spec.json", "login", False),
        (".kiro/specs/login/.config.kiro", "login", False),
        (".kiro/specs/2-login/design.md", "2-login", False),
        (".kiro/specs/2026-01-02-login/design.md", "2026-01-02-login", False),
        (".kiro/specs/backend/login/tasks.md", "login", False),
        (".kiro/specs/archive/login/tasks.md", "login", True),
        (".kiro/specs/_archived/login/tasks.md", "login", True),
        (".kiro/specs/archive/2026-01-02-login/tasks.md", "login", True),
        (".kiro/specs/archive/2026/login/tasks.md", "login", True),
        (".kiro/specs/done/login/tasks.md", "login", True),
        (".kiro/specs/archive/tasks.md", "archive", False),
        (".kiro/archive/login/tasks.md", "login", True),
        (".kiro-archive/login/tasks.md", "login", True),
        (".kiro-archive/specs/login/tasks.md", "login", True),
    ],
)
def test_a_folder_with_a_document_of_kiro_is_a_unit(
    tmp_path: Path, path: str, key: str, *, archived: bool
) -> None:
    project(tmp_path, path)
    assert listed(tmp_path) == [(key, path.rpartition("/")[0], archived)]
    (unit,) = KIRO.units(tmp_path)
    assert KIRO.home(unit) == (tmp_path / ".kiro/specs" / key if archived else unit.place)


def test_other_folders_are_no_units(tmp_path: Path) -> None:
    project(tmp_path, ".kiro/specs/README.md", ".kiro/specs/empty/notes.md", ".kiro/steering/a.md")
    assert KIRO.detect(tmp_path)
    assert listed(tmp_path) == []
    assert not KIRO.detect(tmp_path / ".kiro/steering")


def test_a_key_is_listed_once_in_use_and_once_archived(tmp_path: Path) -> None:
    project(
        tmp_path,
        ".kiro/specs/login/tasks.md",
        ".kiro/specs/archive/login/tasks.md",
        ".kiro-archive/specs/login/tasks.md",
    )
    assert listed(tmp_path) == [
        ("login", ".kiro/specs/archive/login", True),
        ("login", ".kiro/specs/login", False),
    ]


def test_the_id_in_kiros_record_is_the_uid(tmp_path: Path) -> None:
    project(tmp_path, ".kiro/specs/a/.config.kiro", ".kiro/specs/b/tasks.md")
    assert [one.uid for one in KIRO.units(tmp_path)] == ["0f4a", None]
    for text in ("", "{", "[1]", '{"specId": 7}', '{"specId": ""}', "\0", "[" * 100_000):
        (tmp_path / ".kiro/specs/a/.config.kiro").write_text(text)
        assert [one.uid for one in KIRO.units(tmp_path)] == [None, None]


def test_an_archived_spec_is_completed() -> None:
    found = KIRO.evidence(replace(UNIT, archived=True), texts("- [ ] 1. A\n"))
    assert found
    assert (found.status.value, found.by) == ("completed", "archive")


def test_items_in_documents_are_suggested() -> None:
    given = texts("- [ ] 1. A (octo/widgets#7)\n", requirements="Issue #9\n", design="#9, #11\n")
    assert KIRO.links(given) == ("#9", "#11", "octo/widgets#7")


def test_it_conforms(tmp_path: Path) -> None:
    root = project(
        tmp_path / "root",
        ".kiro/specs/login/requirements.md",
        ".kiro/specs/login/tasks.md",
        ".kiro/specs/login/.config.kiro",
        ".kiro/specs/group/search/bugfix.md",
        ".kiro/specs/group/search/tasks.md",
        ".kiro/specs/archive/2026-01-02-old/tasks.md",
        ".kiro-archive/specs/older/tasks.md",
    )
    check_layout(KIRO, root, tmp_path)
