"""Scope changes at a terminal: in the editor, or line by line."""

import sys

import pytest
from tests.cli import scoped
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

from unlatch.cli.commands.work.scope_input import read_edited

RESUME = ("resume", "7", "--reason", REASON, "--yes", "--update-scope")


@pytest.fixture
def ready(project: Project) -> Project:
    project.increment()
    scoped.write(project)
    return project


def use_editor(project: Project, program: str) -> None:
    """An editor that changes the text as a line of Python says."""
    path = project.home / "editor.py"
    path.write_text(
        "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\ntext = path.read_text()\n"
        f"{program}\npath.write_text(text)\n"
    )
    project.extra["EDITOR"] = f"{sys.executable} {path}"


def test_without_an_editor_it_is_asked_line_by_line(ready: Project) -> None:
    with Terminal(ready, *RESUME) as terminal:
        terminal.answer("Describe the change", "Rules can be switched off\r")
        terminal.answer("New task (empty: no more)", "Add a switch\r")
        terminal.answer("New task (empty: no more)", "\r", times=2)
        terminal.expect("Tasks: 4 (3 original + 1 new)")
        assert terminal.end() == 0
    entry = ready.metadata()["reopenHistory"][0]
    assert entry["scopeChange"] == "Rules can be switched off"
    assert entry["newTasks"] == [{"id": "T-004", "title": "Add a switch"}]


def test_an_editor_takes_both(ready: Project) -> None:
    use_editor(
        ready, "text = 'It can be\\nswitched off' + text.replace('-\\n', '- Add a switch\\n', 1)"
    )
    with Terminal(ready, *RESUME) as terminal:
        assert terminal.end() == 0
    entry = ready.metadata()["reopenHistory"][0]
    assert entry["scopeChange"] == "It can be\nswitched off"
    assert [task["title"] for task in entry["newTasks"]] == ["Add a switch"]


def test_an_editor_that_is_left_as_it_was_changes_nothing(ready: Project) -> None:
    use_editor(ready, "")
    before = ready.tree()
    with Terminal(ready, *RESUME) as terminal:
        terminal.expect("Nothing was changed.")
        assert terminal.end() == 2
    assert before == ready.tree()


@pytest.mark.parametrize(
    ("text", "change", "titles"),
    [
        (None, None, []),
        ("", None, []),
        ("More\n\nTasks:\n- One\n  Two\n-\n", "More", ["One", "Two"]),
        ("# A heading\nstays\n", "# A heading\nstays", []),
        ("Tasks:\n- not these\n\nTasks:\n- One", "Tasks:\n- not these", ["One"]),
        ("More\n# ------------------------ >8 ------------------------\nrest", "More", []),
    ],
)
def test_what_was_written_is_read(text: str | None, change: str | None, titles: list[str]) -> None:
    said, tasks = read_edited(text)
    assert (change, titles) == (said, [task.title for task in tasks])
