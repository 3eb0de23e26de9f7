"""Amendments: a further numbered group of tasks."""

from __future__ import annotations

import pytest
from tests.increments.layouts.openspec.making import OP, amendment

from unlatch.increments.layouts.openspec import OPENSPEC
from unlatch.increments.model.increment import NewTask

HEADING = f"Scope change 2026-07-01 ({OP})"
WHY = "**Change**:\n\n> Export as PDF too\n\n**Reason**:\n\n> Asked for\n\n"
PLAIN = "# Tasks\n\n## 1. Sign in\n\n- [x] 1.1 Form\n"


def amended(text: str, *new: str) -> str:
    texts = {"proposal.md": "", "tasks.md": text}
    return OPENSPEC.amend(texts, amendment(*map(NewTask, new)))[0]["tasks.md"]


@pytest.mark.parametrize("titles", [("Export", "Print"), ()])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_new_tasks_are_a_group_with_the_next_number(titles: tuple[str, ...], end: str) -> None:
    tasks = "".join(f"- [ ] 2.{number} {title}\n" for number, title in enumerate(titles, 1))
    expected = f"{PLAIN}\n## 2. {HEADING}\n\n{WHY}{tasks}".rstrip() + "\n"
    assert expected.replace("\n", end) == amended(PLAIN.replace("\n", end), *titles)


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
