"""Tables: whole lines for programs, lines that fit for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    from tests.cli.project import Project

LONG = "A title that goes on and on, far beyond where a narrow terminal ends"
# Each of these signs takes two cells of a terminal.
WIDE = "再開された作業の題名がここに長く続いている"


@pytest.fixture
def titled(project: Project) -> Project:
    """A project with two titles that are long in their own ways."""
    for name, title in (("0001-long", LONG), ("0002-wide", WIDE)):
        project.increment(name, status="active")
        (project.folder(name) / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    return project


def test_without_a_terminal_nothing_is_cut(titled: Project) -> None:
    done = titled.run("list")

    assert (
        "Increment  Status  Items  Title\n"
        f"0001-long  active         {LONG}\n"
        f"0002-wide  active         {WIDE}\n"
    ) == done.out


def test_at_a_terminal_the_title_ends_where_the_terminal_does(titled: Project) -> None:
    with Terminal(titled, "list", columns=40, extra={"PYTHONUTF8": "1"}) as terminal:
        assert terminal.end() == 0

    assert terminal.text == (
        "Increment  Status  Items  Title\n"
        "0001-long  active         A title that…\n"
        "0002-wide  active         再開された作…\n"
    )


def test_a_terminal_that_is_far_too_narrow_still_shows_the_other_columns(titled: Project) -> None:
    extra = {"PYTHONIOENCODING": "ascii"}

    with Terminal(titled, "list", columns=20, extra=extra) as terminal:
        assert terminal.end() == 0

    assert terminal.text == (
        "Increment  Status  Items  Title\n"
        "0001-long  active         A...\n"
        "0002-wide  active         ?...\n"
    )
