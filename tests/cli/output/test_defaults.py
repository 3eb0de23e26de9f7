"""Prompts show the answer that Enter stands for."""

import pytest
from tests.cli.project import Project
from tests.cli.terminal import Terminal

PROPOSE = """\
#!/bin/sh
echo '{"tasks": [{"title": "Add a switch"}]}'
"""


@pytest.mark.parametrize(
    ("answer", "status", "state"),
    [
        ("", "active", "closed"),
        ("r", "active", "open"),
        pytest.param("c", "completed", "closed", marks=pytest.mark.sweep),
    ],
)
def test_the_answers_of_a_sync_are_first_letters_and_by_default_both_sides_are_left(
    completed: Project, answer: str, status: str, state: str
) -> None:
    assert completed.run("resume", "7", "-m", "First", "--yes").code == 0
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")
    with Terminal(completed, "sync") as terminal:
        terminal.answer(
            "r = reopen the item, c = complete the increment, l = leave both [l]: ", f"{answer}\n"
        )
        assert terminal.end() == 0, terminal.text
    assert (status, state) == (completed.metadata()["status"], completed.states()["github"])


def test_proposed_tasks_are_taken_by_default_and_a_reopen_is_not(single: Project) -> None:
    program = single.home / "propose"
    program.write_text(PROPOSE)
    program.chmod(0o755)
    single.run("config", "set", "--user", "tasks_command", str(program))
    (single.folder() / "tasks.md").write_text("# Tasks\n\n### T-001: Look\n")
    with Terminal(single, "resume", "7", "-m", "More", "--scope", "Switches") as terminal:
        terminal.answer("Continue? [y/N]: ", "y\n")
        terminal.answer("Write these tasks? [Y/n]: ", "\n")
        assert terminal.end() == 0, terminal.text
    assert "Add a switch" in (single.folder() / "tasks.md").read_text()
