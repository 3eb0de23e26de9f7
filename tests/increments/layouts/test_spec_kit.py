"""Features of spec-kit: where they are, how they read, and how a scope change is written."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.layouts.interface import Texts
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.testing.layouts import check_layout, check_texts, texts_of
from unlatch.worklog.disk.safe_open import add_root
from unlatch_layouts.spec_kit.layout import SPEC_KIT

ULID = "01M8ZZZZZZZZZZZZZZZZZZZZZ0"
UNIT = Unit("spec-kit", "001-photo", Path("specs/001-photo"))

SPEC = """\
# Feature Specification: Photo albums

**Status**: Draft
**Input**: Issue #89

## User Scenarios & Testing *(mandatory)*

### User Story 1 - Make an album (Priority: P1)

A user makes an album.

**Acceptance Scenarios**:

1. **Given** photos, **When** an album is made, **Then** it has them
2. **Given** no photos, **When** an album is made, **Then** it is empty

---

### User Story 2 - Share it (Priority: P2)

1. **Given** an album, **When** it is shared, **Then** others see it

## Requirements *(mandatory)*

### Functional Requirements

- **FR-001**: System MUST keep albums
- **FR-002 (later)**: System MUST share albums

### Measurable Outcomes

- **SC-001**: An album opens within a second
"""
TASKS = """\
# Tasks: Photo albums

## Format: `[ID] [P?] [Story] Description`

- **[P]**: Can run in parallel

## Phase 1: Setup

- [X] T001 Create the project
- [ ] T002 [P] Configure linting

## Phase 2: User Story 1 - Make an album (Priority: P1)

### Tests for User Story 1

- [X] T003 [P] [US1] Test albums in tests/test_album.py (FR-001, US1/AC2)
- [ ] T004 Implement albums
- [-] T005 [US1] (SUPERSEDED) Cache them
- [/] T006 [US2] Share them

## Parallel Example: User Story 1

