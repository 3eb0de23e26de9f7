"""Errors in what follows the change of resume and complete: other work, and the briefing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.cli.terminal import CTRL_C, Terminal
from tests.cli.work.test_other_work import resume, session, with_effort

if TYPE_CHECKING:
    from tests.cli.project import Project


@pytest.fixture
def name(project: Project) -> str:
    """A completed increment with an effort and a session that have ended."""
    name = project.increment()
    with_effort(project, name)
    session(project, "complete", session(project, "start", "Build auth", "--increment", "7"))
    return name


def test_a_briefing_that_cannot_be_written_is_said_after_the_change(
    project: Project, name: str
) -> None:
    (project.folder(name) / "briefing.md").symlink_to(project.home)
    assert resume(project, "--only", "increment").code == 0

    done = project.run("complete", "7", "--force", "--briefing", "--json")

    assert done.code == done.document["exitCode"] == 5
    assert [one["id"] for one in done.document["warnings"]] == ["evidence-missing", "unsafe-path"]
    assert "error[unsafe-path]: briefing.md is a symbolic link" in done.err
    assert project.metadata(name)["status"] == "completed"


def test_of_several_an_unwritten_briefing_is_in_the_one_document(
    project: Project, name: str
) -> None:
    (project.folder(name) / "briefing.md").symlink_to(project.home)
    project.increment("0008-other", status="active")
    assert resume(project, "--only", "increment").code == 0

    done = project.run("complete", "7", "8", "--force", "--briefing", "--json")

    assert done.code == done.document["exitCode"] == 5
    found = {one["id"]: [w["id"] for w in one["warnings"]] for one in done.document["increments"]}
    assert found == {name: ["evidence-missing", "unsafe-path"], "0008-other": []}


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


@pytest.mark.usefixtures("name")
def test_unreadable_work_is_named(project: Project) -> None:
    (project.root / ".unlatch/efforts/auth-bug/events.jsonl").write_text("garbage\n")

    done = resume(project, "--json")

    (warning,) = done.document["warnings"]
    assert "auth-bug" in warning["message"]
    assert "auth-bug" in done.err
    assert [one["ref"].partition(":")[0] for one in done.document["related"]] == ["session"]
