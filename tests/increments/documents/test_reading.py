"""Stories, criteria and tasks in the spellings of real files."""

import pytest

from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Task
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.layouts.interface import Work


@pytest.mark.parametrize(
    ("heading", "id", "title"),
    [
        ("### US-001: Sync", "US-001", "Sync"),
        ("### US1: Sync (P1)", "US1", "Sync (P1)"),
        ("### US-009A: Sync", "US-009A", "Sync"),
        ("### US-018-001: Sync", "US-018-001", "Sync"),
        ("## User Story: US-001 - Sync", "US-001", "Sync"),
        ("### 4. Sync (US-018-004)", "US-018-004", "4. Sync"),
    ],
)
def test_a_story_is_found_in_any_spelling(heading: str, id: str, title: str) -> None:
    (story,) = read_spec(f"# Spec\n\n{heading}\n").stories
    assert (id, title, 3) == (story.id, story.title, story.line)


@pytest.mark.parametrize(
    ("line", "id", "done"),
    [
        ("- [x] **AC-US1-01**: It works", "AC-US1-01", True),
        ("- [ ] **AC-US1-01**: It works", "AC-US1-01", False),
        ("  * [X] **AC-US1-01:** It works", "AC-US1-01", True),
        ("1. [x] AC-US9A-01 It works", "AC-US9A-01", True),
        ("- AC-020: It works", "AC-020", None),
        ("**AC-US4-04**: It works", "AC-US4-04", None),
        ("### AC-US1-01: It works", "AC-US1-01", None),
    ],
)
def test_a_criterion_is_found_in_any_spelling(line: str, id: str, done: bool | None) -> None:
    assert (Criterion(id, "It works", done, 3),) == read_spec(f"# Spec\n\n{line}\n").criteria


SPEC = """---
title: Linkage
---

# Spec: linkage

### US-001: First

- [x] **AC-US1-01**: a

#### Details

- [ ] **AC-US2-01**: b
- [ ] **AC-010**: c

### US2: Second

## Other criteria

- [ ] **AC-US1-02**: d
- [ ] **AC-011**: e
"""


TICK = "\N{WHITE HEAVY CHECK MARK}"
LATER = "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f"
LAMP = "\N{HIGH VOLTAGE SIGN}"


def only(text: str) -> Task:
    (task,) = read_tasks(text).tasks
    return task


@pytest.mark.parametrize(
    ("heading", "id", "title"),
    [
        ("## T-001: Set up", "T-001", "Set up"),
        (f"## {TICK} T-001: Set up", "T-001", "Set up"),
        (f"### T-001: {LAMP} Set up (P1) {TICK} COMPLETE", "T-001", f"{LAMP} Set up (P1)"),
        (f"#### T-001: [P] Set up {TICK} [COMPLETED]", "T-001", "[P] Set up"),
        (f"### T-001: Set up {LATER} DEFERRED {TICK} COMPLETE", "T-001", "Set up"),
        ("### [x] T-001: Set up", "T-001", "Set up"),
        ("### T-034A: Set up", "T-034A", "Set up"),
        ("### T-024-A: Set up", "T-024-A", "Set up"),
        ("### T-025-039: Set up (15 plugins)", "T-025-039", "Set up (15 plugins)"),
        ("## T-001-DISCARDED: Set up", "T-001-DISCARDED", "Set up"),
        ("### T-001-DISCIPLINE: Set up", "T-001-DISCIPLINE", "Set up"),
        ("### T001: Set up", "T001", "Set up"),
        ("### **T-001**: Set up", "T-001", "Set up"),
        ("### T-001: Learn C#", "T-001", "Learn C#"),
        ("### T-001: Set up ###", "T-001", "Set up"),
        ("### T-001", "T-001", ""),
        ("### Task T-001: Set up", "T-001", "Set up"),
        ("### T-US1-001: Set up", "T-US1-001", "Set up"),
        ("### t-001: Set up", "t-001", "Set up"),
        ("### `T-001`: Set up", "T-001", "Set up"),
        ("### [T-001](x.md): Set up", "T-001", "Set up"),
        ("### T-001: Set up \u00b7 **Status**: done", "T-001", "Set up"),
    ],
)
def test_a_heading_is_found_in_any_spelling(heading: str, id: str, title: str) -> None:
    task = only(f"# Tasks\n\n{heading}\n\nText.\n")
    assert (id, title, 3) == (task.id, task.title, task.line)


