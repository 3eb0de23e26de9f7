"""spec.md and tasks.md with an amendment: their content, also after a second write."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.documents.scope_change import amended_spec, amended_tasks
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.increment import Amendment, AppliedAmendment, NewTask

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


def test_a_scope_change_is_appended_once() -> None:
    wanted = amended(Amendment("More", (NewTask("Two", id="T-0011"),)))

    spec = amended_spec(SPEC, wanted)
    tasks, ids = amended_tasks(TASKS, wanted)

    assert (spec.startswith(SPEC), spec.count(ULID)) == (True, 1)
    assert (tasks.startswith(TASKS), tasks.count(ULID)) == (True, 1)
    assert amended_spec(spec, wanted) == spec
    again = planned(wanted, ids)
    assert amended_tasks(tasks, again) == (tasks, ids)


def test_tasks_at_the_top_of_a_file_are_appended_once_without_a_heading() -> None:
    text = "# T-001: One\n\n**Status**: [x] completed\n"
    wanted = amended(Amendment("More", (NewTask("Two"),)))

    tasks, ids = amended_tasks(text, wanted)

    assert (ids, ULID in tasks) == (("T-002",), False)
    again = planned(wanted, ids)
    assert amended_tasks(tasks, again) == (tasks, ids)


@given(change=st.text(min_size=1), titles=st.lists(st.text(min_size=1), max_size=4))
def test_whatever_is_typed_adds_these_tasks_and_nothing_else(
    change: str, titles: list[str]
) -> None:
    wanted = amended(Amendment(change, tuple(map(NewTask, titles))))

    spec = amended_spec(SPEC, wanted)
    tasks, ids = amended_tasks(TASKS, wanted)

    before, after = read_spec(SPEC), read_spec(spec)
    assert (before.stories, before.criteria) == (after.stories, after.criteria)
    assert read_tasks(TASKS).tasks == read_tasks(tasks).tasks[:2]
    assert list(ids) == [task.id for task in read_tasks(tasks).tasks[2:]]
    assert len(ids) == len(titles)


def test_parts_are_open_again_and_nothing_else_changes() -> None:
    wanted = amended(Amendment(parts=("T-001", "US-001", "AC-US2-01")))

    spec, (tasks, _) = amended_spec(SPEC, wanted), amended_tasks(TASKS, wanted)

    assert spec == SPEC.replace("[x]", "[ ]")
    assert [task.done for task in read_tasks(tasks).tasks] == [False, True]


def test_a_part_that_is_gone_by_now_is_passed_over() -> None:
    wanted = amended(Amendment(parts=("T-777", "AC-US1-01")))

    assert amended_tasks(TASKS, wanted) == (TASKS, ())
    assert amended_spec(SPEC, wanted) == SPEC.replace("[x] **AC-US1-01", "[ ] **AC-US1-01")


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
