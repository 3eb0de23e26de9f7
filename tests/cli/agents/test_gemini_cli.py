"""Gemini CLI with what `agents install` writes: it is briefed, and forgets no prompt."""

import subprocess

import pytest
from tests.cli.project import REASON, Project
from tests.coding_agents.model import serving, text
from tests.coding_agents.programs import environment, installed

pytestmark = pytest.mark.servers


# Without what is installed, nothing here is unlatch's: `make torture` proves that of the program.
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("count", "is_installed"),
    [
        (2, True),
        pytest.param(3, True, marks=pytest.mark.sweep),
        pytest.param(3, False, marks=pytest.mark.sweep),
    ],
)
def test_resumed_chat_of_gemini_cli_has_all_prompts(
    project: Project, count: int, *, is_installed: bool
) -> None:
    gemini = installed("gemini_cli")
    project.increment()
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0
    assert project.run("agents", "trust").code == 0
    prompts = ("Fix add", "Explain it", "Go on with it")[:count]
    with serving(*[text("Done.")] * count) as model:
        environ = {**project.environ, **environment(project.home, model)}
        if is_installed:
            assert project.run("agents", "install", "gemini", "--yes").code == 0
        for number, prompt in enumerate(prompts):
            resumed = ("-r", "latest") if number else ()
            subprocess.run(
                [*gemini, "-m", "gemini-2.5-flash", *resumed, "-p", prompt],
                cwd=project.root,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=True,
            )
    assert [[prompt in asked for prompt in prompts] for asked in model.asked] == [
        [later <= number for later in range(count)] for number in range(count)
    ]
    assert [asked.count(REASON) for asked in model.asked] == [1 if is_installed else 0] * count
    made = [*(project.home / "state").rglob("imports/*.md")]
    assert [it.stem[11:] for it in made] == (["fix-add"] if is_installed else [])
    assert all(f'"{it}"' in path.read_text() for it in prompts for path in made)
