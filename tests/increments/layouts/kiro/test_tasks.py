"""Tasks, as Kiro, cc-sdd and people write them, and amendments that continue their list."""

from collections.abc import Iterable

import pytest
from tests.increments.layouts.kiro.specs import ULID, UNIT, amendment, tasks_in, texts

from unlatch.errors import UsageError
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.model.reopens import NewTask
from unlatch_layouts.kiro import KIRO

REQUIREMENTS = "### Requirement 1: A\n1. a\n2. b\n3. c\n\n### Requirement 2: B\n1. d\n2. e\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ ] 1. Set it up", ("1", "Set it up", False)),
        ("- [ ] 2.3 Set it up", ("2.3", "Set it up", False)),
        ("- [ ] 2.3. Set it up", ("2.3", "Set it up", False)),
        ("-   [ ] 4. Set it up", ("4", "Set it up", False)),
        ("* [ ] 4) Set it up", ("4", "Set it up", False)),
        ("- [ ] 18b. Set it up", ("18b", "Set it up", False)),
        ("- [ ]* 2.3 Set it up", ("2.3", "Set it up", True)),
        ("- [ ] 2.3* Set it up", ("2.3", "Set it up", True)),
        ("- [ ] 2.3* (P) Set it up", ("2.3", "Set it up", True)),
        ("- [ ] 2.3 (P) Set it up", ("2.3", "Set it up", False)),
        ("- [ ] 2.3 Set it up (P)", ("2.3", "Set it up", False)),
        ("- [ ] **2. Set it up**", ("2", "Set it up", False)),
        ("- [ ] **2.1** Set it up", ("2.1", "Set it up", False)),
        ("- [ ] **T001** Set it up", ("T001", "Set it up", False)),
        ("- [ ] Task 2: Set it up", ("2", "Set it up", False)),
        ("- [ ] **Task 2.1**: Set it up", ("2.1", "Set it up", False)),
        ("- [ ] Set it up", ("#1", "Set it up", False)),
        ("- [ ] 2 files", ("#1", "2 files", False)),
        ("- [ ] 2.5x the speed", ("2.5x", "the speed", False)),
        ("- [ ] 1.", ("1", "", False)),
        ("- [ ]", ("#1", "", False)),
    ],
)
def test_a_line_with_a_check_box_is_a_task(line: str, expected: tuple[str, str, bool]) -> None:
    (task,) = tasks_in(f"# Plan\r\n\r\n{line}\r\n  - a detail\r\n")
    assert (task.id, task.title, task.optional) == expected
    assert (task.line, task.done, task.status) == (3, False, None)


_PLAN = """- [ ] 1. A
  - [-] 1.1 B
  - [~] 1.2 C
  - [ ]* 1.3 D
  - [ ]* E
"""


@pytest.mark.parametrize(
    "text",
    [
        # remark with remark-gfm (findings/remark-escaped-boxes.sh), and mdformat with mdformat-gfm.
        "* [ ] 1\\. A\n  * \\[-] 1.1 B\n  * \\[\\~] 1.2 C\n  * \\[ ]\\* 1.3 D\n  * \\[ ]\\* E\n",
        "- [ ] 1. A\n  - [-] 1.1 B\n  - [~] 1.2 C\n  - \\[ \\]\\* 1.3 D\n  - \\[ \\]\\* E\n",
    ],
    ids=["remark", "mdformat"],
)
def test_boxes_that_a_formatter_escaped_are_boxes(text: str) -> None:
    def rows(tasks: Iterable[Task]) -> list[tuple[str, str, bool, str | None]]:
        return [(task.id, task.title, task.optional, task.mark) for task in tasks]

    assert rows(tasks_in(_PLAN)) == rows(tasks_in(text))
    marked = KIRO.mark(texts(text), ["1.3"], done=True)["tasks.md"]
    assert [False, False, False, True, False] == [task.done for task in tasks_in(marked)]


@pytest.mark.parametrize(
    ("text", "optional"),
    [
        ("- [ ] 1. A\n  - [x] 1.1 B\n    - [x] 1.1.1 C\n- [ ] 2. D\n", [True, True, False, False]),
        ("- [ ] 1. A\n- [x] 1.1 B\n- [x] 1.1.1 C\n\n- [ ] 2. D\n", [True, True, False, False]),
        ("- [ ]* 1. A\n  - [ ] 1.1 B\n  - [ ] C\n- [ ] 2. D\n", [True, True, True, False]),
        ("- [ ] 1.1 A\n  - [ ] 1. B\n", [True, False]),
        ("```\n- [ ] 1. A\n```\n<!--\n- [ ] 2. B\n-->\n", []),
    ],
    ids=["indented", "by their numbers", "below an optional one", "a later number", "no tasks"],
)
def test_a_task_with_tasks_below_it_or_below_an_optional_one_is_not_required(
    text: str, optional: list[bool]
) -> None:
    assert [task.optional for task in tasks_in(text)] == optional


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("- [ ] 1. A\n  - [x] 1.1 B\n  - [ ]* 1.2 C\n", ("completed", "1/1 tasks")),
        ("- [x] 1. A\n  - [x] 1.1 B\n  - [ ] 1.2 C\n", ("active", "1/2 tasks")),
        ("- [ ] 1. A\n  - [-] 1.1 B\n", ("active", "0/1 tasks")),
        ("- [ ] 1. A\n  - [~] 1.1 B\n", ("active", "0/1 tasks")),
        ("- [ ] 1. A\n  - [ ] 1.1 B\n", ("planning", "0/1 tasks")),
    ],
)
def test_the_required_leaves_show_the_status(text: str, evidence: tuple[str, str]) -> None:
    found = KIRO.evidence(UNIT, texts(text))
    assert found
    assert (found.status.value, found.by) == evidence


