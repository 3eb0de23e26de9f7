"""Marks in check boxes, in every layout: done is x, and what nobody knows is open."""

from collections.abc import Callable
from pathlib import Path

import pytest

from unlatch.increments.documents.marks import INTERNAL
from unlatch.increments.layouts.discarding import Discarding
from unlatch.increments.layouts.interface import Layout, Texts, Work
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Unit
from unlatch.worklog.text.markdown_lines import scan_work
from unlatch_layouts.kiro.layout import KIRO
from unlatch_layouts.openspec.layout import OPENSPEC
from unlatch_layouts.spec_kit.layout import SPEC_KIT

PAUSE = "\N{DOUBLE VERTICAL BAR}"
# In public files of these tools and their forks; the last has a variation selector.
UNKNOWN = (*"!?B>/*", "", "\N{CHECK MARK}", PAUSE, "x ", " x", PAUSE + "\N{VARIATION SELECTOR-16}")


def native(mark: str) -> Texts:
    return {"spec.md": "# One\n", "tasks.md": f"# Tasks\n\n- [x] T-001: a\n- [{mark}] T-002: b\n"}


def status_line(mark: str) -> Texts:
    tasks = (
        f"### T-001: a\n\n**Status**: [x] done\n\n### T-002: b\n\n**Status**: [{mark}] blocked\n"
    )
    return {"spec.md": "# One\n", "tasks.md": tasks}


def heading(mark: str) -> Texts:
    return {"spec.md": "# One\n", "tasks.md": f"### [x] T-001: a\n\n### [{mark}] T-002: b\n"}


def kit(mark: str) -> Texts:
    return {"spec.md": "# One\n", "tasks.md": f"- [X] T001 a\n- [{mark}] T002 b\n"}


def kiro(mark: str) -> Texts:
    empty = dict.fromkeys(("requirements.md", "bugfix.md", "design.md", "spec.json"), "")
    return {**empty, "tasks.md": f"- [x] 1. a\n- [{mark}] 2. b\n"}


def openspec(mark: str) -> Texts:
    return {"proposal.md": "# One\n", "tasks.md": f"- [x] 1.1 a\n- [{mark}] 1.2 b\n"}


CASES: dict[str, tuple[Layout, Callable[[str], Texts], str]] = {
    "list": (UNLATCH, native, "T-002"),
    "status": (UNLATCH, status_line, "T-002"),
    "heading": (UNLATCH, heading, "T-002"),
    "spec-kit": (SPEC_KIT, kit, "T002"),
    "kiro": (KIRO, kiro, "2"),
    "openspec": (OPENSPEC, openspec, "1.2"),
}
DISCARDS = {"list", "status", "heading", "spec-kit"}


def expected(case: str, mark: str) -> tuple[bool, bool]:
    """Whether the second task is done, and whether it was dropped."""
    if case == "openspec":
        return mark.strip().casefold() == "x", False  # as its own pattern trims a mark
    return mark in ("x", "X"), case in DISCARDS and mark == "-"


def last(work: Work) -> tuple[bool, bool]:
    task = work.tasks[-1]
    return task.done is True, task.discarded


@pytest.mark.parametrize("case", CASES)
def test_done_is_x_alone_and_an_unknown_mark_is_open(case: str) -> None:
    layout, texts, key = CASES[case]
    # OpenSpec's own pattern takes one character.
    for mark in (*"xX -~", *(UNKNOWN if case != "openspec" else UNKNOWN[:-1])):
        work = layout.read(texts(mark))

        assert [key] == [task.id for task in work.tasks[1:]], mark
        assert (expected(case, mark), len(work.tasks)) == (last(work), 2), mark
        is_open = expected(case, mark) == (False, False)
        assert ([key] if is_open else []) == [part.id for part in work.open], mark


@pytest.mark.parametrize("case", CASES)
def test_an_open_mark_stays_and_comes_back_after_a_tick(case: str) -> None:
    layout, texts, key = CASES[case]
    for mark in ("!", "?", "~", "", PAUSE):
        before = texts(mark)
        assert before == layout.mark(before, [key], done=False), mark

        ticked = layout.mark(before, [key], done=True)
        back = layout.mark(ticked, [key], done=False, marks={key.casefold(): mark})

        assert (True, False) == last(layout.read(ticked)), mark
        assert "[x]" in ticked["tasks.md"].casefold().splitlines()[-1].replace("[x] ", "[x]"), mark
        assert before == back, mark


