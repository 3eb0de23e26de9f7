"""Properties of every file, in any style and with any text of people."""

from dataclasses import replace
from unittest.mock import ANY

from hypothesis import assume, given
from hypothesis import strategies as st

from unlatch.errors import UsageError
from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.scope_change import with_tasks
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.model.reopens import NewTask

TICK = "\N{WHITE HEAVY CHECK MARK}"

STATUSES = (
    "[x] completed",
    "[ ] pending",
    "[x] Completed",
    "[ ] Not Started",
    f"[x] {TICK} Completed 2025-10-31",
    f"[x] completed {TICK} COMPLETE",
    "[x] (100% - Completed)",
    "[x] completed (integrated in T-004)",
    "[ ] pending (DEFERRED to 0044)",
    "[x] completed (skipped - by design)",
    "[ ] Not Started (needs Ann)",
    "[X] Completed",
    f"{TICK} COMPLETE {TICK} COMPLETE",
    f"[x] completed {TICK} COMPLETE {TICK} COMPLETE",
    "[ ] pending (was: completed (skipped))",
    f"{TICK} **COMPLETED** - all",
    "DEFERRED - later",
    "In Progress",
    "[~]",
    "[ ]",
    "",
    "who knows",
    "done done [x]",
)
ITEMS = (
    "- [ ] T-007: Seven",
    f"- [x] **T-008**: Eight {TICK}",
    f"  * [X] T009 Nine {TICK} COMPLETE {TICK} COMPLETE",
    "- [-] T-010: Ten",
    "- [~] T-011: Eleven [TODO]",
    "1. [x] T-012: Twelve (skipped)",
)
LINES = (
    *ITEMS,
    *("- [~] **AC-US1-03**: c (Descoped)", "- [-] AC-US1-04: d", "- AC-003: c"),
    *("- [x] **AC-US1-01**: a", "- [ ] AC-US2-01: b", "**AC**: AC-US1-01, AC-US1-02"),
    "  - **AC**: AC-US1-01 \u00b7 **Status**: [x] done",
    "**Status**: [x] completed (skipped) \u00b7 **Refs**: AC-US1-01",
    *("# Tasks", "## Phase 1", "## User Story: US-001 - One", "### US-002: Two"),
    *("### T-001: One", f"## {TICK} T-002: Two", f"### T-003: Three {TICK} COMPLETE"),
    *("#### [x] T-004: Four", "### T-034A: Thirty", "## T-005-DISCARDED: Five"),
    *("  ### T-006 Six ###", "### T-001", "**User Story**: US-001"),
    *("- [x] Completed", "- [X] DONE", "- [ ] Write", "1. one", "   - two"),
    *("```", "```bash", "   ```", "~~~~", "<!--", "-->", "<!-- x -->", "---", "..."),
    *("    code", "\ttab", "> quote", "", ""),
    *(f"**Status**: {status}" for status in STATUSES),
    *("- **Status**: pending", "**Status**:"),
)
endings = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
lines = st.one_of(st.sampled_from(LINES), st.sampled_from(LINES), st.text(max_size=12))
files = st.builds(
    lambda bom, parts, last: bom + "".join(line + end for line, end in parts) + last,
    st.sampled_from(["", "", "\ufeff", "---\na: 1\n---\n"]),
    st.lists(st.tuples(lines, endings), max_size=30),
    lines,
)
texts = st.one_of(files, st.text())
words = st.one_of(st.text(max_size=30), files, st.sampled_from(LINES))
new_tasks = st.lists(
    st.builds(
        NewTask, words, st.none() | words, st.lists(words, max_size=2).map(tuple), st.none() | words
    ),
    min_size=1,
    max_size=3,
)


@given(texts)
def test_any_text_is_read_and_stays_as_it_is(text: str) -> None:
    assert text == read_spec(text).text
    assert text == read_tasks(text).text
    assert text == with_marked(text, [], done=True)


@given(texts, new_tasks, words)
def test_new_tasks_follow_the_old_ones_and_are_open(
    text: str, new: list[NewTask], heading: str
) -> None:
    changed, ids = with_tasks(text, new, heading=heading)
    assert changed.startswith(text)
    old, read = read_tasks(text).tasks, read_tasks(changed).tasks
    assert old == read[: len(old)]
    added = read[len(old) :]
    assert list(ids) == [task.id for task in added]
    assert len(set(ids) | {task.id for task in old}) == len(ids) + len({task.id for task in old})
    assert [(False, False)] * len(new) == [(task.done, task.discarded) for task in added]
    spec = read_spec(text), read_spec(changed)
    assert spec[0].stories == spec[1].stories
    assert spec[0].criteria == spec[1].criteria


