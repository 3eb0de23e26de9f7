"""Ticking and unticking touches marks and nothing else."""

import pytest

from unlatch.errors import UsageError
from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.tasks import read_tasks

TICK = "\N{WHITE HEAVY CHECK MARK}"


def changed(text: str, new: str) -> list[tuple[str, str]]:
    pairs = zip(text.split("\n"), new.split("\n"), strict=True)
    return [(old, now) for old, now in pairs if old != now]


def file(*tasks: str) -> str:
    return "# Tasks\n\n" + "\n".join(tasks)


def task(id: str, status: str) -> str:
    return f"### {id}: Title\n\n**Priority**: P1\n**Status**: {status}\n\nText.\n"


@pytest.mark.parametrize(
    ("done", "pending"),
    [
        ("[x] completed", "[ ] pending"),
        ("[x] Completed", "[ ] Not Started"),
        ("[x] (100% - Completed)", "[ ] pending"),
        (f"[x] completed {TICK} COMPLETE", "[ ]"),
        ("Completed", "Pending"),
        (f"{TICK} Complete", "pending"),
        ("[x]", "[ ]"),
    ],
)
def test_a_task_takes_the_spelling_that_the_file_has_for_the_state(done: str, pending: str) -> None:
    text = file(
        task("T-001", done), task("T-002", done), task("T-003", pending), task("T-004", pending)
    )
    opened = with_marked(text, ["T-001"], done=False)
    assert [(f"**Status**: {done}", f"**Status**: {pending}")] == changed(text, opened)
    assert text == with_marked(opened, ["T-001"], done=True)
    closed = with_marked(text, ["T-003"], done=True)
    assert text == with_marked(closed, ["T-003"], done=False)


@pytest.mark.parametrize(
    ("status", "opened"),
    [
        ("[x] completed", "[ ] pending"),
        ("[x] Completed", "[ ] Pending"),
        ("COMPLETED", "PENDING"),
        ("[x] completed (integrated in the parser)", "[ ] pending (integrated in the parser)"),
        ("[x] completed (2025-11-20)", "[ ] pending (was: completed (2025-11-20))"),
        (
            f"[x] {TICK} Completed 2025-11-20 (in the guide)",
            f"[ ] Pending (was: {TICK} Completed 2025-11-20 (in the guide))",
        ),
        (
            "[x] completed (skipped - by design)",
            "[ ] pending (was: completed (skipped - by design))",
        ),
        (f"{TICK} COMPLETE {TICK} COMPLETE", f"PENDING (was: {TICK} COMPLETE {TICK} COMPLETE)"),
        ("DEFERRED - Will be done later", "[ ] pending (was: DEFERRED - Will be done later)"),
        ("[ ] pending (DEFERRED to 0044)", "[ ] pending (was: DEFERRED to 0044)"),
        ("who knows", "[ ] pending (was: who knows)"),
        ("", "[ ] pending"),
    ],
)
def test_without_an_example_a_task_keeps_its_own_way_of_writing(status: str, opened: str) -> None:
    text = file(task("T-001", status))
    assert file(task("T-001", opened)) == with_marked(text, ["T-001"], done=False)
    assert read_tasks(with_marked(text, ["T-001"], done=False)).tasks[0].done is False


@pytest.mark.parametrize(
    "status",
    [
        "[x] completed (skipped - by design)",
        "[X] Completed",
        "[x] (100% - Completed)",
        f"[x] completed {TICK} COMPLETE {TICK} COMPLETE",
        "[ ] Not Started",
        "[ ] Not Started (needs Ann)",
        "[~] In Progress",
        "Ready for execution",
        "Completed 2025-10-31",
        "100%",
        f"{TICK}",
        "[x]",
    ],
)
@pytest.mark.parametrize("other", ["[x] completed", "[ ] pending", f"{TICK} Complete", "todo", ""])
def test_marking_a_task_twice_restores_its_words_and_its_note(status: str, other: str) -> None:
    text = file(task("T-001", status), task("T-002", other))
    is_done = read_tasks(text).tasks[0].done is True
    marked = with_marked(text, ["T-001"], done=not is_done)
    assert text != marked == with_marked(marked, ["T-001"], done=not is_done)
    assert text == with_marked(marked, ["T-001"], done=is_done)