# OpenSpec, which reads single lines, sees no box in a list within a list.
ODD = [("] ", "]\N{NO-BREAK SPACE}"), ("] ", "]\N{IDEOGRAPHIC SPACE}"), ("- [", "1. - [")]


@pytest.mark.parametrize(
    ("case", "written", "odd"),
    [(case, *odd) for case in CASES for odd in ODD if case != "openspec" or odd[0] == "] "],
)
def test_a_box_counts_wherever_markdown_shows_one(case: str, written: str, odd: str) -> None:
    layout, texts, key = CASES[case]
    before = {name: text.replace(written, odd) for name, text in texts("?").items()}

    ticked = layout.mark(before, [key], done=True)

    assert [key] == [part.id for part in layout.read(before).open]
    assert (True, False) == last(layout.read(ticked))
    assert before == layout.mark(ticked, [key], done=False, marks={key.casefold(): "?"})
    criterion = "- [ ] **AC-US1-01**: a\n".replace(written, odd)
    assert UNLATCH.read({"spec.md": criterion, "tasks.md": ""}).open


@pytest.mark.parametrize("case", CASES)
def test_a_block_that_is_never_closed_hides_no_task(case: str) -> None:
    layout, texts, key = CASES[case]
    for opening, end in (("```", "```"), ("~~~ bash", "~~~"), ("<!-- later", "-->")):
        document = texts(" ")
        first, _, rest = document["tasks.md"].rpartition(
            "\n- " if "\n- " in document["tasks.md"] else "\n### "
        )
        sign = "- " if "\n- " in document["tasks.md"] else "### "
        hidden = {**document, "tasks.md": f"{first}\n\n{opening}\n\n{sign}{rest}"}

        assert [key] == [part.id for part in layout.read(hidden).open], opening
        closed = {**hidden, "tasks.md": f"{hidden['tasks.md']}\n{end}\n"}
        if case != "openspec":  # its tool counts boxes in code
            assert [] == [part.id for part in layout.read(closed).open], opening
            assert scan_work(closed["tasks.md"]).open_at is None


@pytest.mark.parametrize("case", sorted(DISCARDS))
def test_a_project_may_count_a_mark_as_discarded(case: str) -> None:
    layout, texts, key = CASES[case]
    project = Discarding(layout, ("~", "!"))
    for mark in "~!":
        before = texts(mark)
        work = project.read(before)

        assert (False, True) == last(work), mark
        assert before["spec.md"] == work.spec.text
        assert not set(map(chr, INTERNAL)) & set(repr(work)), mark
        assert before == project.mark(before, [], done=True)
        ticked = project.mark(before, [key], done=True)
        assert (True, False) == last(project.read(ticked)), mark
        assert not set(map(chr, INTERNAL)) & set("".join(ticked.values()))
    assert (False, False) == last(project.read(texts("?")))


def test_new_rules_are_no_news_about_finished_units() -> None:
    unit = Unit("spec-kit", "001-a", Path("001-a"))
    now = SPEC_KIT.evidence(unit, kit("?"))
    closed = SPEC_KIT.evidence(unit, {"spec.md": "", "tasks.md": "- [X] T001 a\n"})
    assert now
    assert now.former
    assert closed
    assert (Status.ACTIVE, Status.COMPLETED) == (now.status, now.former.status)
    # What an earlier release recorded has the first version of the rules.
    former = type(closed)(closed.status, closed.by)

    assert not now.changes(former)
    assert now.changes(closed)  # the box came after this release recorded the unit
    reopened = SPEC_KIT.evidence(unit, kit(" "))
    assert reopened
    assert reopened.changes(former)


@pytest.mark.parametrize("case", [case for case in CASES if case != "openspec"])
@pytest.mark.parametrize("mark", [" ", "x", "-", "~"])
def test_a_box_that_a_formatter_escaped_is_a_box(case: str, mark: str) -> None:
    layout, texts, key = CASES[case]

    def states(of: Texts) -> list[tuple[str, bool | None, bool]]:
        return [(task.id, task.done, task.discarded) for task in layout.read(of).tasks]

    plain = texts(mark)
    escaped = {name: text.replace(f"[{mark}]", f"\\[{mark}]") for name, text in plain.items()}
    assert states(plain) == states(escaped)
    for done in (True, False):
        marked = layout.mark(escaped, [key], done=done)
        assert (key, done, False) in states({**escaped, **marked})
