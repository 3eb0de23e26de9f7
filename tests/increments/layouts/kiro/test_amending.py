"""Amendments: new tasks continue the list that Kiro reads."""

from __future__ import annotations

import pytest
from tests.increments.layouts.kiro.specs import ULID, amendment, tasks_in, texts

from unlatch.increments.layouts.kiro import KIRO
from unlatch.increments.model.increment import NewTask

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


def test_new_tasks_continue_the_list_before_other_sections() -> None:
    new = NewTask(
        "Retry", story="R1", criteria=("R1.2", "R3.1"), description="Three times.\n\n- then stop"
    )
    after, ids = KIRO.amend(texts(PLAN), amendment(new, NewTask("Say so")))
    assert ids == ("3", "4")
    expected = f"""
- [ ] 3. Retry
  - Three times.
  - then stop
  - {SCOPE}
  - _Requirements: 1.2, 3.1_

- [ ] 4. Say so
  - {SCOPE}

## Notes
"""
    assert after["tasks.md"] == PLAN.replace("\n## Notes\n", expected)


def test_a_second_write_changes_nothing() -> None:
    given = texts(PLAN, requirements="# Requirements Document\n")
    once, ids = KIRO.amend(given, amendment(NewTask("Retry")))
    planned = amendment(NewTask("Retry", id=ids[0]))
    assert KIRO.amend(once, planned) == (once, ids)
    lost = {**once, "tasks.md": PLAN}  # a crash between the files
    assert KIRO.amend(lost, planned) == (once, ids)


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


def test_a_bugfix_has_the_change_and_a_missing_document_stays_missing() -> None:
    bugfix = KIRO.amend(texts(bugfix="# Bugfix\n"), amendment())[0]
    assert ULID in bugfix["bugfix.md"]
    assert bugfix["requirements.md"] == ""
    assert KIRO.amend(texts(design="# D\n"), amendment())[0] == texts(design="# D\n")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", "# Implementation Plan\n\n- [ ] 1. New\n  - {}\n"),
        ("# Plan\n", "# Plan\n\n- [ ] 1. New\n  - {}\n"),
        ("- [ ] 1. A", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n"),
        ("- [ ] 1. A\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n"),
        ("- [ ] 1. A\n\n\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n\n\n"),
        ("- [ ] 1. A\n## Notes\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n\n## Notes\n"),
        ("- [ ] 1. A\n\nNotes\n", "- [ ] 1. A\n\n- [ ] 2. New\n  - {}\n\nNotes\n"),
        ("- [ ] 1. A\nmore\n", "- [ ] 1. A\nmore\n\n- [ ] 2. New\n  - {}\n"),
        ("- [ ] 9. A\n- [ ] 3.7 B\n", "- [ ] 9. A\n- [ ] 3.7 B\n\n- [ ] 10. New\n  - {}\n"),
        ("- [ ] A\n- [ ] B\n", "- [ ] A\n- [ ] B\n\n- [ ] 1. New\n  - {}\n"),
        ("* [ ] 1. A\n", "* [ ] 1. A\n\n* [ ] 2. New\n  - {}\n"),
        ("-   [ ] 1. A\n", "-   [ ] 1. A\n\n-   [ ] 2. New\n    - {}\n"),
        ("  - [ ] 1. A\n", "  - [ ] 1. A\n\n  - [ ] 2. New\n    - {}\n"),
        ("1. [ ] A\n", "1. [ ] A\n\n- [ ] 1. New\n  - {}\n"),
        ("\ufeff- [ ] 1. A\r\n", "\ufeff- [ ] 1. A\r\n\r\n- [ ] 2. New\r\n  - {}\r\n"),
        ("- [ ] 1. A\r", "- [ ] 1. A\r\r- [ ] 2. New\r  - {}\r"),
        ("- [ ] T007 A\n", "- [ ] T007 A\n\n- [ ] 8. New\n  - {}\n"),
        (
            "## 1. A\n\n- [x] 1.1 B\n\n## 2. C\n\n- [x] 2.1 D\n\n## N\n",
            "## 1. A\n\n- [x] 1.1 B\n\n## 2. C\n\n- [x] 2.1 D\n\n- [ ] 3. New\n  - {}\n\n## N\n",
        ),
    ],
)
def test_a_new_task_has_the_shape_of_the_others(before: str, expected: str) -> None:
    assert amended(before, NewTask("New")) == expected.format(SCOPE)


def test_the_criteria_have_the_label_of_the_file() -> None:
    before = "- [ ] 1. A\n  - _\u8981\u4ef6: 1.1_\n  - **Validates: Requirements 1.1**\n"
    assert "  - _\u8981\u4ef6: 1.2_\n" in amended(before, NewTask("New", criteria=("R1.2",)))


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
        "Do it _Requirements: 9.9_",
        "Do it **Validates: Requirements 9.9**",
        "- Requirements: 9.9",
        "* 9.9 optional",
        "[x] 9.9 done",
        "- [ ] 9.9 a task",
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
