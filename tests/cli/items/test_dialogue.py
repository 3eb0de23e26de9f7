"""unlatch reopen with items at a terminal: the reason, and the increment of an item."""

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import CLOSED, OPEN, REASON, Project
from tests.cli.terminal import Terminal

WHY, INSTEAD = "Reason for reopening: ", "Resume the increment instead? [y/N]: "
COMPLETE = "Complete the increment instead, and close its 3 items? [y/N]: "


def test_a_missing_reason_is_asked_for(outside: Project) -> None:
    outside.items("jira")
    with Terminal(outside, "reopen", outside.urls["jira"]) as terminal:
        terminal.answer(WHY, f"{REASON}\n")
        assert terminal.end() == 0, terminal.text
    assert OPEN["jira"] == outside.states()["jira"]


def test_an_undo_asks_about_the_item_alone(outside: Project) -> None:
    outside.items("jira")
    url = outside.urls["jira"]
    outside.run("reopen", url, "--reason", REASON, "--by", "Dana").ends(0)
    with Terminal(outside, "undo", url) as terminal:
        terminal.answer("Undoing will close the item again.", "y\n")
        assert terminal.end() == 0, terminal.text
    assert f"! SCRUM-28 was reopened by Dana: {REASON}\n" in terminal.text
    assert "linked" not in terminal.text
    assert CLOSED["jira"] == outside.states()["jira"]


def test_the_increment_of_an_item_is_offered(completed: Project) -> None:
    with Terminal(completed, "reopen", KEYS["jira"], "--reason", REASON) as terminal:
        terminal.answer(INSTEAD, "y\n")
        terminal.answer("Continue? [y/N]: ", "y\n")
        assert terminal.end() == 0, terminal.text
    assert OPEN == completed.states()
    assert "active" == completed.metadata()["status"]


def test_without_the_increment_nothing_changes(completed: Project) -> None:
    with Terminal(completed, "reopen", KEYS["jira"], "--reason", REASON) as terminal:
        for asked, typed in enumerate(("maybe", "j", "yes please", " No"), 1):
            terminal.answer(INSTEAD, f"{typed}\n", times=asked)
        code = terminal.end()
    assert (2, True) == (code, "add --item-only" in terminal.text)
    assert (CLOSED, []) == (completed.states(), completed.wrote())
    assert 3 == terminal.text.count("\nAnswer y (yes) or n (no); Enter alone is no.\n")
    assert "Error" not in terminal.text


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2)])
def test_completing_the_increment_of_an_item_is_offered(
    project: Project, answer: str, code: int
) -> None:
    project.increment(status="active", links=project.items(finished=False))
    with Terminal(project, "close", KEYS["jira"], "--reason", "Fixed") as terminal:
        terminal.answer(COMPLETE, f"{answer}\n")
        assert terminal.end() == code, terminal.text
    assert (OPEN if code else CLOSED) == project.states()
    assert ("active" if code else "completed") == project.metadata()["status"]
    assert bool(code) is ("To close the item alone, add --item-only." in terminal.text)
