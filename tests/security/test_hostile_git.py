"""References, file names and a `.git` that a stranger made lead no command astray."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.pairs import sampled

OURS = '{"id": "x", "status": "active"}\n'


@pytest.fixture
def cloned(completed: Project, tmp_path: Path) -> Project:
    """A checkout of `main`, whose origin is beside it."""
    completed.commit()
    completed.git("clone", "--quiet", "--bare", ".", str(tmp_path / "origin.git"))
    completed.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    completed.git("fetch", "--quiet", "origin")
    completed.git("branch", "--quiet", "--set-upstream-to", "origin/main")
    completed.git("remote", "set-head", "origin", "main")
    assert 0 == completed.run("agents", "trust").code
    return completed


@pytest.mark.parametrize(
    "tag", sampled(["main", "origin/main", "heads/main", "origin/HEAD"], {"main"})
)
def test_a_tag_with_the_name_of_the_branch_changes_nothing(
    cloned: Project, tmp_path: Path, tag: str
) -> None:
    cloned.git("tag", tag)
    cloned.run("resume", "7", "--reason", REASON, "--offline", "--yes")

    done = cloned.run("sync", "--yes", "--commit", "push")

    assert 0 == done.code, done.said
    assert "On branch" not in done.said
    references = cloned.git("for-each-ref", "--format=%(refname)", cwd=tmp_path / "origin.git")
    assert ["refs/heads/main"] == references.split()
    pushed = cloned.git(
        "show", f"main:.unlatch/increments/{NAME}/metadata.json", cwd=tmp_path / "origin.git"
    )
    assert '"active"' in pushed


@pytest.mark.parametrize("ref", ["main", "origin/main"])
def test_a_tag_with_the_name_of_the_branch_hides_no_change_from_a_gate(
    cloned: Project, ref: str
) -> None:
    assert 0 == cloned.run("sync", "--yes").code
    cloned.git("commit", "--all", "--quiet", "--message", "Sync")
    cloned.git("push", "--quiet")
    cloned.git("switch", "--quiet", "--create", "work")
    (cloned.folder() / "spec.md").write_text("# Changed\n")
    cloned.git("commit", "--all", "--quiet", "--message", "Change")
    cloned.configure_more(tables='[sync]\nbranch = "work"\n')
    cloned.box.github.edit("octo/widgets", 4, state="open")
    before = cloned.run("sync", "--check", "--changed-since", ref)
    cloned.git("tag", ref)

    after = cloned.run("sync", "--check", "--changed-since", ref)

    assert (5, 5) == (before.code, after.code), after.said


@pytest.mark.parametrize("name", ["--help", "-h", "--json", "--version", "-", "--"])
def test_the_merge_driver_takes_any_file_name_for_a_name(project: Project, name: str) -> None:
    versions = {"base": "a\n", "ours": "ours\na\n", "theirs": "a\ntheirs\n"}
    for file, text in versions.items():
        (project.root / file).write_text(text)

    done = project.run("merge-driver", "base", "ours", "theirs", name)

    # No record of unlatch has the name, so git merges it itself; a wrong option would be named.
    assert (2, "") == (done.code, done.said)
    assert versions["ours"] == (project.root / "ours").read_text()


def test_help_of_the_merge_driver_is_still_there(project: Project) -> None:
    assert (0, True) == (
        (done := project.run("merge-driver", "--help")).code,
        "Usage: unlatch merge-driver" in done.out,
    )


@pytest.fixture
def other(project: Project, tmp_path: Path) -> Path:
    """Another repository of the user, with a private address."""
    folder = tmp_path / "other"
    project.git("init", "--quiet", str(folder))
    project.git("remote", "add", "origin", "https://github.com/secretorg/canary", cwd=folder)
    return folder


def lay_file(project: Project, other: Path) -> None:
    (project.root / ".git").write_text(f"gitdir: {other}/.git\n")


def lay_link(project: Project, other: Path) -> None:
    (project.root / ".git").symlink_to(other / ".git")


def lay_linked_config(project: Project, other: Path) -> None:
    project.git("init", "--quiet")
    (project.root / ".git/config").unlink()
    (project.root / ".git/config").symlink_to(other / ".git/config")


def lay_common(project: Project, other: Path) -> None:
    project.git("init", "--quiet")
    (project.root / ".git/commondir").write_text(f"{other}/.git\n")


def lay_false_work_tree(project: Project, other: Path) -> None:
    """A work tree that names this folder as its own, and shares another repository."""
    folder = project.root / "worktrees/x"
    folder.mkdir(parents=True)
    (folder / "gitdir").write_text(f"{project.root}/.git\n")
    (folder / "commondir").write_text(f"{other}/.git\n")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (project.root / ".git").write_text(f"gitdir: {folder}\n")


LAID = [lay_file, lay_link, lay_linked_config, lay_common, lay_false_work_tree]


@pytest.mark.parametrize("lay", LAID)
@pytest.mark.parametrize(
    "arguments", [("init",), ("init", "--git"), ("sync", "--yes", "--commit", "push")]
)
def test_a_git_folder_that_leads_elsewhere_is_neither_read_nor_written(
    project: Project, other: Path, lay: object, arguments: tuple[str, ...]
) -> None:
    (project.root / ".unlatch/config.toml").unlink()
    lay(project, other)  # type: ignore[operator]
    before = (other / ".git/config").read_bytes()

    done = project.run(*arguments)

    assert before == (other / ".git/config").read_bytes()
    assert "canary" not in done.said
    config = project.root / ".unlatch/config.toml"
    assert not config.exists() or "canary" not in config.read_text()
    if arguments != ("init",):
        assert (1, True) == (done.code, "error[unsafe-path]" in done.err), done.said


def test_work_trees_and_submodules_are_set_up(project: Project, tmp_path: Path) -> None:
    project.extra["PATH"] = os.environ["PATH"]  # `git submodule` is a shell script
    main = tmp_path / "main"
    project.git("init", "--quiet", "--initial-branch", "main", str(main))
    (main / "a").write_text("a")
    project.git("add", "a", cwd=main)
    project.git("commit", "--quiet", "--message", "a", cwd=main)
    project.git("worktree", "add", "--quiet", str(tmp_path / "tree"), cwd=main)
    allowed = ("-c", "protocol.file.allow=always")
    project.git(*allowed, "submodule", "--quiet", "add", str(main), "sub", cwd=tmp_path / "tree")

    for place in ("tree", "tree/sub"):
        done = project.run("--root", str(tmp_path / place), "init", "--git")
        assert 0 == done.code, done.said


@pytest.mark.parametrize("below", sampled([".", "deeper"], {"."}))
def test_no_program_of_the_projects_root_is_started(
    project: Project, tmp_path: Path, below: str
) -> None:
    project.increment(NAME)
    folder = project.root / below
    folder.mkdir(exist_ok=True)
    for name in ("git", "gh", "az"):
        program = project.root / name
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        program.chmod(0o755)
    environ = {key: value for key, value in project.environ.items() if "TOKEN" not in key}
    environ = {key: value for key, value in environ.items() if "PAT" not in key or key == "PATH"}

    subprocess.run(
        [sys.executable, "-P", "-m", "unlatch.cli", "link", "--suggest"],
        cwd=folder,
        env={**environ, "PATH": f"{project.root}:{environ['PATH']}"},
        capture_output=True,
        check=False,
    )

    assert not (tmp_path / "ran").exists()


def test_increments_that_the_user_keeps_elsewhere_are_not_published(
    cloned: Project, tmp_path: Path
) -> None:
    team = tmp_path / "team"
    shutil.move(cloned.increments, team)
    cloned.increments.symlink_to(team)
    config = cloned.home / ".config/unlatch/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'allowed_links = ["{team}"]\n')

    done = cloned.run("sync", "--yes", "--commit", "push")

    assert (2, True) == (done.code, "error[outside-checkout]" in done.err), done.said
