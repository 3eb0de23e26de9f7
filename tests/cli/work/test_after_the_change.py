"""Errors in what follows the change of resume and complete: other work, and the briefing."""

import shutil

import pytest
from tests.cli.project import Project
from tests.cli.terminal import CTRL_C, Terminal
from tests.cli.work.ended import resume


@pytest.fixture
def unwritable(project: Project, name: str) -> str:
    """The same, under way, and its briefing cannot be written."""
    (project.folder(name) / "briefing.md").symlink_to(project.home)
    assert resume(project, "--only", "increment").code == 0
    return name


def test_of_several_an_unwritten_briefing_is_in_the_one_document(
    project: Project, unwritable: str
) -> None:
    project.increment("0008-other", status="active")
    done = project.run("complete", "7", "8", "--force", "--briefing", "--json")
    assert done.code == done.document["exitCode"] == 5
    found = {one["id"]: [w["id"] for w in one["warnings"]] for one in done.document["increments"]}
    assert found == {unwritable: ["evidence-missing", "unsafe-path"], "0008-other": []}


def test_an_interrupted_question_for_the_briefing_keeps_the_change(
    project: Project, name: str
) -> None:
    assert resume(project, "--only", "increment").code == 0
    with Terminal(project, "complete", "7", "--force") as terminal:
        terminal.expect("for others who resume it? [y/N]: ")
        assert terminal.leave(CTRL_C) == 130
    assert "Recorded changes are kept" in terminal.text
    assert "Nothing was changed" not in terminal.text
    assert project.metadata(name)["status"] == "completed"


def test_work_that_cannot_be_searched_does_not_hide_the_resume(project: Project, name: str) -> None:
    shutil.rmtree(project.root / ".unlatch/efforts")
    (project.root / ".unlatch/efforts").symlink_to(project.home)
    done = resume(project, "--json")
    assert done.code == done.document["exitCode"] == 0
    assert done.document["warnings"][-1]["id"] == "unsafe-path"
    assert "[unsafe-path]" in done.err
    assert project.metadata(name)["status"] == "active"