```text
- [ ] T900 not a task
```
"""
TEXTS = {"spec.md": SPEC, "tasks.md": TASKS}


def tasks_of(text: str) -> tuple[Task, ...]:
    return SPEC_KIT.read({"spec.md": SPEC, "tasks.md": text}).tasks


def applied(change: str | None, *tasks: NewTask, parts: tuple[str, ...] = ()) -> AppliedAmendment:
    at = datetime(2026, 7, 1, tzinfo=UTC)
    return AppliedAmendment(ULID, at, "Dana Demo", Amendment(change, tasks, parts))


def feature(root: Path, name: str, texts: Texts = TEXTS) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode())
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_root(tmp_path / "root")
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_the_layout_conforms(root: Path, tmp_path: Path) -> None:
    feature(root, "specs/001-photo")
    feature(root, "specs/20260131-142530-share", {"spec.md": "# Share\n"})
    feature(root, "specs/archive/000-old", {**TEXTS, "tasks.md": "- [x] one\n- [ ] two\n"})
    check_layout(SPEC_KIT, root, tmp_path)


def test_stories_scenarios_and_requirements_are_read() -> None:
    spec = SPEC_KIT.read(TEXTS).spec
    assert "Photo albums" == spec.title
    assert [("US1", "Make an album", 2), ("US2", "Share it", 1)] == [
        (one.id, one.title, len(one.criteria)) for one in spec.stories
    ]
    assert ["US1/AC1", "US1/AC2", "US2/AC1", "FR-001", "FR-002", "SC-001"] == [
        one.id for one in spec.criteria
    ]
    assert "(later) System MUST share albums" == spec.criteria[4].text
    assert {None} == {one.done for one in spec.criteria}


@pytest.mark.parametrize(
    ("line", "id", "title", "story"),
    [
        ("- [ ] **T001** [P] Bold", "T001", "Bold", None),
        ("- [ ] **T001: Bold title** and more", "T001", "Bold title and more", None),
        ("- [ ] **T001** **[US2]** Bold story", "T001", "Bold story", "US2"),
        ("1. [ ] T001 - Numbered", "T001", "Numbered", None),
        ("  - [ ] T001a Nested", "T001a", "Nested", None),
        ("- [ ] T012.5 Between", "T012.5", "Between", None),
        ("- [ ] `T001` Code", "T001", "Code", None),
        ("- [ ] T009 (done by CI) [US1] Refresh", "T009", "(done by CI) [US1] Refresh", "US1"),
        ("- [ ] T010 [US1, US2] Both", "T010", "Both", "US1"),
        ("- [ ] Verify the quickstart", "#1", "Verify the quickstart", None),
        ("- [ ] T001 \u521d\u59cb\u5316", "T001", "\u521d\u59cb\u5316", None),
        ("- [ ]", "#1", "", None),
        ("- [x] [T001] [P1] [Setup] Brackets", "T001", "[Setup] Brackets", None),
        ("- [ ] [P] T005 [P] [US1] Mark first", "T005", "Mark first", "US1"),
        ("- [ ] T066 [US3c] Letter", "T066", "Letter", "US3c"),
        ("- [ ] ~~T009 Remove it~~ \u2014 cancelled", "T009", "Remove it \u2014 cancelled", None),
        ("- [ ] T015 Comment <!-- id: 15 -->", "T015", "Comment", None),
    ],
)
def test_tasks_in_the_shapes_that_people_write(
    line: str, id: str, title: str, story: str | None
) -> None:
    (task,) = tasks_of(f"# Tasks\n\n{line}\n")
    assert (id, title, story) == (task.id, task.title, task.story)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("### User Story 1 - Make it (Priority: P1) \N{DIRECT HIT} MVP", ("US1", "Make it")),
        ("### User Story 12: Make it", ("US12", "Make it")),
        ("#### US-003 Make it", ("US-003", "Make it")),
        ("### Story 4 \u2014 Make it", ("US4", "Make it")),
        (
            "### \u7528\u6237\u6545\u4e8b 1 - \u5236\u4f5c\uff08\u4f18\u5148\u7ea7\uff1aP1\uff09",
            ("US1", "\u5236\u4f5c"),
        ),
        ("### Historia de usuario 2 - Hacerlo (Prioridad: P2)", ("US2", "Hacerlo")),
        ("### Edge Cases", None),
        ("### User Story Independence", None),
        ("# User Story 1", None),
    ],
)
def test_headings_of_stories(heading: str, expected: tuple[str, str] | None) -> None:
    stories = SPEC_KIT.read({"spec.md": f"{heading}\n", "tasks.md": ""}).spec.stories
    assert ([expected] if expected else []) == [(one.id, one.title) for one in stories]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("# Feature Specification: Photos", "Photos"),
        ("# Tasks: Photos", "Photos"),
        ("# Specification of photos", "Specification of photos"),
        ("# Spécification de la fonctionnalité : Albums", "Albums"),
        ("# Tasks", None),
        ("# Feature Specification: [FEATURE NAME]", None),
        ("", None),
    ],
)
def test_the_title_is_for_people(title: str, expected: str | None) -> None:
    assert expected == SPEC_KIT.read({"spec.md": title, "tasks.md": ""}).spec.title
    assert expected == SPEC_KIT.read({"spec.md": "", "tasks.md": title}).spec.title


def test_a_scope_change_is_a_new_phase_with_the_next_ids() -> None:
    new = NewTask(
        "Sort them", story="US1", criteria=("FR-001",), description="By date.\n\n- [x] so"
    )
    texts, ids = SPEC_KIT.amend(TEXTS, applied("Albums are\nsorted", new, NewTask("Test it")))
    # T900 is code, but a new task does not share its id.
    assert ("T901", "T902") == ids
    assert texts == {
        "spec.md": SPEC,
        "tasks.md": f"""{TASKS}
## Phase 3: Scope change 2026-07-01 ({ULID})

**Purpose**: Albums are sorted

- [ ] T901 [US1] Sort them per FR-001
  > By date.
  >
  > - \\[x\\] so
