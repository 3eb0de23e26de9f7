"""A menu at the terminal where the id is missing."""

import re
from typing import Any

import pytest
from rich.cells import cell_len
from tests.cli.overview.test_history import reopen
from tests.cli.project import Project
from tests.cli.terminal import CTRL_C, Terminal

EXTRA = {"PYTHONUTF8": "1"}
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


def picker(
    project: Project, *arguments: str, columns: int = 100, lines: int = 40, **extra: Any
) -> Terminal:
    extra = {**EXTRA, **extra}
    return Terminal(project, *arguments, columns=columns, lines=lines, extra=extra)


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
        terminal.answer("0002-login", "lgn")
        terminal.type(ENTER)
        terminal.expect("unlatch show: 0002-login")
        assert 0 == terminal.end()
    assert "  Status       completed" in shown(terminal)
    assert columns >= max(map(cell_len, shown(terminal)))
    # It is not asked for the place of its cursor: prompt_toolkit warns of a terminal that does
    # not answer, as this one.
    assert "\x1b[6n" not in terminal.raw


def test_the_menu_shows_status_and_title_of_what_can_be_resumed(several: Project) -> None:
    with picker(several, "resume") as terminal:
        terminal.answer("0004-other-search", CTRL_C)
        assert 130 == terminal.end()
    assert ["0003-照合", "0002-login", "0005-old", "0004-other-search"] == rows(terminal)
    lines = "\n".join(shown(terminal))
    assert "0003-照合          completed  監査の照合 $(touch made)" in lines
    assert "0004-other-search  paused     Other search" in lines
    assert "\x1b[2J" not in terminal.raw.partition("監査")[2].partition("\n")[0]
    assert "Interrupted. Nothing was changed." in lines


def test_enter_takes_the_marked_row_and_it_is_changed(several: Project) -> None:
    for keys in ((DOWN, ENTER), (ENTER,)):
        with picker(several, "pause", "--reason", "Later") as terminal:
            terminal.expect("> 0001-search")
            for key in keys:
                terminal.type(key)
            terminal.expect("unlatch pause: 0001-search")
            assert 0 == terminal.end()
        assert "paused" == several.metadata("0001-search")["status"]
        assert several.run("start", "1").code == 0


def test_without_a_match_enter_takes_nothing_and_a_correction_searches_again(
    several: Project,
) -> None:
    with picker(several, "history") as terminal:
        terminal.answer("0002-login", f"zzz{ENTER}")
        terminal.answer("No match", 3 * BACKSPACE)
        terminal.type(f"照合{ENTER}")
        terminal.expect("unlatch history: 0003-照合")
        assert 0 == terminal.end()


def test_data_stays_apart_from_the_menu(several: Project) -> None:
    target = several.home / "shown.json"
    with target.open("wb") as file:
        arguments = ("show", "--offline", "--json")
        extra = {**EXTRA}
        with Terminal(several, *arguments, extra=extra, stdout=file.fileno()) as terminal:
            terminal.answer("0002-login", f"login{ENTER}")
            assert 0 == terminal.end()
    assert target.read_text(encoding="utf-8").startswith('{\n  "schema": "unlatch.show/1"')


@pytest.mark.parametrize(
    ("status", "command", "why", "step"),
    [
        ("completed", "pause", "no increment is active", "unlatch list --all"),
        (
            "completed",
            "start",
            "no increment is planning or backlog or paused or ready_for_review",
            "unlatch resume ID for finished work, or unlatch new TITLE",
        ),
        ("completed", "undo", "no increment was reopened", "unlatch list --all"),
        ("completed", "unlink", "no increment has an item", "unlatch link ID URL"),
        ("active", "resume", "every increment is active", ""),
        (None, "resume", "there is no increment", "unlatch new TITLE"),
        (None, "undo", "there is no increment", "unlatch new TITLE"),
        (None, "show", "there is no increment", "unlatch new TITLE"),
        (None, "link", "there is no increment", "unlatch new TITLE"),
        (None, "history", "there is no increment", "unlatch new TITLE"),
    ],
)
def test_with_nothing_to_choose_the_error_says_why(
    project: Project, status: str | None, command: str, why: str, step: str
) -> None:
    if status is not None:
        project.increment(status=status)
    with picker(project, command) as terminal:
        assert 2 == terminal.end()
    said = f"error[nothing-to-choose]: nothing to {command}: {why} next: {step}"
    assert said.strip() in " ".join(terminal.text.split())


def test_link_asks_for_the_increment_and_the_item(project: Project) -> None:
    project.items("github")
    project.increment()
    with picker(project, "link") as terminal:
        terminal.answer("> 0007-smart-discipline", ENTER)
        terminal.answer("Item, by its address or name:", "octo/widgets#4\n")
        assert 0 == terminal.end()
    with picker(project, "link", project.urls["github"]) as terminal:
        terminal.answer("> 0007-smart-discipline", ENTER)
        assert 0 == terminal.end()
    assert 4 == project.metadata()["github"]["issue"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("7", "nonsense"), "'nonsense' is neither an increment nor"),
        (("nonsense",), "there is no increment 'nonsense'"),
    ],
)
def test_link_asks_for_no_item_where_a_word_is_unknown(
    project: Project, words: tuple[str, ...], why: str
) -> None:
    project.increment()
    with picker(project, "link", *words) as terminal:
        assert 2 == terminal.end()
    assert why in " ".join(terminal.text.split())


def test_unlink_asks_for_the_increment_and_the_item(project: Project) -> None:
    project.increment(links=project.items("github", "jira", "ado"))
    with picker(project, "unlink") as terminal:
        terminal.answer("> 0007-smart-discipline", ENTER)
        terminal.answer("SCRUM-28", f"scrum{ENTER}")
        assert 0 == terminal.end()
    with picker(project, "unlink", "octo/widgets#4") as terminal:
        terminal.answer("> 0007-smart-discipline", ENTER)
        assert 0 == terminal.end()
    with picker(project, "unlink", "7") as terminal:
        assert 0 == terminal.end()
    assert not {"github", "jira", "ado"} & set(project.metadata())


def test_without_a_terminal_the_error_stays(project: Project) -> None:
    project.increment(status="completed")
    commands = [("show",), ("pause",), ("history",), ("resume",), ("unlink",), ("unlink", "7")]
    piped = [project.run(*one) for one in commands]
    assert [2] * 6 == [done.code for done in piped]
    assert "Missing argument 'ID'" in piped[0].err
    assert "Missing argument 'ID...'" in piped[1].err
    assert "name an increment, or --all" in piped[2].err
    assert "pass either IDs or --all-matching EXPR" in piped[3].err
    assert "Missing argument 'ID...'" in piped[4].err
    assert "Missing argument 'ITEM|URL'" in piped[5].err