COMPLETED, PENDING = "**Status**: [x] completed", "**Status**: [ ] pending"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (f"## {TICK} T-001: a\n## {TICK} T-002: b\n## T-003: c\n", f"{TICK} T-001", "T-001"),
        (
            f"### T-001: a {TICK} DONE\n{COMPLETED}\n### T-002: b {TICK} DONE\n{COMPLETED}\n",
            f" {TICK} DONE\n{COMPLETED}",
            f"\n{PENDING}",
        ),
        *(
            (
                f"### {done}\n{COMPLETED}\n### T-002: b\n",
                f"{done}\n{COMPLETED}",
                f"{note}\n{PENDING}",
            )
            for done, note in (
                (f"{TICK}  T-001: a", f"T-001: a (was: {TICK}  ...)"),
                (f"T-001: a {TICK}", f"T-001: a (was: {TICK})"),
                ("T-001: a (DONE)", "T-001: a (was: (DONE))"),
                ("T-001: a  [DONE]", "T-001: a (was:  [DONE])"),
                (f"{TICK} T-001: a (DONE)", f"T-001: a (was: {TICK} ... (DONE))"),
            )
        ),
        ("### [x] T-001: a", "[x]", "[ ]"),
        ("## T-001: a\n- [x] Completed\n- Told\n## T-002: b\n", "[x] Completed", "[ ] Pending"),
        (
            "### T-001: a\n**Status**:\n- [x] Parse\n- [x] Write\n\n- [x] Not this\n",
            "- [x] Parse\n- [x] Write",
            "- [ ] Parse\n- [ ] Write",
        ),
        (
            "### T-001: a\n**AC**: A-1 \u00b7 **Status**: [x] completed (skipped) \u00b7 **By**: b",
            "[x] completed (skipped)",
            "[ ] pending (was: completed (skipped))",
        ),
        (
            f"\ufeff---\r\na: 1\n---\r\n# Tasks \r\r### T-001: a\t\n{COMPLETED}  \r\n\x0b\u2028end",
            "[x] completed",
            "[ ] pending",
        ),
        (
            "".join(f"### {one}: a\n{COMPLETED}\n" for one in ("T-001", "T-0010", "T-001A")),
            COMPLETED,
            PENDING,
        ),
        ("- [X] T-001 a\n- [X] T-002 b\n- [ ] T-003 c\n", "[X] T-001", "[ ] T-001"),
        *(
            (f"# Tasks\n\n{line}\n  - **AC**: AC-US1-01\n- [ ] T-002: b\n", line, opened)
            for line, opened in (
                ("- [x] T-001: a", "- [ ] T-001: a"),
                ("  * [x] **T-001**: a", "  * [ ] **T-001**: a"),
                (f"- [x] T-001: a {TICK}", f"- [ ] T-001: a (was: {TICK})"),
                (
                    f"- [X] T-001: a {TICK} COMPLETE {TICK} COMPLETE",
                    f"- [ ] T-001: a (was: [X] {TICK} COMPLETE {TICK} COMPLETE)",
                ),
            )
        ),
    ],
)
def test_an_unticked_task_reads_as_open_and_its_ticks_come_back(
    text: str, old: str, new: str
) -> None:
    opened = with_marked(text, [" t-001 "], done=False)
    assert text.replace(old, new, 1) == opened == with_marked(opened, ["T-001"], done=False)
    before, after = read_tasks(text).tasks, read_tasks(opened).tasks
    assert [before[0].title, *before[1:]] == [after[0].title, *after[1:]]
    assert after[0].done is False
    assert text == with_marked(opened, ["T-001"], done=True)


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("### T-001: One", "### T-001: One\n**Status**: [ ] pending"),
        ("### T-001: One\r\n\r\nText.", "### T-001: One\r\n**Status**: [ ] pending\r\n\r\nText."),
        ("### T-001: One\nText.\n", "### T-001: One\n**Status**: [ ] pending\n\nText.\n"),
        (
            "### T-001: One\n\n**AC**: AC-US1-01\n",
            "### T-001: One\n\n**Status**: [ ] pending\n**AC**: AC-US1-01\n",
        ),
        (f"## {TICK} T-001: One\n", f"## T-001: One (was: {TICK} ...)\n**Status**: [ ] pending\n"),
    ],
)
def test_a_task_without_any_mark_gets_a_status_line(text: str, opened: str) -> None:
    assert opened == with_marked(text, ["T-001"], done=False)


SPEC = """### US-001: First
- [x] **AC-US1-01**: a
- [~] **AC-US1-02**: b
### US-002: Second
- [x] **AC-US2-01**: c
## Coverage
- AC-US1-01: by hand
"""


@pytest.mark.parametrize("ids", [["AC-US1-01"], ["US-001"], ["US-001", "ac-us1-01"]], ids=str)
def test_a_criterion_is_unticked_by_its_id_or_its_story(ids: list[str]) -> None:
    assert SPEC.replace("[x]", "[ ]", 1) == with_marked(SPEC, ids, done=False)


def test_a_criterion_that_was_given_up_gets_a_note() -> None:
    text = SPEC.replace("[~]", "[-]")
    for done, new in ((True, "[x]"), (False, "[ ]")):
        marked = with_marked(text, ["AC-US1-02"], done=done)
        expected = SPEC.replace("[~]", new).replace("**: b", "**: b (was: [-])")
        assert expected == marked == with_marked(marked, ["AC-US1-02"], done=done)


