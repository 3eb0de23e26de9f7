"""Who is at work, in which project of git and which increment, and what changed since."""

import getpass
import os
from pathlib import Path

import pytest
from tests.cli.project import Project

from unlatch.project.find_increment import is_item, name_at
from unlatch.project.git.revisions import changed_files, changed_since, current_branch
from unlatch.project.git.run import ask_git
from unlatch.project.identity import user_name

CI = {"GITHUB_ACTOR": "octocat", "BUILD_REQUESTEDFOR": "Fab Rikam", "GITLAB_USER_LOGIN": "lab"}


@pytest.mark.parametrize("name", CI)
def test_in_ci_it_is_whoever_began_the_job(name: str, tmp_path: Path) -> None:
    assert (CI[name], False) == user_name(None, environ={name: CI[name]}, root=tmp_path)


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


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder of another tool, and one of these in it."""
    root = tmp_path / "project"
    (root / "specs/001-photo/checklists").mkdir(parents=True)
    (root / "specs/001-photo/tasks.md").write_text("")
    (root / "specs/001-photo/nested/deep").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("specs/001-photo", "001-photo"),
        ("./specs/../specs/001-photo/tasks.md", "001-photo"),
        ("specs/001-photo/nested/deep", "inner"),
        ("specs/001-photo/spec.md", None),
        ("specs/002-other", None),
        (".", None),
        ("/", None),
        ("specs/001-photo\0", None),
        ("x/" * 5000, None),
    ],
)
def test_a_folder_elsewhere_means_an_increment(root: Path, path: str, name: str | None) -> None:
    places = {
        root / "specs/001-photo": "001-photo",
        root / "specs/001-photo/nested": "inner",
        root / "specs/002-other": "gone",
    }
    assert name == name_at(path, root=root, places=places)


def test_a_link_that_leads_out_of_the_project_means_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "specs/003-link").symlink_to(tmp_path / "elsewhere")
    (root / "specs/loop").symlink_to("loop")
    places = {root / "specs/003-link": "003-link", root / "specs/loop": "loop"}
    for path in ("specs/003-link", "specs/loop"):
        assert name_at(path, root=root, places=places) is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("octo/widgets#4", True),
        ("fabrikam/widgets 101", True),
        ("https://github.com/octo/widgets/issues/4", True),
        ("#4", False),
        ("0007-search", False),
        ("./search#4", False),
    ],
)
def test_an_item_has_a_name_of_its_own(word: str, *, expected: bool) -> None:
    assert is_item(word) == expected


BELOW = "folder"


@pytest.fixture(params=["sha1", "sha256"])
def checkout(project: Project, request: pytest.FixtureRequest) -> Path:
    """A repository with three committed files in a folder."""
    folder = project.root / BELOW
    (folder / "inner").mkdir(parents=True)
    for name in ("one", "two", "inner/three é\n"):
        (folder / name).write_text(f"{name}\nand more\n")
    project.git("init", "--quiet", "--initial-branch", "main", f"--object-format={request.param}")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Begin")
    return project.root


def changed(checkout: Path) -> frozenset[str] | None:
    return changed_files(checkout, "HEAD", checkout / BELOW)


def test_what_was_changed_added_or_removed_differs(checkout: Path) -> None:
    folder = checkout / BELOW
    (folder / "one").write_text("other\n")
    (folder / "two").unlink()
    (folder / "four").write_text("new\n")
    (checkout / "elsewhere").write_text("new\n")

    assert frozenset({"folder/one", "folder/two", "folder/four"}) == changed(checkout)


@pytest.mark.sample
def test_what_a_sparse_checkout_leaves_out_is_compared_as_git_has_it(
    checkout: Path, project: Project
) -> None:
    (checkout / BELOW / "two").write_text("other\n")
    project.git("commit", "--quiet", "--all", "--message", "More")
    project.git("sparse-checkout", "set", "--no-cone", f"/{BELOW}/inner/")

    assert (False, False) == (
        (checkout / BELOW / "one").exists(),
        (checkout / BELOW / "two").exists(),
    )
    assert frozenset({f"{BELOW}/two"}) == changed_files(checkout, "HEAD~1", checkout / BELOW)
    assert frozenset() == changed(checkout)

    (checkout / BELOW / "one").write_text("back\n")
    assert frozenset({f"{BELOW}/one"}) == changed(checkout)
    project.git("rm", "--quiet", "--sparse", f"{BELOW}/two")
    assert frozenset({f"{BELOW}/one", f"{BELOW}/two"}) == changed(checkout)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_regular_file_differs_and_is_not_read(checkout: Path, kind: str) -> None:
    path = checkout / BELOW / "one"
    twin = checkout / "twin"
    path.rename(twin)
    if kind == "link":
        path.symlink_to(twin)
    else:
        os.mkfifo(path)

    assert frozenset({"folder/one"}) == changed(checkout)


def test_what_is_no_commit_is_unknown(checkout: Path) -> None:
    for ref in ("nowhere", "--output=pwned", "-h", "--", ""):
        assert None is changed_since(checkout, ref, below=checkout / BELOW), ref
        assert None is changed_files(checkout, ref, checkout / BELOW), ref
    assert not (checkout / "pwned").exists()


def test_git_is_not_started_to_ask_for_the_branch_where_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git, started = tmp_path / "bin" / "git", tmp_path / "started"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\necho refs/heads/side\n: > {started}\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent))
    (tmp_path / "plain").mkdir()
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "checkout" / "below").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "checkout" / "below")

    assert current_branch(tmp_path / "plain", {}) is None
    assert not started.exists()
    assert "side" == current_branch(link, {})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "checkout" / ".git"))
    assert "side" == current_branch(tmp_path / "plain", {})