def test_the_phase_counts_only_without_tasks() -> None:
    ledger = '{"phase": "design-generated", "approvals": {}}'
    found = KIRO.evidence(UNIT, texts(spec=ledger))
    assert found
    assert (found.status.value, found.by) == ("planning", "spec.json: design-generated")
    implemented = '{"phase": "implementation-completed"}'
    for tasks, status in (
        ("", "completed"),
        ("- [ ]* 1. A\n", "completed"),
        ("- [ ] 1. A", "planning"),
    ):
        found = KIRO.evidence(UNIT, texts(tasks, spec=implemented))
        assert found
        assert found.status.value == status
    done = KIRO.evidence(UNIT, texts("- [x] 1. A\n", spec='{"phase": "tasks-generated"}'))
    assert done
    assert (done.status.value, done.by) == ("completed", "1/1 tasks")
    for other in ("", "{", "[]", '{"phase": 1}', "[" * 100_000, "\ufeff{}", '{"phase": ""}'):
        assert KIRO.evidence(UNIT, texts(spec=other)) is None


@pytest.mark.parametrize(
    ("line", "story", "criteria"),
    [
        ("  - _Requirements: 1.2, 2.1_", "R1", ("R1.2", "R2.1")),
        ("  - _Requirements: 2_", "R2", ()),
        ("  - _Requirements: 1.1-1.3_", "R1", ("R1.1", "R1.2", "R1.3")),
        ("  - _Requirements: 1.1\u20132.2_", "R1", ("R1.1", "R2.2")),
        ("  - _Requirements: User context for 1.1 (all), 1.2_", "R1", ("R1.1", "R1.2")),
        ("  - **Validates: Requirements 2.2, 2.1**", "R2", ("R2.2", "R2.1")),
        ("  - Requirements: 1.2", "R1", ("R1.2",)),
        ("  _Requirement: 1.2_ _Depends: 2.1_", "R1", ("R1.2",)),
        ("  - **\u691c\u8a3c\u5bfe\u8c61: \u8981\u4ef6 1.2**", "R1", ("R1.2",)),
        ("  - _\u9700\u6c42\uff1a1.2, 2.1_", "R1", ("R1.2", "R2.1")),
        ("  - _Requirements: 7.4_", "R7", ("R7.4",)),
        ("  - _Requirements: All requirements_", None, ()),
        ("  - _Depends: 1.1_", None, ()),
        ("  - meets requirement 1.2 in part", None, ()),
        ("  ```\n  _Requirements: 1.2_\n  ```", None, ()),
    ],
)
def test_a_task_names_its_criteria(line: str, story: str | None, criteria: tuple[str, ...]) -> None:
    tasks = tasks_in(f"- [ ] 1. A\n{line}\n- [ ] 2. B\n", requirements=REQUIREMENTS)
    assert [(one.story, one.criteria) for one in tasks] == [(story, criteria), (None, ())]


def test_an_id_that_occurs_twice_is_not_marked() -> None:
    with pytest.raises(UsageError) as raised:
        KIRO.mark(texts("- [ ] 1. A\n\n## Phase 2\n\n- [ ] 1. B\n"), ["1"], done=True)
    assert raised.value.id == "item-ambiguous"


PLAN = """# Implementation Plan: Login

## Tasks

- [x] 1. Set it up
  - [x] 1.1 Install
    - _Requirements: 1.1_

- [x] 2. Checkpoint
  - Run the tests

    ```
    make test
    ```

## Notes

- Tasks marked with `*` are optional

## Task Dependency Graph

```json
{"waves": [{"id": 0, "tasks": ["1.1"]}]}
```
"""
SCOPE = f"_Scope change: 2026-07-01 ({ULID})_"


def amended(text: str, *tasks: NewTask, requirements: str = "", parts: tuple[str, ...] = ()) -> str:
    given = texts(text, requirements=requirements)
    return KIRO.amend(given, amendment(*tasks, parts=parts))[0]["tasks.md"]


