"""Scope changes and new tasks go to the end, in the style of the file, also a second time."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from unlatch.increments.documents.scope_change import (
    amended_tasks,
    with_scope_change,
    with_tasks,
)
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask

TICK = "\N{WHITE HEAVY CHECK MARK}"
HEADING = "Scope change 2026-11-22"
NEW = NewTask("Retry", "US-001", ("AC-US1-01", "AC-US1-02"))
REOPEN = "01JD9ZK3T5V7Q2M4N6P8R0S1T3"


def appended(text: str, *new: NewTask) -> str:
    changed, _ = with_tasks(text, new or (NEW,), heading=HEADING)
    assert changed.startswith(text)
    return changed[len(text) :]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Tasks\n\n## T-007: One\n\n**AC**: AC-US1-01\n**Status**: [x] Completed\n",
            (
                "\n# Scope change 2026-11-22\n\n## T-008: Retry\n\n"
                "**User Story**: US-001\n**AC**: AC-US1-01, AC-US1-02\n**Status**: [ ] Pending\n"
            ),
        ),
        (
            "#### T0041 - One\n- **Status**: pending\n- **User Story**: US-001",
            (
                "\n\n### Scope change 2026-11-22\n\n#### T0042 - Retry\n"
                "- **Status**: pending\n- **User Story**: US-001\n"
                "**Satisfies ACs**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            "### T-034A: One\r\n**Status**: [ ] Not Started\r\n",
            (
                "\r\n## Scope change 2026-11-22\r\n\r\n"
                "### T-035: Retry\r\n**User Story**: US-001\r\n"
                "**Satisfies ACs**: AC-US1-01, AC-US1-02\r\n**Status**: [ ] Not Started\r\n"
            ),
        ),
        (
            "## T-001: One\n- [x] Completed\n- Told the team\n",
            (
                "\n# Scope change 2026-11-22\n\n## T-002: Retry\n- [ ] Pending\n"
                "**User Story**: US-001\n**Satisfies ACs**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            f"## {TICK} T-001: One\n\n## T-002: Two\n",
            (
                "\n# Scope change 2026-11-22\n\n## T-003: Retry\n\n"
                "**User Story**: US-001\n**Satisfies ACs**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            "### [x] T-025-039: Fifteen\n\n",
            (
                "## Scope change 2026-11-22\n\n### [ ] T-040: Retry\n\n"
                "**User Story**: US-001\n**Satisfies ACs**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            "# T-1: One\n\nStatus: [ ] todo\n",
            (
                "\n# T-2: Retry\n\n**User Story**: US-001\n"
                "**Satisfies ACs**: AC-US1-01, AC-US1-02\nStatus: [ ] todo\n"
            ),
        ),
        (
            "## Setup\n\n- [x] **T-008**: One\n    - **AC**: AC-US1-01\n- [ ] **T-009**: Two\n",
            (
                "\n## Scope change 2026-11-22\n\n- [ ] **T-010**: Retry\n  **User Story**: US-001\n"
                "  - **AC**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            "1. [X] T001 One\n",
            (
                "\n## Scope change 2026-11-22\n\n1. [ ] T002 Retry\n   **User Story**: US-001\n"
                "   **Satisfies ACs**: AC-US1-01, AC-US1-02\n"
            ),
        ),
        (
            "### T-009: One\n**Effort**: 2h | **AC**: AC-US1-01\n",
            (
                "\n## Scope change 2026-11-22\n\n### T-010: Retry\n**User Story**: US-001\n"
                "**AC**: AC-US1-01, AC-US1-02\n**Status**: [ ] pending\n"
            ),
        ),
    ],
)
def test_new_tasks_are_written_as_the_file_writes_them(text: str, expected: str) -> None:
    assert expected == appended(text)
    assert read_tasks(text).tasks == read_tasks(text + expected).tasks[:-1]
    assert read_tasks(text + expected).tasks[-1].done is False


@pytest.mark.parametrize("end", ["", "\n", "\r", "\r\n", "\n\n"])
@pytest.mark.parametrize(
    "opened", ["```\ncode", "```md\n```sh\ncode", "<!-- note", "- ~~~\n  code"]
)
def test_a_block_that_nobody_closed_does_not_swallow_what_is_appended(
    opened: str, end: str
) -> None:
    text = f"### T-001: One\n\n{opened}{end}"
    changed, ids = with_tasks(text, [NEW], heading=HEADING)
    assert ("T-002",) == ids
    assert ["T-001", "T-002"] == [task.id for task in read_tasks(changed).tasks]
    assert changed.startswith(text)


HOSTILE = [
    "### US-777: story",
    "### T-777: task",
    "- [ ] **AC-US7-77**: criterion",
    "- [x] T-777 done",
    "```\nnever closed",
    "~~~",
    "<!-- never closed",
    "text <!-- never closed",
    "text --> ends <!-- comments --!> of ours",
    "---\nstatus: completed\n---",
    "heading\n===",
    "a\r### T-777: task",
    "a\u2028### T-777: task\u2029- [ ] AC-1: b",
    "a\x85### T-777: task",
    "**Status**: [x] completed",
    "> ### T-777: quoted",
    "    ### T-777: code",
    "\ufeff---\n",
    "$& \\1 {id} %s ",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_scope_change_adds_no_structure(text: str) -> None:
    spec = "### US-001: One\n\n- [x] **AC-US1-01**: a\n"
    changed = with_scope_change(spec, change=text, reason=text, date="2026-11-22", reopen=REOPEN)
    old, new = read_spec(spec), read_spec(changed)
    assert (old.stories, old.criteria) == (new.stories, new.criteria)
    assert () == read_tasks(changed).tasks
    told = changed[len(spec) :]
    assert all(
        line.startswith((">", "**Re", "**Change", "## ")) or not line for line in told.split("\n")
    )
    for sign in (
        "> #",
        "x] T-777",
        " ] **AC",
        "> ```",
        "> ~~~",
        " <!--",
        "-->",
        "--!>",
        "> ---",
        "> ===",
        "\u2028",
        "\x85",
    ):
        assert sign not in told


@pytest.mark.parametrize("text", HOSTILE)
def test_a_task_from_a_stranger_is_one_task(text: str) -> None:
    tasks = "### T-001: One\n\n**Status**: [x] completed\n"
    new = [NewTask(text, text, (text, text), text), NewTask("Two")]
    changed, ids = with_tasks(tasks, new, heading=text)
    read = read_tasks(changed).tasks
    assert ["T-001", "T-002", "T-003"] == [task.id for task in read]
    assert ("T-002", "T-003") == ids
    assert [True, False, False] == [task.done for task in read]
    assert changed.count("**Status**: [ ] pending\n") == 2
    assert not [sign for sign in (" <!--", "-->", "--!>") if sign in changed]


@pytest.mark.parametrize(
    ("title", "written"),
    [
        (f"Ship it {TICK} DONE", "Ship it &#9989; DONE"),
        ("Ship it [DONE]", r"Ship it \[DONE]"),
        ("Ship it (US-009)", r"Ship it \(US-009)"),
        ("Learn C #", r"Learn C \#"),
        ("  Two\nlines ", "Two lines"),
        ("Use **bold** and `code` | pipes", "Use **bold** and `code` | pipes"),
    ],
)
def test_a_title_carries_no_mark(title: str, written: str) -> None:
    text = f"## {TICK} T-001: One\n"
    changed, _ = with_tasks(text, [NewTask(title)], heading=HEADING)
    assert f"## T-002: {written}\n" == changed[changed.index("## T-002") :]
    task = read_tasks(changed).tasks[-1]
    assert (written, False, None) == (task.title, task.done, task.story)


@pytest.mark.parametrize("separator", [": ", " - ", "- ", " ", "-"])
@pytest.mark.parametrize("title", ["T-014 again", "to T-014", "US-3 again", "Again", "- [x] Again"])
def test_a_title_is_no_part_of_its_id_and_no_end_of_a_range(separator: str, title: str) -> None:
    changed, ids = with_tasks(f"## T-001{separator}(One)\n", [NewTask(title)], heading=HEADING)
    assert ["T-001", *ids] == [task.id for task in read_tasks(changed).tasks]


def test_a_heading_that_looks_like_a_task_is_none() -> None:
    changed, _ = with_tasks("", [NewTask("One")], heading="T-050: sprint")
    assert ["T-001"] == [task.id for task in read_tasks(changed).tasks]
    assert "## &#84;-050: sprint\n" in changed


ULID = "01KA0000000000000000000001"
SPEC = """\
# Title

