"""Long output at a terminal is shown in the user's pager, by git's rules."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.overview.test_history import reopen
from tests.cli.project import Project
from tests.cli.terminal import Terminal

# More than the 40 lines of the terminal.
MANY = 45
FAKE = """#!/bin/sh
echo "$0 $* LESS=$LESS LV=$LV"
while read -r line; do echo "| $line"; done
"""


@pytest.fixture
def long(project: Project, tmp_path: Path) -> Project:
    project.bin = tmp_path / "bin"
    project.bin.mkdir()
    for number in range(1, MANY + 1):
        project.increment(f"{number:04}-one", status="active")
    history = [reopen(n % 9, f"2025-11-{n % 28 + 1:02}T00:00:{n:02}Z") for n in range(MANY)]
    project.increment("0100-often", status="active", reopenHistory=history)
    project.increment("0101-old", archived=True)
    return project


def install(folder: Path, name: str = "my-pager", script: str = FAKE) -> str:
    path = folder / name
    path.write_text(script)
    path.chmod(0o755)
    return str(path)


def shown(project: Project, *arguments: str, columns: int = 120, **extra: Any) -> str:
    with Terminal(project, *arguments, columns=columns, extra=extra) as terminal:
        assert 0 == terminal.end(), terminal.text
        return terminal.text


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_the_pager_gets_all_lines_as_they_would_be_on_the_terminal(
    long: Project, columns: int
) -> None:
    pager = install(long.bin)
    paged = shown(long, "list", columns=columns, PAGER="my-pager -x 'two words'")
    plain = shown(long, "--no-pager", "list", columns=columns)
    first, *lines = paged.splitlines()
    assert f"{pager} -x two words LESS=FRX LV=-c" == first
    assert plain.splitlines() == [line.removeprefix("| ") for line in lines]
    assert "1 archived increment not shown; --all shows it." == plain.splitlines()[-1]


@pytest.mark.parametrize(
    "line",
    ["list", "history --all", "--root . resume --help"],
)
def test_what_is_longer_than_the_screen_is_paged(long: Project, line: str) -> None:
    install(long.bin)
    text = shown(long, *line.split(), PAGER="my-pager")
    assert len(text.splitlines()) > 40
    assert text.startswith(str(long.bin))


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"UNLATCH_PAGER": "one", "PAGER": "two"}, "one"),
        ({"UNLATCH_PAGER": "", "PAGER": "two"}, None),
        ({"PAGER": "two"}, "two"),
        ({}, "less"),
        ({"LESS": "S", "LV": "-z"}, "less"),  # the user's own settings stay
    ],
)
def test_the_pager_is_chosen_as_git_chooses_it(
    long: Project, extra: dict[str, Any], expected: str | None
) -> None:
    for name in ("one", "two", "less"):
        install(long.bin, name)
    first = shown(long, "list", **extra).splitlines()[0]
    settings = f"LESS={extra.get('LESS', 'FRX')} LV={extra.get('LV', '-c')}"
    assert (f"{long.bin / expected}  {settings}" if expected else "Increment") in first


def test_nothing_of_a_title_reaches_a_shell(long: Project) -> None:
    install(long.bin)
    (long.folder("0001-one") / "spec.md").write_text("# $(touch made) `touch made` \x1b[2J;!x\n")
    text = shown(long, "list", PAGER="my-pager; touch made")
    assert "; touch made" not in text.splitlines()[0]
    assert "my-pager;" in text
    assert not [*long.root.rglob("made"), *long.home.rglob("made")]


@pytest.mark.parametrize("pager", ["missing", "./own", "'open"])
def test_a_pager_that_cannot_be_started_is_noted(long: Project, pager: str) -> None:
    (long.root / "sub").mkdir()
    for folder in (long.root, long.root / "sub"):
        install(folder, "own")
    text = shown(long, "list", PAGER=pager)
    assert text.startswith("note: ")
    assert "PAGER" in text.splitlines()[0]
    assert "0045-one" in text


def test_a_program_of_the_project_is_no_pager(long: Project) -> None:
    install(long.root, "less")
    long.extra["PATH"] = f"{long.root}:.:{long.bin}"
    assert shown(long, "list").startswith("Increment")


def test_documents_and_pipes_are_never_paged(long: Project) -> None:
    install(long.bin)
    long.extra["PAGER"] = "my-pager"
    assert shown(long, "list", "--json").startswith("[\n")
    assert shown(long, "history", "100", "--json").startswith("{\n")
    assert long.process("list").out.startswith("Increment")


LESS = shutil.which("less")