@pytest.mark.parametrize(
    "line",
    [
        "### T-XXX: Task title",
        "### T3 instances",
        "### T-001 to T-004: the first half",
        "### `T-001` to `T-004`: the first half",
        "### AT-001: no",
        "### T-001é: no",
        "T-001: no heading",
        "####### T-001: seven",
        "    ### T-001: code",
        "> ### T-001: quoted",
        "- ### T-001: in a list",
        "##T-001: no space",
    ],
)
def test_what_only_looks_like_a_task_is_none(line: str) -> None:
    assert () == read_tasks(f"# Tasks\n\n{line}\n").tasks


@pytest.mark.parametrize(
    ("status", "done", "discarded"),
    [
        ("[x] completed", True, False),
        ("[x] (100% - Completed)", True, False),
        (f"[x] completed {TICK} COMPLETE", True, False),
        ("[x] completed (integrated in T-004)", True, False),
        ("[x] Completed (deferred - not critical)", True, False),
        (f"{TICK} Complete", True, False),
        (f"{TICK} **COMPLETED** - All of it", True, False),
        ("Completed", True, False),
        ("[x]", True, False),
        ("[ ] pending", False, False),
        ("[ ] Not Started", False, False),
        ("[ ]", False, False),
        ("[~] half of it", False, False),
        ("In Progress", False, False),
        ("DEFERRED - Will be done later", None, True),
        ("[ ] pending (DEFERRED to Increment 0044)", None, True),
        ("Cancelled", None, True),
        ("[-] not needed", None, True),
        ("who knows", False, False),
    ],
)
def test_a_status_says_whether_a_task_is_done(
    status: str, done: bool | None, discarded: bool
) -> None:
    task = only(f"### T-001: One\n\n**Status**: {status}\n")
    assert (done, discarded, status) == (task.done, task.discarded, task.status)


@pytest.mark.parametrize(
    "line",
    [
        "**Status**: [x] completed",
        "- **Status**: [x] completed",
        "**Status:** [x] completed",
        "**Priority**: P1 | **Status**: [x] completed",
        "**Satisfies ACs**: AC-US2-06 \u00b7 **Owner**: ui \u00b7 **Status**: [x] completed",
        "**Status**: [x] completed \u00b7 **Refs**: AC-US1-01..06, deferred",
        "- [x] Completed",
        "- Status: [x] completed",
        "    - **Status**: [x] completed",
        "- Status: Accepted\n- Status: [x] completed",
        "**Status**:\n- [x] Parse\n- [x] Write",
    ],
)
def test_a_status_line_is_found_in_any_spelling(line: str) -> None:
    assert only(f"### T-001: One\n{line}\n").done is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## T-001: a\n\n**AC**: AC-US1-01\n", [(None, False)]),
        ("## T-001-DISCARDED: a\n\n**Status**: [ ] pending\n", [(None, True)]),
        ("## T-001: a\n**Status**:\n- [x] Parse\n- [ ] Write\n", [(False, False)]),
        (
            f"## {TICK} T-1: a\n## T-2: b\n## T-3: {LATER} DEFERRED\n## T-4: d\nStatus:\n- [x] e\n",
            [(True, False), (False, False), (None, True), (True, False)],
        ),
    ],
)
def test_an_id_a_heading_or_a_list_says_whether_a_task_is_done(
    text: str, expected: list[tuple[bool | None, bool]]
) -> None:
    assert expected == [(task.done, task.discarded) for task in read_tasks(text).tasks]


