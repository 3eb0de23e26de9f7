"""A menu at the terminal where the id is missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len
from tests.cli.overview.test_history import reopen
from tests.cli.terminal import CTRL_C, Terminal

if TYPE_CHECKING:
    from tests.cli.project import Project

# It would ask the terminal for the place of its cursor, and there is no one to answer.
EXTRA = {"PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONUTF8": "1"}
MENU = "Type to search"
ESC, ENTER, DOWN, BACKSPACE = "\x1b", "\r", "\x1b[B", "\x7f"
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?>=]*[A-Za-z]|[()][A-Z0-9]|[=>])")


@pytest.fixture
def several(project: Project) -> Project:
    history = [reopen(1, "2025-11-10T00:00:00Z")]
    project.increment("0001-search", status="active", reopenHistory=history)
    project.increment("0002-login", lastActivity="2025-10-02T00:00:00Z")
    project.increment("0003-照合", lastActivity="2025-10-03T00:00:00Z")
    project.increment("0004-other-search", status="paused")
    project.increment("0005-old", archived=True)
    spec = project.folder("0003-照合") / "spec.md"
    spec.write_text("# 監査の照合 \x1b[2J$(touch made)\n", encoding="utf-8")
    return project


def picker(project: Project, *arguments: str, columns: int = 100, **extra: Any) -> Terminal:
    return Terminal(project, *arguments, columns=columns, extra={**EXTRA, **extra})


def shown(terminal: Terminal) -> list[str]:
    return [line.rstrip() for line in re.split(r"[\r\n]+", _ESCAPES.sub("", terminal.raw))]


def rows(terminal: Terminal) -> list[str]:
    """The ids of the menu's rows, in the order in which they were drawn first."""
    found = re.findall(r" (000\d-\S+) +(?:active|paused|completed)", "\n".join(shown(terminal)))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_a_row_is_found_by_its_letters_and_taken(several: Project, columns: int) -> None:
    with picker(several, "show", columns=columns) as terminal:
        terminal.expect(MENU)
        terminal.expect("0002-login")
        terminal.type("lgn")
        terminal.type(ENTER)
        terminal.expect("unlatch show: 0002-login")
        assert 0 == terminal.end()

    assert "  Status       completed" in shown(terminal)
    assert columns >= max(map(cell_len, shown(terminal)))


def test_the_menu_shows_status_and_title_of_what_can_be_resumed(several: Project) -> None:
    with picker(several, "resume") as terminal:
        terminal.expect("0004-other-search")
        terminal.type(CTRL_C)
        assert 130 == terminal.end()

    assert ["0003-照合", "0002-login", "0005-old", "0004-other-search"] == rows(terminal)
    lines = "\n".join(shown(terminal))
    assert "0003-照合          completed  監査の照合 [2J$(touch made)" in lines
    assert "0004-other-search  paused     Other search" in lines
    assert "\x1b[2J" not in terminal.raw.partition("監査")[2].partition("\n")[0]
    assert "Interrupted. Nothing was changed." in lines


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("complete", ["0001-search"]),
        ("pause", ["0001-search"]),
        ("start", ["0004-other-search"]),
        ("undo", ["0001-search"]),
    ],
)
def test_a_command_offers_what_it_can_act_on(
    several: Project, command: str, expected: list[str]
) -> None:
    before = several.tree()
    with picker(several, command) as terminal:
        terminal.expect(expected[-1])
        terminal.type(ESC)
        assert 2 == terminal.end()

    assert expected == rows(terminal)
    assert shown(terminal)[-2].endswith("Nothing was changed.")
    assert before == several.tree()


def test_what_is_picked_is_changed(several: Project) -> None:
    with picker(several, "pause", "--reason", "Later") as terminal:
        terminal.expect("0001-search")
        terminal.type(DOWN)
        terminal.type(ENTER)
        assert 0 == terminal.end()

    assert "paused" == several.metadata("0001-search")["status"]


def test_enter_alone_takes_nothing_and_a_correction_searches_again(several: Project) -> None:
    with picker(several, "history") as terminal:
        terminal.expect("0002-login")
        terminal.type(ENTER)
        terminal.type(f"zzz{ENTER}")
        terminal.type(3 * BACKSPACE)
        terminal.type(f"照合{ENTER}")
        terminal.expect("unlatch history: 0003-照合")
        assert 0 == terminal.end()


def test_data_stays_apart_from_the_menu(several: Project) -> None:
    target = several.home / "shown.json"
    with target.open("wb") as file:
        arguments = ("show", "--offline", "--json")
        extra = {**EXTRA}
        with Terminal(several, *arguments, extra=extra, stdout=file.fileno()) as terminal:
            terminal.expect("0002-login")
            terminal.type(f"login{ENTER}")
            assert 0 == terminal.end()

    assert target.read_text(encoding="utf-8").startswith('{\n  "schema": "unlatch.show/1"')


@pytest.mark.parametrize(("command", "extra"), [("show", {"TERM": "dumb"}), ("unlink", {})])
def test_a_terminal_without_menus_and_a_second_missing_argument_get_the_error(
    several: Project, command: str, extra: dict[str, Any]
) -> None:
    with picker(several, command, **extra) as terminal:
        assert 2 == terminal.end()
    assert "Missing argument 'ID" in terminal.text


def test_without_a_terminal_or_a_candidate_the_error_stays(project: Project) -> None:
    project.increment(status="completed")

    piped = [project.run(one) for one in ("show", "pause", "history", "resume")]
    with picker(project, "pause") as terminal:
        assert 2 == terminal.end()

    assert [2] * 4 == [done.code for done in piped]
    assert "Missing argument 'ID'" in piped[0].err
    assert "Missing argument 'ID...'" in piped[1].err
    assert "name an increment, or --all" in piped[2].err
    assert "pass either IDs or --all-matching EXPR" in piped[3].err
    assert "Missing argument 'ID...'" in terminal.text