def test_the_change_is_a_section_of_the_requirements() -> None:
    requirements = "# Requirements Document\n\n### Requirement 1: A\n1. a\n"
    given = texts("", requirements=requirements, bugfix="# Bugfix\n")
    after, ids = KIRO.amend(given, amendment(change="1. Retry\n### Requirement 9"))
    assert ids == ()
    assert after == {**given, "requirements.md": after["requirements.md"]}
    added = after["requirements.md"].removeprefix(requirements)
    assert f"\n## Scope change (2026-07-01)\n\n**Reopen**: {ULID}\n" in added
    assert "> It came back\n" in added
    assert KIRO.read(after).spec.stories == KIRO.read(given).spec.stories


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", "# Implementation Plan\n\n- [ ] 1. New\n  - {}\n"),
        ("# Plan\n", "# Plan\n\n- [ ] 1. New\n  - {}\n"),
        ("- [ ] 1. A", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n"),
        ("- [ ] 1. A\n\n\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n\n\n"),
        ("- [ ] 1. A\n## Notes\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n\n## Notes\n"),
        ("- [ ] 1. A\nmore\n", "- [ ] 1. A\nmore\n\n- [ ] 2. New\n  - {}\n"),
        ("- [ ] 9. A\n- [ ] 3.7 B\n", "- [ ] 9. A\n- [ ] 3.7 B\n\n- [ ] 10. New\n  - {}\n"),
        ("-   [ ] 1. A\n", "-   [ ] 1. A\n\n-   [ ] 2. New\n    - {}\n"),
        ("  - [ ] 1. A\n", "  - [ ] 1. A\n\n  - [ ] 2. New\n    - {}\n"),
        ("1. [ ] A\n", "1. [ ] A\n\n- [ ] 1. New\n  - {}\n"),
        ("\ufeff- [ ] 1. A\r\n", "\ufeff- [ ] 1. A\r\n\r\n- [ ] 2. New\r\n  - {}\r\n"),
        ("- [ ] T007 A\n", "- [ ] T007 A\n\n- [ ] 8. New\n  - {}\n"),
        (
            "## 1. A\n\n- [x] 1.1 B\n\n## 2. C\n\n- [x] 2.1 D\n\n## N\n",
            "## 1. A\n\n- [x] 1.1 B\n\n## 2. C\n\n- [x] 2.1 D\n\n- [ ] 3. New\n  - {}\n\n## N\n",
        ),
    ],
)
def test_a_new_task_has_the_shape_of_the_others(before: str, expected: str) -> None:
    assert amended(before, NewTask("New")) == expected.format(SCOPE)


@pytest.mark.parametrize(
    ("story", "criteria"),
    [("R1", ()), ("R1", ("R1.1", "R1.2")), ("R2", ("R1.1",)), (None, ("R1.2",)), ("1", ("1.2",))],
)
def test_a_new_task_belongs_to_its_story_and_criteria(
    story: str | None, criteria: tuple[str, ...]
) -> None:
    requirements = "### Requirement 1: A\n1. a\n2. b\n### Requirement 2: B\n1. c\n"
    text = amended("", NewTask("New", story, criteria), requirements=requirements)
    (task,) = tasks_in(text, requirements=requirements)
    assert task.story == f"R{(story or '1').removeprefix('R')}"
    assert task.criteria == tuple(f"R{one.removeprefix('R')}" for one in criteria)


@pytest.mark.parametrize(
    "text",
    [
        "_Requirements: 9.9_",
        "Do it **Validates: Requirements 9.9**",
        "- Requirements: 9.9",
        "[x] 9.9 done",
        "# Heading",
        "```",
        "<!-- a comment",
        "",
    ],
)
def test_texts_of_people_are_only_texts(text: str) -> None:
    tasks = tasks_in(amended(PLAN, NewTask(text, description=text), NewTask("Last")))
    new = [(one.id, one.story, one.criteria, one.optional, one.done) for one in tasks[3:]]
    assert new == [("3", None, (), False, False), ("4", None, (), False, False)]
    assert tasks[:3] == tasks_in(PLAN)


def test_a_task_to_be_done_again_means_those_below_it() -> None:
    before = "- [x] 1. A\n- [x] 2. B\n  - [x] 2.1 C\n    - [x] 2.1.1 D\n  - [ ]* 2.2 E\n"
    expected = "- [x] 1. A\n- [ ] 2. B\n  - [ ] 2.1 C\n    - [ ] 2.1.1 D\n  - [ ]* 2.2 E\n"
    assert amended(before, parts=("2", "gone")) == expected
    assert amended(before, parts=("2.1.1",)) == before.replace("[x] 2.1.1", "[ ] 2.1.1")
    named = "- [x] 1. A\n  - _Requirements: 1.1_\n  - [x] 1. B\n- [x] 2. C\n"
    assert amended(named, parts=("R1.1",)) == named.replace("[x] 1.", "[ ] 1.")


def test_tasks_in_a_block_of_code_that_is_left_open_follow_at_the_end() -> None:
    before = "- [ ] 1. A\n```\ncode\n"
    after = amended(before, NewTask("New"))
    assert after == f"{before}```\n\n- [ ] 2. New\n  - {SCOPE}\n"
    assert [task.id for task in tasks_in(after)] == ["1", "2"]