@given(st.lists(st.tuples(st.sampled_from(["US-001", "us1", "none"]), words)), texts)
def test_links_of_new_tasks_read_back(pairs: list[tuple[str, str]], text: str) -> None:
    assume(pairs)
    new = [NewTask(title, "US-001", ("AC-US1-01", "AC-002"), text) for _, title in pairs]
    changed, _ = with_tasks(text, new, heading="More")
    for task in read_tasks(changed).tasks[-len(new) :]:
        assert ("US-001", ("AC-US1-01", "AC-002")) == (task.story, task.criteria)


def found(text: str, id: str) -> Task:
    return next(task for task in read_tasks(text).tasks if task.id == id)


def mark(text: str, id: str, *, done: bool) -> str | None:
    try:
        return with_marked(text, [id], done=done)
    except UsageError:
        return None


@given(files, st.booleans())
def test_a_marked_task_reads_as_marked(text: str, done: bool) -> None:
    for task in read_tasks(text).tasks:
        if (marked := mark(text, task.id, done=done)) is None:
            continue
        read = found(marked, task.id)
        assert task.title == read.title
        assert read.done is (None if read.discarded else done)
        assert not read.discarded or ("DISCARDED" in task.id and not done)
        assert marked == mark(marked, task.id, done=done)
        others = [one for one in read_tasks(text).tasks if one.id != task.id]
        assert [(one.id, one.title) for one in others] == [
            (one.id, one.title) for one in read_tasks(marked).tasks if one.id != task.id
        ]


@given(files)
def test_tick_and_untick_lead_back_and_forth(text: str) -> None:
    ids = {task.id for task in read_tasks(text).tasks}
    ids |= {criterion.id for criterion in read_spec(text).criteria}
    for one in ids:
        closed = mark(text, one, done=True)
        if closed is None:
            continue
        opened = with_marked(closed, [one], done=False)
        # The first time round a task may get the spelling that the others have.
        closed = with_marked(opened, [one], done=True)
        assert opened == with_marked(closed, [one], done=False)


fields = st.sampled_from(
    ["**Status**: {}", "- **Status**: {}", "**AC**: AC-1 \u00b7 **Status**: {}"]
)
# A status that a note restores takes its next words from the file.
known = [
    one
    for one in STATUSES
    if found(f"## T-1: a\nStatus: {one}", "T-1").done is not None and "(was:" not in one
]
headed = st.builds(
    lambda label, status: f"### T-00{{}}: Title\n\n{label.format(status)} \u00b7 **Owner**: me",
    fields,
    st.sampled_from(known),
)
listed = st.builds(
    "{}{} T-00{{}}: Title{}".format,
    st.sampled_from(["- ", "* ", "  - ", "1. "]),
    st.sampled_from(["[x]", "[X]", "[ ]", "[~]", "[/]"]),
    st.sampled_from(["", " (soon)"]),
)
ticked = st.builds(
    "- [x] T-00{{}}: Title{}".format, st.sampled_from([f" {TICK}", f"  {TICK} DONE", " [DONE]"])
)


@given(st.lists(st.one_of(headed, listed, ticked), min_size=1, max_size=6), endings)
def test_marking_a_task_twice_restores_the_file_to_the_letter(tasks: list[str], end: str) -> None:
    lines = [task.format(number) for number, task in enumerate(tasks)]
    text = "\n## Next\n".join(lines).replace("\n", end)
    for task in read_tasks(text).tasks:
        assert task.done is not None
        other = with_marked(text, [task.id], done=not task.done)
        assert found(other, task.id) == replace(task, done=not task.done, status=ANY)
        assert other == with_marked(other, [task.id], done=not task.done)
        back = with_marked(other, [task.id], done=task.done)
        # [X] is only a spelling, for which no note is left.
        assert text.replace("[X]", "[x]") == back.replace("[X]", "[x]")


@given(files)
def test_a_criterion_with_a_check_box_comes_back_exactly(text: str) -> None:
    criteria = read_spec(text).criteria
    for criterion in criteria:
        same = [one for one in criteria if one.id == criterion.id and one.done is not None]
        if len(same) != 1 or criterion.done is None or "[~]" in text:
            continue
        other = with_marked(text, [criterion.id], done=not criterion.done)
        assert 1 == sum(a != b for a, b in zip(text, other, strict=True))
        assert text == with_marked(other, [criterion.id], done=criterion.done)
