"""Tables: whole lines for programs, lines that fit for people."""

import re

import pytest
from rich.cells import cell_len
from tests.cli.project import Project
from tests.cli.terminal import Terminal

from unlatch.cli.terminal.columns import fitted

LONG = "A title that goes on and on, far beyond where a narrow terminal ends"
# Each of these signs takes two cells of a terminal.
WIDE = "再開された作業の題名がここに長く続いている"
SIGNS = {"PYTHONUTF8": "1"}


@pytest.fixture
def titled(project: Project) -> Project:
    """A project with two titles that are long in their own ways."""
    for name, title in (("0001-long", LONG), ("0002-wide", WIDE)):
        project.increment(name, status="active")
        (project.folder(name) / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    return project


def test_without_a_terminal_nothing_is_cut(titled: Project) -> None:
    titled.run("list").shows(
        whole_out="Increment  Status  Items  Title\n"
        f"0001-long  active         {LONG}\n"
        f"0002-wide  active         {WIDE}\n"
    )


@pytest.mark.parametrize("columns", [60, 100, 200])
@pytest.mark.parametrize(
    "category",
    ["再開", "e\u0301te\u0301"],
    ids=["han", "combined"],
)
def test_columns_behind_wide_and_combined_signs_are_in_line(
    single: Project, columns: int, category: str
) -> None:
    name = f"{category} 👍🏽 👩‍👩‍👧"
    single.run("resume", "7", "-m", "First", "--by", name, "--yes", "--offline")
    single.increment("0008-plain")
    single.run("resume", "8", "-m", "Second", "--by", "Gil", "--yes", "--offline")
    with Terminal(single, "history", "--all", columns=columns, extra=SIGNS) as terminal:
        assert terminal.end() == 0
    lines = terminal.text.splitlines()
    first, second = (next(line for line in lines if one in line) for one in ("First", "Second"))
    assert cell_len(first.partition("First")[0]) == cell_len(second.partition("Second")[0])
    assert columns >= max(map(cell_len, lines))


@pytest.mark.parametrize("columns", [40, 100])
def test_doctor_keeps_places_and_commands_whole(titled: Project, columns: int) -> None:
    titled.configure(f'"{WIDE * 4}" = 1')
    name = titled.increment("0008-of-the-smart-discipline")
    (titled.folder(name) / "metadata.json").write_text("{")
    with Terminal(titled, "doctor", columns=columns, extra=SIGNS) as terminal:
        assert terminal.end() == 1
    assert WIDE * 4 in terminal.text
    assert f"{name}/metadata.json:" in terminal.text
    longer = [one for one in terminal.text.splitlines() if cell_len(one) > columns]
    assert all(WIDE in one or name in one for one in longer)


def test_at_a_terminal_the_title_is_wrapped_under_its_heading(titled: Project) -> None:
    with Terminal(titled, "list", columns=60, extra=SIGNS) as terminal:
        assert terminal.end() == 0

    assert terminal.text == (
        "Increment  Status  Items  Title\n"
        "0001-long  active         A title that goes on and on, far\n"
        "                          beyond where a narrow terminal\n"
        "                          ends\n"
        "0002-wide  active         再開された作業の題名がここに長く続\n"
        "                          いている\n"
    )
    with Terminal(titled, "list", columns=100, extra={**SIGNS, "TERM": "dumb"}) as terminal:
        assert terminal.end() == 0
    assert terminal.text == titled.run("list").out
    assert "\x1b" not in terminal.raw  # a dumb terminal gets no colours


def test_a_row_has_a_line_for_its_id_where_the_columns_do_not_fit(project: Project) -> None:
    name = "0172-true-auto-mode-that-continues-whatever-happens"
    project.increment(name, links={"jira": {"issueKey": "SCRUM-28"}})
    with Terminal(project, "list", columns=60) as terminal:
        assert terminal.end() == 0
    assert terminal.text == (
        "Increment\n"
        "  Status     Items          Title\n"
        f"{name}\n"
        "  completed  jira SCRUM-28  True auto mode that continues\n"
        "                            whatever happens\n"
    )


def test_the_cause_in_a_table_is_whole_and_its_place_relative(project: Project) -> None:
    project.increment()
    (project.folder() / "metadata.json").write_text('{"id": ')
    cause = "metadata.json: invalid JSON: unexpected end of file (metadata.json:1:8)"
    with Terminal(project, "list", columns=60) as terminal:
        terminal.end()
    table, hint, _ = terminal.text.partition("0007-smart-discipline: next:")
    assert cause in " ".join(table.split())
    assert hint
    assert 60 >= max(map(len, table.splitlines()))
    assert f"{cause}\n" in project.run("list").out


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize(
    "command",
    [("status",), ("show", "7"), ("github", "status", "7")],
    ids=" ".join,
)
def test_only_an_address_or_path_is_longer_than_the_terminal_is_wide(
    single: Project, command: tuple[str, ...], columns: int
) -> None:
    for reason in (LONG, f"{LONG} again"):
        single.run("resume", "7", "--reason", reason, "--yes", "--offline")
        single.run("complete", "7", "--offline")
    single.increment("0008-smart-discipline-of-the-other-kind", links={"github": {"issue": 0}})
    single.increment("0009-smart-discipline-of-the-third-kind", links={"github": {"issue": 0}})
    with Terminal(single, *command, columns=columns) as terminal:
        terminal.end()
    longer = [line for line in terminal.text.splitlines() if len(line) > columns]
    whole = ("://", "/metadata.json")
    assert [] == [line for line in longer if not any(one in line for one in whole)]


def test_the_prompt_for_many_shows_items_in_a_column(completed: Project) -> None:
    completed.increment("0008-other", links={"jira": {"issueKey": "SCRUM-28"}})
    with Terminal(completed, "resume", "7", "8", columns=60) as terminal:
        terminal.answer("Continue?", "n\n")
        terminal.end()
    assert (
        "Increment              Status     Items\n"
        "0007-smart-discipline  completed  github 4, ado 101, jira\n"
        "                                  SCRUM-28\n"
        "0008-other             completed  jira SCRUM-28\n"
    ) in terminal.text


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize(
    "line",
    [
        *("status", "history --all", "search portal", "effort show portal", "session list"),
    ],
)
def test_ids_are_whole_and_nothing_else_is_beside_those_that_do_not_fit(
    project: Project, line: str, columns: int
) -> None:
    title = "Login of the portal fails since the last upgrade of it"
    name = title.replace(" ", "-").lower()
    project.increment(f"0012-{name}")
    project.run("resume", "12", "-m", title, "--yes", "--offline")
    project.run("effort", "open", title)
    project.run("session", "start", title)
    project.run("session", "log", "portal", "--phase", "Research", "--agent", "coder@1.2")

    with Terminal(project, *line.split(), columns=columns, extra=SIGNS) as terminal:
        assert terminal.end() == 0

    lines = terminal.text.splitlines()
    assert any(word.endswith(name) for line in lines for word in line.split())
    # A label before it, or the mark of the effort that is active.
    alone = re.compile(rf"(\w+ {{2,}})?\S*{name}( \(active\))?")
    assert [one for one in lines if len(one) > columns and not alone.fullmatch(one.strip())] == []


def test_a_title_that_takes_a_line_of_its_own_is_wrapped(project: Project) -> None:
    project.increment("0012-portal", status="active")
    title = "Find out why the login of the portal fails since the upgrade"
    (project.folder("0012-portal") / "tasks.md").write_text(f"# Tasks\n\n### T-002: {title}\n")
    command = ("run", "check", "increment:12")
    with Terminal(project, *command, columns=40, extra=SIGNS) as terminal:
        assert terminal.end() == 0
    assert title in " ".join(terminal.text.split())
    assert max(map(cell_len, terminal.text.splitlines())) <= 40


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("    note: of three words", ["    note: of", "        three", "        words"]),
        # One that fits on no line follows what stands before it, and no further one does.
        ("at " + "x" * 20 + " " + "y" * 20, ["at " + "x" * 20, "    " + "y" * 20]),
        (
            "next: unlatch resume 7 --reason 'a, b', or wait",
            [
                "next: unlatch resume 7 --reason 'a, b',",
                "    or wait",
            ],
        ),
    ],
)
def test_a_line_is_broken_at_spaces_and_never_within_a_command(line: str, lines: list[str]) -> None:
    assert lines == fitted(line, width=14, cells=cell_len)
