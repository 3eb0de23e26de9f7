"""Who is at work, and which project of git this is."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import pytest

from unlatch.project.git.run import ask_git
from unlatch.project.identity import user_name

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Project

CI = {"GITHUB_ACTOR": "octocat", "BUILD_REQUESTEDFOR": "Fab Rikam", "GITLAB_USER_LOGIN": "lab"}


@pytest.mark.parametrize("name", CI)
def test_in_ci_it_is_whoever_began_the_job(name: str, tmp_path: Path) -> None:
    assert (CI[name], False) == user_name(None, environ={name: CI[name]}, root=tmp_path)


def test_what_is_given_goes_first_and_is_one_line(tmp_path: Path) -> None:
    assert user_name("  Dana\n Demo ", environ=CI, root=tmp_path) == ("Dana Demo", False)


@pytest.fixture
def with_git(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose user git knows as Gil Git."""
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    return project


def test_git_knows_the_person(with_git: Project) -> None:
    root, committer = with_git.root, {"GIT_COMMITTER_NAME": "Con Tainer", "GIT_AUTHOR_NAME": "R"}

    assert user_name(None, environ={}, root=root) == ("Gil Git", False)
    assert user_name(None, environ=committer, root=root) == ("Con Tainer", False)
    assert user_name(None, environ=committer | CI, root=root) == ("octocat", False)

    (root / ".git").write_text("gitdir: /gone\n")
    assert user_name(None, environ={}, root=root) == ("Gil Git", False)

    (root / ".git").unlink()
    with_git.git("init", "--quiet")
    with_git.git("config", "user.name", "Someone Else")
    assert user_name(None, environ={}, root=root) == ("Someone Else", False)


def test_without_git_it_is_the_systems_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert ask_git(tmp_path, "config", "--get", "user.name") is None
    assert (getpass.getuser(), True) == user_name(None, environ={}, root=tmp_path)


def test_a_git_that_fails_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A program inside the project is never run.
    programs, root = tmp_path / "bin", tmp_path / "project"
    for folder in (programs, root):
        folder.mkdir()
    git = programs / "git"
    git.write_text("#!/bin/sh\nexit 128\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")

    assert ask_git(root, "config", "--get", "user.name") is None