@pytest.mark.parametrize(
    ("line", "story", "criteria"),
    [
        ("**User Story**: US-001", "US-001", ()),
        ("**User Story**: US-018-001, US-018-002", "US-018-001", ()),
        ("**User Story**: [US-009A: Title (P1)](../us-009a.md)", "US-009A", ()),
        ("**User Story**: All", None, ()),
        ("**AC**: AC-US1-01, AC-US1-02", None, ("AC-US1-01", "AC-US1-02")),
        ("**Satisfies ACs**: AC-US9A-01", None, ("AC-US9A-01",)),
        ("**Effort**: 2h | **AC**: AC-020", None, ("AC-020",)),
        ("**US**: US-001 \u00b7 **AC**: AC-020 \u00b7 **Owner**: AC-9", "US-001", ("AC-020",)),
        ("**AC**: None (setup task)", None, ()),
    ],
)
def test_a_task_names_its_story_and_its_criteria(
    line: str, story: str | None, criteria: tuple[str, ...]
) -> None:
    task = only(f"### T-001: One\n\n{line}\n")
    assert (story, criteria) == (task.story, task.criteria)


@pytest.mark.parametrize(
    ("line", "id", "title", "done", "discarded"),
    [
        ("* [X] T-002 Retry", "T-002", "Retry", True, False),
        ("1. [ ] T002 [P] Retry", "T002", "[P] Retry", False, False),
        (f"  - [x] T-002: Retry {TICK}", "T-002", "Retry", True, False),
        ("- [~] T-002: Retry", "T-002", "Retry", False, False),
        ("- [-] T-002: Retry", "T-002", "Retry", None, True),
        ("- [ ] T-002: Retry (DEFERRED)", "T-002", "Retry", None, True),
        ("- [ ] t-002: Retry", "t-002", "Retry", False, False),
        ("- [ ] `T-002`", "T-002", "", False, False),
        ("- [ ] [T-002](x.md): Retry", "T-002", "Retry", False, False),
        ("- [x] T-002: Retry \u00b7 **Status**: [ ] pending", "T-002", "Retry", False, False),
        ("- [ ] T-002: Retry | **Status**: [x] completed", "T-002", "Retry", False, False),
    ],
)
def test_an_item_of_a_list_with_a_check_box_is_a_task(
    line: str, id: str, title: str, done: bool | None, discarded: bool
) -> None:
    task = only(f"# Tasks\n\n{line}\n")
    assert (id, title, done, discarded) == (task.id, task.title, task.done, task.discarded)


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n{}\n```",
        "```markdown\n```bash\nls\n```\n{}\n```",
        "~~~\n```\n{}\n~~~",
        "````\n```\n{}\n````",
        "1. Do:\n   ```\n{}\n   ```",
        "- ```\n  {}\n  ```",
        "<!--\n{}\n-->",
        "<!-- {} -->",
        "- <!--\n  {}\n  -->",
        "```bash\nls\n\n```python\nx\n```",  # a forgotten fence hides as little as it can
    ],
)
def test_what_is_quoted_as_code_or_commented_out_does_not_count(hidden: str) -> None:
    front = "\ufeff---\r\n### T-008: no\r\n---\r\n"
    text = f"{front}### T-001: a\n\n{hidden}\n\n### T-002: b\n".replace("{}", "### T-009: no")
    assert ["T-001", "T-002"] == [task.id for task in read_tasks(text).tasks]


def test_discarded_tasks_do_not_count_as_progress() -> None:
    text = "".join(
        f"### T-00{n}: X\n**Status**: {status}\n"
        for n, status in enumerate(["[x] completed", "[ ] pending", "DEFERRED", "who knows"])
    )
    assert (1, 3) == Work(Spec(""), read_tasks(text).tasks).progress
