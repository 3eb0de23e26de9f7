"""The folders of specs, in use and archived, and their stories and criteria."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.increments.layouts.kiro.specs import UNIT, criteria_in, stories_in, texts

from unlatch.testing.layouts import check_layout
from unlatch_layouts.kiro import KIRO

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


BUGFIX = """# Bugfix Requirements Document

## Bug Analysis

### Current Behavior (Defect)

1.1 WHEN a user signs in twice THEN the page is empty

### Expected Behavior (Correct)

2.1 WHEN a user signs in twice THEN the system SHALL show the page
2.2 WHEN it fails THEN the system SHALL say why

### Unchanged Behavior (Regression Prevention)

3.1 WHEN a user signs in once THEN the system SHALL CONTINUE TO show the page
"""


RUSSIAN = "Документ требований"


@pytest.mark.parametrize(
    ("heading", "criteria"),
    [
        ("Requirement 1: Find", "Acceptance Criteria"),
        ("Requirement 1 - Find", "Acceptance Criteria"),
        ("**Requirement 1**: Find", "Acceptance Criteria"),
        ("1. Find", "Acceptance Criteria"),
        ("1 Find", "Acceptance Criteria"),
        ("\u8981\u4ef6 1: Find", "\u53d7\u3051\u5165\u308c\u57fa\u6e96"),
        ("\u9700\u6c42 1\uff1aFind", "\u9a8c\u6536\u6807\u51c6"),
        ("Exigence 1 : Find", "Crit\u00e8res d'acceptation"),
    ],
)
def test_a_requirement_is_a_story_in_any_language(heading: str, criteria: str) -> None:
    text = f"# Doc\n\n### {heading}\n\n**As:** a user\n\n#### {criteria}\n\n1. WHEN a\n2. IF b\n"
    (story,) = stories_in(text)
    assert (story.id, story.title, story.line) == ("R1", "Find", 3)
    assert criteria_in(text) == [("R1.1", "WHEN a"), ("R1.2", "IF b")]
    assert all(one.done is None and one.story == "R1" for one in story.criteria)


def test_a_story_without_a_title_has_the_words_of_its_user_story() -> None:
    text = "### Requirement 1\n\n**User Story:** As a user, I want it.\n\n#### A\n1. c\n"
    assert [one.title for one in stories_in(text)] == ["As a user, I want it."]
    long = text.replace("want it", "want " + "much " * 100)
    (story,) = stories_in(long)
    assert len(story.title) <= 123
    assert story.title.endswith("much...")


def test_only_the_numbered_lines_of_the_criteria_are_criteria() -> None:
    text = (
        "## Introduction\n1. no\n\n### Requirement 2: Find\n\n1. no\n\n#### Acceptance Criteria\n\n"
        "1. WHEN `a`:\n   - a detail\n   1. a step\n2) IF b  \n\n```\n3. code\n```\n"
        "#### Notes\n\n1. no\n\n### Glossary\n1. no\n\n## Phase 7\n1. no\n"
    )
    assert criteria_in(text) == [("R2.1", "WHEN `a`:"), ("R2.2", "IF b")]
    assert [one.id for one in stories_in(text)] == ["R2"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1. a\n1. b\n1. c\n", ["R1.1", "R1.2", "R1.3"]),
        ("3. a\n4. b\n", ["R1.3", "R1.4"]),
        ("- 1.1 a\n- 1.2 b\n", ["R1.1", "R1.2"]),
        ("- **1.1** a\n- **1.2**: b\n", ["R1.1", "R1.2"]),
        ("1.1. a\n\n1.2. b\n", ["R1.1", "R1.2"]),
        ("  1. a\n  2. b\n     1. c\n", ["R1.1", "R1.2"]),
        ("**One**\n1. a\n\n**Two**\n2. b\n", ["R1.1", "R1.2"]),
        ("- [ ] 1.1 a\n- [x] 1.2 b\n", ["R1.1", "R1.2"]),
        ("WHEN a\n", []),
    ],
)
def test_criteria_have_the_numbers_that_tasks_name(lines: str, expected: list[str]) -> None:
    text = f"### Requirement 1: Find\n\n#### Acceptance Criteria\n\n{lines}"
    assert [one for one, _ in criteria_in(text)] == expected
    assert len(stories_in(text)) == 1


def test_a_bugfix_has_the_expected_and_the_unchanged_behavior() -> None:
    spec = KIRO.read(texts(bugfix=BUGFIX)).spec
    assert [(one.id, one.title) for one in spec.stories] == [
        ("R2", "Expected Behavior (Correct)"),
        ("R3", "Unchanged Behavior (Regression Prevention)"),
    ]
    assert [one.id for one in spec.criteria] == ["R2.1", "R2.2", "R3.1"]


@pytest.mark.parametrize(
    ("document", "heading", "expected"),
    [
        ("requirements", "Requirements Document", None),
        ("requirements", "Requirements Document: Photo Albums", "Photo Albums"),
        ("requirements", "Requirements: a: b", "a: b"),
        ("requirements", "Photo Albums - Requirements", "Photo Albums"),
        ("requirements", "Photo Albums", "Photo Albums"),
        ("requirements", "\u8981\u4ef6\u5b9a\u7fa9\u66f8", None),
        ("requirements", "\u8981\u4ef6\u5b9a\u7fa9\u66f8\uff1a\u5199\u771f", "\u5199\u771f"),
        ("requirements", "\u9700\u6c42\u6587\u6863", None),
        ("requirements", RUSSIAN, None),
        ("requirements", "Documento de requisitos", None),
        ("bugfix", "Bugfix Requirements Document", None),
        ("bugfix", "Bug Fix: Empty page", "Empty page"),
        ("design", "Design Document: Photo Albums", "Photo Albums"),
        ("tasks", "Implementation Plan: Photo Albums", "Photo Albums"),
        ("tasks", "\u5b9f\u88c5\u8a08\u753b", None),
        ("tasks", "Implementation Plan", None),
        ("design", "技術設計書", None),
        ("design", "Technisches Design", None),
        ("requirements", "功能规格说明\uff1a相册", "相册"),
    ],
)
def test_the_title_is_without_the_kind_of_the_document(
    document: str, heading: str, expected: str | None
) -> None:
    given = {"requirements": "", "tasks": "", document: f"\ufeff# {heading}\r\n"}
    assert KIRO.read(texts(**given)).spec.title == expected