@pytest.mark.parametrize(
    ("status", "ticked"),
    [
        ("[ ] pending (DEFERRED to 0044)", "[x] completed (was: DEFERRED to 0044)"),
        ("DEFERRED - later", "[x] completed (was: DEFERRED - later)"),
        (
            "[x] completed (2025-11-20) (was: DEFERRED)",
            "[x] completed (2025-11-20) (was: DEFERRED)",
        ),
    ],
)
def test_notes_never_nest(status: str, ticked: str) -> None:
    text = file(task("T-001", status))
    for _ in range(3):
        opened = with_marked(text, ["T-001"], done=False)
        text = with_marked(opened, ["T-001"], done=True)
        assert text == file(task("T-001", ticked))
        assert "(was: DEFERRED" in opened


@pytest.mark.parametrize("word", ["Done", "DONE", "done", "Finished", "Skipped", "completed"])
@pytest.mark.parametrize("box", ["[x]", "[X]"])
@pytest.mark.parametrize("other", ["", "### T-002: B\n- [ ] TODO\n"])
def test_a_bare_check_box_with_any_word_is_open_once_and_comes_back(
    box: str, word: str, other: str
) -> None:
    text = f"### T-001: A\n- {box} {word}\n{other}"
    opened = with_marked(text, ["T-001"], done=False)
    assert read_tasks(opened).tasks[0].done is False
    assert with_marked(opened, ["T-001"], done=False) == opened
    assert with_marked(opened, ["T-001"], done=True) == text


@pytest.mark.parametrize("heading", [f"T-001: A {TICK}", f"{TICK} T-001: A", "T-001: A (DONE)"])
def test_tasks_without_a_mark_stay_open_when_the_only_marked_one_opens(heading: str) -> None:
    text = f"## {heading}\n\n## T-002: B\n\n## T-003: C (OPEN)\n"
    opened = with_marked(text, ["T-001"], done=False)
    assert [task.done for task in read_tasks(text).tasks] == [True, False, False]
    assert [task.done for task in read_tasks(opened).tasks] == [False, False, False]


@pytest.mark.parametrize(
    ("line", "opened"),
    [
        ("- AC-US1-01: a", "- [ ] AC-US1-01: a"),
        ("**AC-US1-01**: a", "[ ] **AC-US1-01**: a"),
        ("#### AC-US1-01: a", "#### [ ] AC-US1-01: a"),
    ],
)
def test_a_criterion_without_a_check_box_gets_one(line: str, opened: str) -> None:
    text = f"### US-001: First\n\n{line}\n"
    assert text.replace(line, opened) == with_marked(text, ["US-001"], done=False)


def test_an_unknown_id_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(UsageError) as caught:
        with_marked(file(task("T-001", "[x]"), task("T-010", "[x]")), ["T-0001"], done=False)
    assert caught.value.id == "item-unknown"
    assert caught.value.message == "no task, story or criterion has the id 'T-0001'"
    assert caught.value.hint == "did you mean T-001 or T-010?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "give tasks a heading and criteria a check box that begin with an id"),
        (file(task("T-001", "[x]")), "it has T-001"),
        (file(task("T-001", "[x]"), task("T-007", "[x]")), "its ids run from T-001 to T-007"),
    ],
)
def test_without_a_near_one_the_hint_says_what_there_is(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_marked(text, ["something else\x1b[2J" + "!" * 500], done=False)
    assert caught.value.hint == hint
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 120


def test_an_id_that_occurs_twice_is_refused_with_the_lines() -> None:
    text = file(task("T-001", "[x]"), task("T-002", "[x]"), task("T-001", "[x]"))
    with pytest.raises(UsageError) as caught:
        with_marked(text, ["T-002", "T-001"], done=False)
    assert caught.value.id == "item-ambiguous"
    assert caught.value.message == "the id 'T-001' occurs 2 times, on lines 3 and 17"


def test_a_task_in_a_list_that_its_id_gives_up_gets_a_status_in_its_item() -> None:
    text = "- [ ] T-001-DISCARDED: One\n- [x] T-002: Two\n"
    closed = with_marked(text, ["T-001-DISCARDED"], done=True)
    assert "- [x] T-001-DISCARDED: One\n  **Status**: [x] completed\n- [x] T-002: Two\n" == closed
    assert read_tasks(closed).tasks[0].done is True


@pytest.mark.parametrize(
    "text",
    [
        "### T-001: One\n- Status: [ ] pending\n",
        "### T-001: One\n\n  - Status: [ ] pending\n",
        "### T-001: One\n- Status: pending\n",
        "### Task T-001: One\n**Status**: [ ] pending\n",
        "### t-001: One \u00b7 **Status**: [ ] pending \u00b7 **AC**: AC-US1-01\n",
        "- [ ] `T-001`: One\n",
        "- [ ] [T-001](x.md)\n",
        "- [ ] T-001: One \u00b7 **Status**: [ ] pending\n",
    ],
)
def test_a_task_in_any_spelling_keeps_its_characters(text: str) -> None:
    ticked = with_marked(text, ["T-001"], done=True)
    marks = (("[ ]", "[x]"), ("pending", "completed"))
    expected = text
    for old, new in marks:
        expected = expected.replace(old, new)
    assert expected == ticked
    assert text == with_marked(ticked, ["T-001"], done=False)
