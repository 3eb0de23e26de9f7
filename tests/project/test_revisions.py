"""Differences from a commit, found without git's index, filters or work tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from unlatch.project.git.revisions import changed_files, changed_since, current_branch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Project

BELOW = "folder"


@pytest.fixture(params=["sha1", "sha256"])
def root(project: Project, request: pytest.FixtureRequest) -> Path:
    """A repository with three committed files in a folder."""
    folder = project.root / BELOW
    (folder / "inner").mkdir(parents=True)
    for name in ("one", "two", "inner/three é\n"):
        (folder / name).write_text(f"{name}\nand more\n")
    project.git("init", "--quiet", "--initial-branch", "main", f"--object-format={request.param}")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Begin")
    return project.root


def changed(root: Path) -> frozenset[str] | None:
    return changed_files(root, "HEAD", root / BELOW)


def test_times_and_line_ends_that_git_checked_out_do_not_differ(root: Path) -> None:
    for path in (root / BELOW).iterdir():
        os.utime(path)
    assert frozenset() == changed(root)
    (root / BELOW / "one").write_bytes(b"one\r\nand more\r\n")
    assert frozenset() == changed(root)


def test_what_was_changed_added_or_removed_differs(root: Path) -> None:
    folder = root / BELOW
    (folder / "one").write_text("other\n")
    (folder / "two").unlink()
    (folder / "four").write_text("new\n")
    (root / "elsewhere").write_text("new\n")

    assert frozenset({"folder/one", "folder/two", "folder/four"}) == changed(root)


def test_what_a_sparse_checkout_leaves_out_is_compared_as_git_has_it(
    root: Path, project: Project
) -> None:
    (root / BELOW / "two").write_text("other\n")
    project.git("commit", "--quiet", "--all", "--message", "More")
    project.git("sparse-checkout", "set", "--no-cone", f"/{BELOW}/inner/")

    assert (False, False) == ((root / BELOW / "one").exists(), (root / BELOW / "two").exists())
    assert frozenset({f"{BELOW}/two"}) == changed_files(root, "HEAD~1", root / BELOW)
    assert frozenset() == changed(root)

    (root / BELOW / "one").write_text("back\n")
    assert frozenset({f"{BELOW}/one"}) == changed(root)
    project.git("rm", "--quiet", "--sparse", f"{BELOW}/two")
    assert frozenset({f"{BELOW}/one", f"{BELOW}/two"}) == changed(root)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_regular_file_differs_and_is_not_read(root: Path, kind: str) -> None:
    path = root / BELOW / "one"
    twin = root / "twin"
    path.rename(twin)
    if kind == "link":
        path.symlink_to(twin)
    else:
        os.mkfifo(path)

    assert frozenset({"folder/one"}) == changed(root)


def test_what_is_no_commit_is_unknown(root: Path) -> None:
    for ref in ("nowhere", "--output=pwned", "-h", "--", ""):
        assert None is changed_since(root, ref, below=root / BELOW), ref
        assert None is changed_files(root, ref, root / BELOW), ref
    assert not (root / "pwned").exists()


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
