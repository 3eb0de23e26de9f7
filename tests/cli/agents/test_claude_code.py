"""Claude Code with what `agents install` writes: the briefing reaches the model, and it is kept."""

import subprocess

import pytest
from tests.cli.project import REASON, Project
from tests.coding_agents.model import serving, text
from tests.coding_agents.programs import environment, installed

# The program takes ten seconds of CPU.
pytestmark = [pytest.mark.servers, pytest.mark.sweep]


def test_session_of_claude_code_begins_with_the_briefing_and_is_imported(project: Project) -> None:
    claude = installed()
    project.increment()
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0
    assert project.run("agents", "install", "claude", "--yes").code == 0
    assert project.run("agents", "trust").code == 0
    with serving(text("Done."), text("Done.")) as model:
        environ = {**project.environ, **environment(project.home, model)}
        subprocess.run(
            [*claude, "-p", "Go on with it"],
            cwd=project.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=True,
        )
    assert "> # Briefing: 0007 (active)" in model.asked[0]
    assert REASON in model.asked[0]
    (made,) = (project.home / "state").rglob("imports/*.md")
    assert "Go on with it" in made.read_text()