- [ ] T902 Test it
""",
    }
    task = SPEC_KIT.read(texts).tasks[-2]
    assert ("US1", ("FR-001",), False) == (task.story, task.criteria, task.done)


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        ("", "- [ ] T001 More\n"),
        ("- [x] T0099 a\n", "- [ ] T0100 More\n"),
        ("- [x] T999 a\n", "- [ ] T1000 More\n"),
        ("- [x] **T007** a\n- [ ] **T008** b\n", "- [ ] **T009** More\n"),
        ("- [x] TASK-007: a\n", "- [ ] TASK-008: More\n"),
        ("- [x] without an id\n", "- [ ] T001 More\n"),
        ("- [x] T003b a\r\n", "- [ ] T004 More\r\n"),
        ("\ufeff- [x] T007 a\n", "- [ ] T008 More\n"),
    ],
)
def test_new_tasks_follow_the_ids_of_the_file(tasks: str, line: str) -> None:
    texts, _ = SPEC_KIT.amend({"spec.md": "", "tasks.md": tasks}, applied(None, NewTask("More")))
    assert texts["tasks.md"].startswith(tasks)
    assert texts["tasks.md"].endswith(line)


def test_a_title_has_no_story_and_no_box_of_its_own() -> None:
    title = "[P] [US9] T998 and [US8] later - [x] done"
    texts, _ = SPEC_KIT.amend(TEXTS, applied(None, NewTask(title)))
    task = SPEC_KIT.read(texts).tasks[-1]
    assert (None, "T901") == (task.story, task.id)
    # Scripts count boxes anywhere in a line.
    assert TASKS.count("[x]") == texts["tasks.md"].count("[x]")


@pytest.mark.parametrize("titles", [(), ("One", "Two")])
def test_a_change_is_noted_once_and_gives_the_same_ids_again(titles: tuple[str, ...]) -> None:
    amended = applied("A note", *map(NewTask, titles))
    texts, ids = SPEC_KIT.amend(TEXTS, amended)
    assert f"({ULID})\n\n**Purpose**: A note\n" in texts["tasks.md"]
    assert len(titles) == len(ids)
    assert (texts, ids) == SPEC_KIT.amend(texts, amended)


@pytest.mark.parametrize(
    ("tasks", "id", "ticked"),
    [
        (TASKS, "US1", TASKS.replace("[ ] T004", "[X] T004")),  # without its discarded task
        ("- [ ] T001 a\n", "t001", "- [X] T001 a\n"),  # the tick of the tool
    ],
)
def test_a_task_or_a_story_is_ticked_as_the_tool_does(tasks: str, id: str, ticked: str) -> None:
    assert (
        ticked == SPEC_KIT.mark({"spec.md": SPEC, "tasks.md": tasks}, [id], done=True)["tasks.md"]
    )


def test_the_evidence_is_the_archive_else_the_tasks() -> None:
    done = {"spec.md": SPEC, "tasks.md": "- [X] T001 a\n- [-] T002 b\n"}
    assert Evidence(Status.ACTIVE, "2/5 tasks") == SPEC_KIT.evidence(UNIT, TEXTS)
    assert Evidence(Status.COMPLETED, "1/1 tasks") == SPEC_KIT.evidence(UNIT, done)
    # The Status line says Draft, or whatever somebody wrote.
    accepted = {**done, "spec.md": SPEC.replace("Draft", "Accepted"), "tasks.md": ""}
    assert SPEC_KIT.evidence(UNIT, accepted) is None
    archived = SPEC_KIT.evidence(replace(UNIT, archived=True), TEXTS)
    assert Evidence(Status.COMPLETED, "archive") == archived


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("specs/photo", "spec.md"),
        ("specs/001-photo", "tasks.md"),
        ("specs/models/001-photo", "spec.md"),
        ("spec/001-photo", "spec.md"),
    ],
)
def test_another_folder_of_specs_is_not_taken(root: Path, name: str, file: str) -> None:
    feature(root, name, {file: "# Photo\n"})
    assert not SPEC_KIT.detect(root)
    assert [] == list(SPEC_KIT.units(root))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        "[" * 100_000,
        "{}",
        '{"feature_directory": "../outside"}',
        '{"feature_directory": "/etc"}',
        '{"feature_directory": "a\\u0000b"}',
        '{"feature_directory": "' + "x" * 5000 + '"}',
        '{"feature_directory": "specs/001-photo"}',
    ],
)
def test_the_current_feature_is_a_folder_of_the_project(root: Path, content: str) -> None:
    feature(root.parent, "outside")
    feature(root, "specs/001-photo")
    (root / ".specify").mkdir()
    (root / ".specify/feature.json").write_text(content)
    assert ["001-photo"] == [one.key for one in SPEC_KIT.units(root)]


def recorded(root: Path, key: str, layout: str, path: str) -> None:
    """Write unlatch's records of a unit."""
    file = root / ".unlatch/increments" / key / "metadata.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"unit": {"layout": layout, "path": path}}))


