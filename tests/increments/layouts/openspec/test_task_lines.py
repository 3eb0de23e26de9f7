"""Tasks of a change: what is one, its id and mark; an amendment adds a numbered group."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.increments.layouts.openspec.making import OP, amendment, tasks

from unlatch.errors import UsageError
from unlatch.increments.model.reopens import NewTask
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import check_texts
from unlatch_layouts.openspec import OPENSPEC

UNIT = Unit("openspec", "add-login", Path("/root/openspec/changes/add-login"))


def mark(text: str, *ids: str, done: bool) -> str:
    return OPENSPEC.mark({"tasks.md": text}, ids, done=done)["tasks.md"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ ] 1.1 Create it", ("1.1", "Create it")),
        ("  - [ ] 1.1.1 Nested", ("1.1.1", "Nested")),
        ("- [ ] 1.2a: Colon", ("1.2a", "Colon")),
        ("- [ ] 1. Dot", ("1", "Dot")),
        ("- [ ] 1.1 - Dash", ("1.1", "Dash")),
        ("- [ ] T001 Of another tool", ("T001", "Of another tool")),
        ("- [ ] A1.2 Letter", ("A1.2", "Letter")),
        ("- [ ] **1.1** Bold", ("1.1", "Bold")),
        ("- [ ] **1.1:** Bold", ("1.1", "Bold")),
        ("- [ ] **T001** Bold", ("T001", "Bold")),
        ("- [ ] **1.1 Bold title** and more", ("1.1", "**Bold title** and more")),
        ("- [ ] `1.1` Code", ("1.1", "Code")),
        ("- [ ] [1.1] Brackets", ("1.1", "Brackets")),
        ("- [ ] 1.1 2.0 is released", ("1.1", "2.0 is released")),
        ("- [ ] 1.1\u521b\u5efa", ("1.1", "\u521b\u5efa")),
        ("- [ ] 1.1", ("1.1", "")),
        ("- [ ] 3 files change", ("#1", "3 files change")),
        ("- [ ] 2026-01-24 is the day", ("#1", "2026-01-24 is the day")),
        ("- [ ] V1.2 is released", ("#1", "V1.2 is released")),
        ("- [ ] **Bold** title", ("#1", "**Bold** title")),
        ("- [ ]", ("#1", "")),
    ],
)
def test_an_id_is_a_number_as_people_write_it(line: str, expected: tuple[str, str]) -> None:
    for end in ("", "\n", "\r\n"):
        (task,) = tasks(line + end).tasks
        assert expected == (task.id, task.title)


@pytest.mark.parametrize(
    ("box", "ticked", "unticked"),
    [
        ("[ ]", "[x]", "[ ]"),
        ("[]", "[x]", "[ ]"),
        ("[  ]", "[ x]", "[  ]"),
        ("[   ]", "[ x ]", "[   ]"),
        ("[ - ]", "[ x ]", "[   ]"),
        ("[\u2705]", "[x]", "[ ]"),
    ],
)
def test_a_box_of_any_width_is_ticked(box: str, ticked: str, unticked: str) -> None:
    text = f"- {box} 1.1 Form\r\n"
    after = mark(text, "1.1", done=True)
    assert f"- {ticked} 1.1 Form\r\n" == after
    assert f"- {unticked} 1.1 Form\r\n" == mark(after, "1.1", done=False)


def test_an_unknown_and_a_doubled_id_are_refused() -> None:
    for wanted, expected in (("1.2", "item-unknown"), ("1.1", "item-ambiguous")):
        with pytest.raises(UsageError) as caught:
            mark("- [ ] 1.1 a\n- [ ] 1.1 b\n", wanted, done=True)
        assert expected == caught.value.id


def lines(*boxes: str) -> st.SearchStrategy[list[str]]:
    other = ["# Tasks", "## 2. Group", "```", "<!--", "-->", "  - Requirement: One", ""]
    parts = st.tuples(
        st.sampled_from(["", "  ", "\t", "> ", "\ufeff"]),
        st.sampled_from(["-", "*", "+", "1.", "23)", "a"]),
        st.sampled_from(["", " ", "  ", "\u3000"]),
        st.sampled_from(boxes),
        st.sampled_from([" 1.1 ", " **T001** ", " ", "", " \u4efb\u52a1 "]),
        st.text("a1. *-]#`\r\x0b\u2028\U0001f6a7", max_size=12),
    )
    return st.lists(st.one_of(st.sampled_from(other), st.builds("".join, parts)), max_size=12)


BOXES = ("[ ]", "[x]", "[ x]", "[~]", "[-]", "[ab]", "[", "[x](a)")


# A mark that is taken back is a space, whatever space was there; an upper-case tick
# takes the style of another task.
_EMPTY = re.compile(r"\[([^\S\r\n]*)\]")


@given(lines(*BOXES), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_tasks_conform(lines: list[str], end: str) -> None:
    # A line end of another kind can become part of the next one that is written.
    text = end.join(line.replace("\r", "") for line in lines)
    text = _EMPTY.sub(lambda box: f"[{' ' * max(1, len(box[1]))}]", text)
    check_texts(OPENSPEC, UNIT, {"proposal.md": "", "tasks.md": text}, most_tasks=5)


HEADING = f"Scope change 2026-07-01 ({OP})"
WHY = "**Change**:\n\n> Export as PDF too\n\n**Reason**:\n\n> Asked for\n\n"
PLAIN = "# Tasks\n\n## 1. Sign in\n\n- [x] 1.1 Form\n"


def amended(text: str, *new: str) -> str:
    texts = {"proposal.md": "", "tasks.md": text}
    return OPENSPEC.amend(texts, amendment(*map(NewTask, new)))[0]["tasks.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"# Tasks\n\n## 1. {HEADING}"),
        ("- [ ] a\n- [ ] b\n", f"\n## 1. {HEADING}"),
        ("## Phase\n- [ ] T007 a\n", f"\n## 8. {HEADING}"),
        ("- [ ] 4.1 a\n", f"\n## 5. {HEADING}"),
        ("# 1. Setup\n- [ ] 1.1 a\n", f"\n# 2. {HEADING}"),
        ("## 1. All\n### 1.1 One\n- [ ] a\n### 1.2 Two\n- [ ] b\n", f"\n## 2. {HEADING}"),
        ("### 3) Last\n- [ ] 3.1 a\n", f"\n### 4. {HEADING}"),
        ("```\n- [ ] 9.1 code", f"\n```\n\n## 10. {HEADING}"),
    ],
)
def test_the_group_follows_the_style_of_the_file(text: str, expected: str) -> None:
    after = amended(text, "Export")
    assert after.startswith(text)
    assert f"{expected}\n\n{WHY}- [ ] " in after.removeprefix(text)


def test_a_file_of_carriage_returns_with_one_newline_gets_newlines() -> None:
    after = amended("a\rb\rc\r\n- [ ] 1.1 d\r", "Export")
    found = OPENSPEC.read({"proposal.md": "", "tasks.md": after}).tasks
    assert ["1.1", "2.1"] == [task.id for task in found]


def test_a_task_names_its_requirement_and_scenarios_and_quotes_its_description() -> None:
    new = NewTask("Export\n- [x] no", "Sign in", ("Right password",), "- [x] no\n\n# no")
    texts = {"proposal.md": "", "tasks.md": PLAIN}
    after, ids = OPENSPEC.amend(texts, amendment(new))
    assert after["tasks.md"].endswith(
        "- [ ] 2.1 Export - [x] no\n  - Requirement: Sign in\n  - Scenario: Right password\n"
        "  > - \\[x\\] no\n  >\n  > \\# no\n"
    )
    task = OPENSPEC.read(after).tasks[-1]
    assert (("2.1",), "2.1") == (ids, task.id)
    assert ("Sign in", ("Right password",)) == (task.story, task.criteria)


def test_parts_are_opened_again() -> None:
    texts = {"proposal.md": "", "tasks.md": PLAIN}
    again = amendment(change=None, parts=["1.1", "Sign in"])
    after, ids = OPENSPEC.amend(texts, again)
    assert ((), PLAIN.replace("[x]", "[ ]")) == (ids, after["tasks.md"])


def test_of_several_files_one_gets_the_tasks() -> None:
    texts = {"proposal.md": "", "api/tasks.md": PLAIN, "web/tasks.md": "- [x] 7.1 a\n"}
    after, ids = OPENSPEC.amend(texts, amendment(NewTask("Export"), parts=["web:7.1"]))
    assert ("api:2.1",) == ids
    assert "- [ ] 7.1 a\n" == after["web/tasks.md"]
    assert after["api/tasks.md"].startswith(PLAIN)
