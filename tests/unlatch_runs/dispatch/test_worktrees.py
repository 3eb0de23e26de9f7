"""Each task has a git worktree of its own, and no unmerged work is removed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from unlatch.errors import StoreError, UsageError
from unlatch_runs.dispatch.worktrees import Worktrees


def git(folder: Path, *arguments: str) -> str:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org")
    done = subprocess.run(
        ["git", *own, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit, to copy."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "code.py").write_text("one = 1\n")
    (root / "part").mkdir()
    (root / "part" / "more.py").write_text("two = 2\n")
    (root / ".gitignore").write_text(".unlatch/runs\n*.tmp\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Begin")
    return root


@pytest.fixture
def root(tmp_path: Path, repository: Path) -> Path:
    return shutil.copytree(repository, tmp_path / "project")


@pytest.fixture
def trees(root: Path) -> Worktrees:
    folder = root / ".unlatch" / "runs" / "first"
    folder.mkdir(parents=True)
    return Worktrees(root, folder)


def commit(folder: Path, name: str = "code.py") -> None:
    (folder / name).write_text("one = 11\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Work")


def test_a_task_has_a_worktree_on_its_branch_and_keeps_its_changes(
    root: Path, trees: Worktrees
) -> None:
    first, second = trees.make("1-1"), trees.make("1-2")
    assert first == trees.folder / "worktrees" / "1-1"
    commit(first)
    assert (second / "code.py").read_text() == (root / "code.py").read_text() == "one = 1\n"
    assert git(first, "symbolic-ref", "HEAD") == "refs/heads/unlatch/first/1-1"
    assert git(root, "status", "--porcelain") == ""
    assert first.parent.stat().st_mode & 0o777 == 0o700

    place = trees.make("1-1")
    (place / "code.py").write_text("half\n")
    assert trees.make("1-1") == place
    assert (place / "code.py").read_text() == "half\n"


def test_a_worktree_whose_creation_was_cut_off_is_made_anew(root: Path, trees: Worktrees) -> None:
    place = trees.make("1-1")
    (place / "code.py").unlink()
    (root / ".git" / "worktrees" / "1-1" / "locked").write_text("initializing")
    assert trees.make("1-1") == place
    assert (place / "code.py").exists()


def test_merged_and_unchanged_worktrees_are_removed(root: Path, trees: Worktrees) -> None:
    merged, unchanged = trees.make("1-1"), trees.make("1-2")
    commit(merged)
    (unchanged / "cache.tmp").write_text("ignored")
    git(root, "merge", "--quiet", "unlatch/first/1-1")
    assert trees.remove_merged() == []
    assert [*(trees.folder / "worktrees").iterdir()] == []
    assert git(root, "branch", "--list", "unlatch/*") == ""


def test_work_that_is_not_merged_is_kept(trees: Worktrees) -> None:
    places = {task: trees.make(task) for task in ("changed", "committed", "detached", "new")}
    (places["changed"] / "code.py").write_text("half\n")
    commit(places["committed"])
    git(places["detached"], "checkout", "--quiet", "--detach")
    commit(places["detached"])
    (places["new"] / "new.py").write_text("new\n")
    kept = trees.remove_merged()
    assert {one.task: one.reason for one in kept} == {
        "changed": "it has changes that are not committed",
        "committed": "its branch unlatch/first/committed is not merged",
        "detached": "its branch unlatch/first/detached is not merged",
        "new": "it has changes that are not committed",
    }
    assert [one.path for one in kept] == [*places.values()]
    assert all(place.exists() for place in places.values())
    assert trees.remove_merged() == kept


def test_a_worktree_that_leads_elsewhere_is_left_alone(root: Path, trees: Worktrees) -> None:
    place = trees.make("1-1")
    other = root.parent / "other"
    git(root, "worktree", "add", "--quiet", str(other))
    (place / ".git").write_text((other / ".git").read_text())
    (kept,) = trees.remove_merged()
    assert "does not name this folder" in kept.reason
    with pytest.raises(StoreError, match="unsafe-path"):
        trees.make("1-1")


@pytest.mark.parametrize("task", ["../1", "a/b", "", ".git", "a" * 101, "x.lock"])
def test_a_task_that_cannot_name_a_branch_is_refused(trees: Worktrees, task: str) -> None:
    with pytest.raises(StoreError, match="worktree-failed"):
        trees.make(task)


def test_without_a_repository_or_commits_there_is_no_worktree(tmp_path: Path) -> None:
    folder = tmp_path / ".unlatch" / "runs" / "first"
    folder.mkdir(parents=True)
    with pytest.raises(UsageError, match="no-git"):
        Worktrees(tmp_path, folder).make("1-1")
    assert Worktrees(tmp_path, folder).remove_merged() == []
    git(tmp_path, "init", "--quiet")
    with pytest.raises(StoreError, match="worktree-failed"):
        Worktrees(tmp_path, folder).make("1-1")


def test_hooks_of_the_repository_do_not_run(root: Path, trees: Worktrees) -> None:
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    place = trees.make("1-1")
    assert not (place / "ran").exists()
    assert not (root / "ran").exists()


def test_a_filter_of_the_repository_does_not_run(root: Path, trees: Worktrees) -> None:
    (root / ".gitattributes").write_text("*.bin filter=trap\n")
    (root / "a.bin").write_text("pointer\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Large file")
    for part in ("clean", "smudge"):
        git(root, "config", f"filter.trap.{part}", f"touch '{root}/ran'; cat")
    with pytest.raises(StoreError, match="smudge filter trap failed"):
        trees.make("1-1")
    assert not (root / "ran").exists()
