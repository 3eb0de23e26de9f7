"""A project of another account, or above the git repository, is used only by name."""

import json
import os
from pathlib import Path

import pytest
from tests.ci.checkouts import AS_ROOT, OTHER, give_away
from tests.cli.project import Done, Project


def own(project: Project, text: str) -> None:
    """Write the user's own configuration."""
    path = project.home / ".config/unlatch/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def theirs(project: Project) -> Project:
    """A project whose files belong to another account."""
    project.increment()
    if os.geteuid() == 0:
        give_away(project.root)
    else:
        project.monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    return project


@pytest.fixture
def below(project: Project) -> Project:
    """A git repository in a folder of a project."""
    project.increment()
    inner = project.root / "inner"
    project.git("init", "--quiet", str(inner))
    return project


def line_of(done: Done) -> str:
    """The line that the error asks to add to the user's configuration."""
    return done.err.partition("config.toml: ")[2].splitlines()[0]


def inside(project: Project, *arguments: str, folder: str = "inner") -> Done:
    root, project.root = project.root, project.root / folder
    try:
        return project.run(*arguments)
    finally:
        project.root = root


@pytest.mark.parametrize("command", [("list",), ("sync", "--yes"), ("doctor",), ("init",)])
def test_a_project_of_another_account_is_not_used(theirs: Project, command: tuple[str]) -> None:
    before = theirs.tree()
    done = theirs.run(*command)

    assert (2, True) == (done.code, "error[project-not-yours]" in done.err), done.err
    assert f"{theirs.root} belongs to " in done.err
    assert "uid 54321" in done.err
    assert f"(uid {os.geteuid()})" in done.err or f"uid {os.geteuid()}" in done.err
    assert before == theirs.tree()
    assert f"allowed_projects = [{json.dumps(str(theirs.root))}]" == line_of(done)
    own(theirs, line_of(done))
    assert 0 == theirs.run("list").code


def test_a_folder_of_a_project_of_another_account_is_refused_alike(theirs: Project) -> None:
    (theirs.root / "deep/er").mkdir(parents=True)

    for arguments, folder in ((("list",), "deep/er"), (("--root", "..", "list"), "deep")):
        done = inside(theirs, *arguments, folder=folder)
        assert (2, True) == (done.code, "error[project-not-yours]" in done.err), done.err


def test_the_environment_allows_a_project_and_those_below(theirs: Project) -> None:
    theirs.extra["UNLATCH_ALLOWED_PROJECTS"] = f"relative:{theirs.root.parent}"
    assert 0 == theirs.run("list").code
    theirs.extra["UNLATCH_ALLOWED_PROJECTS"] = f"{theirs.root}-other:."
    assert 2 == theirs.run("list").code


def test_only_the_folder_with_the_records_may_be_of_another_account(project: Project) -> None:
    project.increment()
    if os.geteuid() == 0:
        os.chown(project.root / ".unlatch", OTHER, -1)
        assert 2 == project.run("list").code
        os.chown(project.root / ".unlatch", 0, -1)
    assert 0 == project.run("list").code


@AS_ROOT
@pytest.mark.parametrize(("caller", "code"), [(str(OTHER), 0), ("54322", 2), ("x", 2), ("", 2)])
def test_with_sudo_the_callers_project_is_used(theirs: Project, caller: str, code: int) -> None:
    theirs.extra["SUDO_UID"] = caller

    assert code == theirs.run("list").code


def test_a_hook_says_nothing_in_a_project_of_another_account(theirs: Project) -> None:
    event = {"hook_event_name": "SessionStart", "cwd": str(theirs.root)}

    done = theirs.run("agents", "hook", stdin=json.dumps(event))

    assert (0, "") == (done.code, done.out)


@pytest.mark.parametrize("command", [("list",), ("sync", "--yes"), ("complete", "7")])
def test_a_project_above_the_git_repository_is_not_used(
    below: Project, command: tuple[str, ...]
) -> None:
    done = inside(below, *command)

    assert (2, True) == (done.code, "error[no-project]" in done.err), done.err
    assert f"the one in {below.root} is above the top of this git repository" in done.err
    own(below, line_of(done))
    assert 0 == inside(below, "list").code


def test_a_project_in_the_git_repository_is_found_from_below(below: Project) -> None:
    (below.root / "inner/deep").mkdir()
    (below.root / "inner/.unlatch").mkdir()

    assert 0 == inside(below, "list", folder="inner/deep").code


def test_worktrees_and_submodules_are_inside_of_their_repository(project: Project) -> None:
    project.extra["PATH"] = os.environ["PATH"]  # `git submodule` is a shell script
    project.increment()
    project.git("init", "--quiet", "--initial-branch", "main")
    project.git("commit", "--quiet", "--allow-empty", "--message", "Begin")
    project.git("worktree", "add", "--quiet", "trees/one")
    allowed = ("-c", "protocol.file.allow=always")
    project.git(*allowed, "submodule", "--quiet", "add", str(project.root), "module")
    outside = project.root.with_name("outside")
    project.git("worktree", "add", "--quiet", str(outside))
    project.git("worktree", "add", "--quiet", str(outside / "inner"))

    for folder in ("trees/one", "module"):
        assert 0 == inside(project, "list", folder=folder).code, folder
    for folder in ("../outside", "../outside/inner"):
        assert "error[no-project]" in inside(project, "list", folder=folder).err
    (outside / ".unlatch").mkdir()
    assert 0 == inside(project, "list", folder="../outside/inner").code


def test_a_git_file_that_leads_elsewhere_is_the_top(below: Project, tmp_path: Path) -> None:
    below.git("init", "--quiet", str(tmp_path / "elsewhere"))
    (below.root / "theirs").mkdir()
    (below.root / "theirs/.git").write_text(f"gitdir: {tmp_path}/elsewhere/.git\n")

    done = inside(below, "list", folder="theirs")

    assert "error[no-project]" in done.err