def test_a_recorded_feature_is_found_where_no_file_of_spec_kit_names_it(root: Path) -> None:
    """Its 1.2.3 keeps .specify/feature.json out of git, and names one feature at a time."""
    feature(root, "specs/001-photo")
    feature(root, "features/007-billing")
    recorded(root, "007-billing", "spec-kit", "features/007-billing")
    recorded(root, "001-photo", "spec-kit", "specs/001-photo")
    assert ["001-photo", "007-billing"] == [one.key for one in SPEC_KIT.units(root)]
    (root / ".specify").mkdir()
    (root / ".specify/feature.json").write_text('{"feature_directory": "features/007-billing"}')
    assert ["001-photo", "007-billing"] == [one.key for one in SPEC_KIT.units(root)]


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ("openspec", "features/007-billing"),
        ("spec-kit", "features/008-other"),
        ("spec-kit", "gone/007-billing"),
        ("spec-kit", "../007-billing"),
        ("spec-kit", "/etc/007-billing"),
        ("spec-kit", "linked/007-billing"),
        ("spec-kit", "a\0/007-billing"),
        ("spec-kit", "."),
    ],
)
def test_records_name_no_other_folder(root: Path, layout: str, path: str) -> None:
    for name in ("features/007-billing", "features/008-other", "../007-billing"):
        feature(root, name)
    (root / "linked").symlink_to("features")
    recorded(root, "007-billing", layout, path)
    assert [] == list(SPEC_KIT.units(root))


def test_one_name_in_two_places_is_one_unit_with_the_links_of_its_spec(root: Path) -> None:
    feature(root, "specs/001-photo")
    feature(root, ".specify/specs/001-photo")
    feature(root, "specs/archive/001-photo")
    unit, archived = SPEC_KIT.units(root)
    assert (False, True) == (unit.archived, archived.archived)
    assert ("#89",) == SPEC_KIT.links(texts_of(SPEC_KIT, unit))


LINES = (
    *TASKS.splitlines(),
    *SPEC.splitlines(),
    "- [X] **T007** Bold",
    "  - [ ] nested without an id",
    "* [x] T001 twice",
    "1. [-] T008: [US1][US2] skipped",
    "```",
    "~~~",
    "<!--",
    "-->",
    "---",
    "> - [ ] T009 quoted",
    "\t- [ ] T010 after a tab",
    "## Phase 7: User Story 1 and User Story 2",
)


@given(
    st.lists(st.sampled_from(LINES), max_size=25),
    st.lists(st.sampled_from(LINES), max_size=15),
    st.sampled_from(("\n", "\r\n")),
    st.sampled_from(("", "\ufeff")),
)
def test_files_of_any_lines_conform(
    tasks: list[str], spec: list[str], end: str, start: str
) -> None:
    texts = {"spec.md": start + end.join(spec), "tasks.md": start + end.join(tasks)}
    check_texts(SPEC_KIT, UNIT, texts, most_tasks=4)
