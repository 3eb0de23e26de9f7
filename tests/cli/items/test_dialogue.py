"""unlatch reopen with items at a terminal: the reason, and the increment of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.items.test_reopen import KEYS, outside
from tests.cli.project import CLOSED, OPEN, REASON
from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    from tests.cli.project import Project

__all__ = ["outside"]
WHY, INSTEAD = "Reason for reopening: ", "Resume the increment instead? [y/N]: "


def test_a_missing_reason_is_asked_for(outside: Project) -> None:
    outside.items("jira")

    with Terminal(outside, "reopen", outside.urls["jira"]) as terminal:
        terminal.expect(WHY)
        terminal.type(f"{REASON}\n")
        code = terminal.end()

    assert 0 == code, terminal.text
    assert OPEN["jira"] == outside.states()["jira"]


def test_the_increment_of_an_item_is_offered(completed: Project) -> None:
    with Terminal(completed, "reopen", KEYS["jira"], "--reason", REASON) as terminal:
        terminal.expect(INSTEAD)
        terminal.type("y\n")
        terminal.expect("Continue? [y/N]: ")
        terminal.type("y\n")
        code = terminal.end()

    assert 0 == code, terminal.text
    assert OPEN == completed.states()
    assert "active" == completed.metadata()["status"]


def test_without_the_increment_nothing_changes(completed: Project) -> None:
    with Terminal(completed, "reopen", KEYS["jira"], "--reason", REASON) as terminal:
        terminal.expect(INSTEAD)
        terminal.type("n\n")
        code = terminal.end()

    assert (2, True) == (code, "add --item-only" in terminal.text)
    assert (CLOSED, []) == (completed.states(), completed.wrote())
