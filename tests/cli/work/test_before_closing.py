"""At a terminal, complete and abandon name the items that they will close, and ask once."""

from pathlib import Path

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, Project
from tests.cli.terminal import Terminal

OTHER = "0008-other-work"
COLUMNS = [60, 100, 200]


@pytest.fixture
def active(project: Project) -> Project:
    project.increment(status="active", links=project.items(finished=False))
    return project


def user_config(project: Project, text: str) -> Path:
    path = project.home / ".config" / "unlatch" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("columns", COLUMNS)
def test_the_items_are_named_before_they_are_closed(active: Project, columns: int) -> None:
    with Terminal(active, "complete", "7", columns=columns) as terminal:
        terminal.expect("Continue? [y/N]")
        assert terminal.text == (
            f"! Completing {NAME} will close 3 items:\n"
            "    GitHub octo/widgets#4\n"
            "    Azure DevOps fabrikam/widgets 101\n"
            "    Jira SCRUM-28\n"
            "Continue? [y/N]: "
        )
        assert active.sent() == []
        terminal.type("y\n")
        assert terminal.end() == 0

    assert (CLOSED, "completed") == (active.states(), active.metadata()["status"])


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_no_changes_nothing(active: Project, columns: int) -> None:
    before = active.tree()
    with Terminal(active, "abandon", "7", columns=columns) as terminal:
        terminal.expect("Abandoning 0007-smart-discipline will close 3 items as not planned:")
        terminal.answer("Continue? [y/N]", "\n")
        assert terminal.end() == 2
        assert "Nothing was changed.\n" in terminal.text
    assert (before, OPEN) == (active.tree(), active.states())


def test_several_are_asked_about_once(active: Project) -> None:
    issue = {"github": {"issue": 4, "url": active.urls["github"]}}
    active.increment(OTHER, status="active", links=issue)
    with Terminal(active, "complete", "7-8") as terminal:
        terminal.expect("Continue? [y/N]")
        assert "! Completing 2 increments will close 3 items:\n" in terminal.text
        assert f"    {NAME}: Azure DevOps fabrikam/widgets 101, Jira SCRUM-28\n" in terminal.text
        assert f"    {active.urls['github']} stays open: {OTHER} needs it\n" in terminal.text
        assert f"    {OTHER}: GitHub octo/widgets#4\n" in terminal.text
        terminal.type("y\n")
        assert terminal.end() == 0
    assert active.states() == CLOSED


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("option", ["--yes", "--json", "--dry-run", "in the configuration"])
def test_options_and_the_users_configuration_silence_it(active: Project, option: str) -> None:
    if not option.startswith("--"):
        user_config(active, "confirm_closing = false\n")
    options = (option,) if option.startswith("--") else ()
    with Terminal(active, "complete", "7", *options) as terminal:
        assert terminal.end() == 0
        assert "Continue?" not in terminal.text
    assert active.states() == (OPEN if option == "--dry-run" else CLOSED)


def test_a_repository_cannot_silence_it(active: Project) -> None:
    active.configure_more("confirm_closing = false")
    active.run("complete", "7").shows(
        err="confirm_closing: wrong file: it belongs in your own configuration"
    )


def test_closing_an_item_of_an_increment_asks_once(active: Project) -> None:
    with Terminal(active, "close", active.urls["github"]) as terminal:
        terminal.answer("Complete the increment instead, and close its 3 items?", "y\n")
        assert terminal.end() == 0
        assert "Continue?" not in terminal.text
    assert active.states() == CLOSED
