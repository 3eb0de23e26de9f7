"""unlatch demo at a terminal, where commands inside it may ask and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    from tests.cli.project import Project


def test_the_demo_asks_nothing_at_a_terminal(project: Project) -> None:
    with Terminal(project, "demo") as terminal:
        for shown in ("$ unlatch complete 1", "$ unlatch resume 1", "# The changes in git:"):
            terminal.expect(shown)
        terminal.expect("To explore them: unlatch demo --keep")
        assert "Continue?" not in terminal.text
        assert terminal.end() == 0

    # The two files are below each other, as git aligns them.
    changes = terminal.text.partition("# The changes in git:")[2].splitlines()
    first, second = (one.index("|") for one in changes if "increments/0001" in one)
    assert first == second