### US-001: One

- [x] **AC-US1-01**: a
- [x] **AC-US1-02**: b

### US-002: Two

- [x] **AC-US2-01**: c
"""
TASKS = """\
# Tasks

### T-001: One

**Satisfies ACs**: AC-US2-01
**Status**: [x] completed

### T-0010: Ten

**User Story**: US-001
**Status**: [x] completed
"""


def amended(amendment: Amendment) -> AppliedAmendment:
    return AppliedAmendment(ULID, datetime(2026, 11, 22, tzinfo=UTC), "Dana", amendment, "why")


def planned(wanted: AppliedAmendment, ids: tuple[str, ...]) -> AppliedAmendment:
    added = zip(wanted.amendment.tasks, ids, strict=True)
    tasks = tuple(replace(task, id=task_id) for task, task_id in added)
    return replace(wanted, amendment=replace(wanted.amendment, tasks=tasks))


def test_tasks_at_the_top_of_a_file_are_appended_once_without_a_heading() -> None:
    text = "# T-001: One\n\n**Status**: [x] completed\n"
    wanted = amended(Amendment("More", (NewTask("Two"),)))

    tasks, ids = amended_tasks(text, wanted)

    assert (ids, ULID in tasks) == (("T-002",), False)
    again = planned(wanted, ids)
    assert amended_tasks(tasks, again) == (tasks, ids)


@pytest.mark.parametrize(
    ("parts", "stories"),
    [
        (["US-002"], {"us-002"}),
        (["AC-US1-02"], {"us-001"}),
        (["T-001"], {"us-002"}),
        (["T-0010"], {"us-001"}),
        (["T-001", "AC-US1-01"], {"us-001", "us-002"}),
        ([], set()),
    ],
)
def test_a_part_touches_its_story(parts: list[str], stories: set[str]) -> None:
    assert stories == UNLATCH.read({"spec.md": SPEC, "tasks.md": TASKS}).stories_of(parts)
