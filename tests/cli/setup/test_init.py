"""init sets up a project, and keeps existing files."""

import re
import shlex
import shutil
import tomllib
from dataclasses import replace

import pytest
from tests.cli.project import Project
from tests.cli.refusing import assert_refused


@pytest.fixture
def empty(project: Project) -> Project:
    """A folder with nothing in it."""
    (project.root / ".unlatch" / "config.toml").unlink()
    (project.root / ".unlatch").rmdir()
    return project


def test_an_empty_folder_becomes_a_project(empty: Project) -> None:
    done = empty.run("init").ends(0)
    assert done.out == "✓ .unlatch\n✓ .unlatch/increments\n✓ .unlatch/config.toml\n"
    assert done.err == (
        "Increments are in .unlatch/increments/.\n"
        "Next: fill in .unlatch/config.toml, then unlatch doctor\n"
    )
    before = empty.tree()
    again, document = empty.run("init"), empty.run("init", "--json")
    assert (0, "Next: unlatch doctor") == (again.code, again.err.splitlines()[-1])
    assert (document.code, document.document["made"]) == (0, [])
    assert before == empty.tree()
    assert "trackers" not in tomllib.loads((empty.root / ".unlatch" / "config.toml").read_text())
    assert empty.run("list").code == 0


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/octo/widgets.js.git",
        "git@github.com:octo/widgets.js.git",
        "ssh://git@github.com/octo/widgets.js",
    ],
)
def test_the_repository_on_github_is_taken_from_git(empty: Project, remote: str) -> None:
    empty.git("init", "--quiet")
    empty.git("remote", "add", "origin", remote)
    empty.run("init")
    config = tomllib.loads((empty.root / ".unlatch" / "config.toml").read_text())
    assert config["trackers"] == {"github": {"repository": "octo/widgets.js"}}


def test_nothing_in_the_project_is_to_be_kept_out_of_git(empty: Project) -> None:
    empty.git("init", "--quiet")
    empty.run("init")
    empty.run("new", "Something")
    empty.git("add", "--all")
    staged = empty.git("diff", "--cached", "--name-only").splitlines()
    names = ("events.jsonl", "metadata.json", "spec.md", "tasks.md")
    made = [f".unlatch/increments/0001-something/{name}" for name in names]
    assert [".unlatch/config.toml", *made] == staged


def test_a_project_in_another_one_is_noted(project: Project) -> None:
    below = project.root / "services" / "pay"
    below.mkdir(parents=True)
    made, again = (project.run("--root", str(below), "init") for _ in range(2))
    note = f"note: this folder is in the project {project.root}; commands"
    assert (0, True) == (made.code, note in made.err), made.said
    assert "note: " not in again.err


def test_existing_increments_stay_where_they_are(empty: Project) -> None:
    folder = empty.root / ".specweave" / "increments" / "0001-first-steps"
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text('{"status": "completed", "type": "feature"}')
    (empty.root / ".specweave" / "config.json").write_text("{}")
    before = {path: content for path, content in empty.tree().items() if content is not None}
    empty.run("init").shows(
        err=(
            "Found SpecWeave: 1 unit (1 completed). It is read.\n",
            "Increments are in .specweave/increments/.",
        )
    )
    assert not (empty.root / ".unlatch" / "increments").exists()
    assert before.items() <= empty.tree().items()
    assert "0001-first-steps" in empty.run("list").out


def test_without_a_project_commands_say_how_to_make_one(empty: Project) -> None:
    empty.run("list").ends(
        2,
        err=(
            "error[no-project]",
            "change to your project's folder; to set up a project here: unlatch init\n",
        ),
    )


def test_commands_find_the_project_from_below_or_by_its_name(empty: Project) -> None:
    empty.run("init")
    empty.run("new", "Something")
    below = empty.root / "src" / "deep"
    below.mkdir(parents=True)
    elsewhere, outside = replace(empty, root=below), replace(empty, root=empty.home)
    assert "0001-something" in elsewhere.run("list").out
    assert "0001-something" in outside.run("--root", str(empty.root), "list").out


def test_a_root_without_a_project_is_refused(project: Project) -> None:
    for number, line in enumerate(
        (
            *("sync --check", "sync", "new Title", "list", "status", "show 7"),
            *("resume 7 --reason x --yes", "doctor", "migrate"),
        )
    ):
        empty = project.home / ("empty" if number else "has a space")
        empty.mkdir()

        done = project.run("--root", str(empty), *line.split())

        assert_refused(done, 2, "no-project")
        assert [] == list(empty.iterdir())
        hint = re.search(r"next: unlatch (.*)", done.err)
        assert hint is not None
        assert 0 == project.run(*shlex.split(hint[1])).code, line
        assert 2 != project.run("--root", str(empty), "list").code
        shutil.rmtree(empty)


def test_a_root_of_another_tool_is_a_project(project: Project) -> None:
    folder = project.home / "theirs"
    (folder / ".specweave/increments").mkdir(parents=True)
    assert 0 == project.run("--root", str(folder), "sync", "--check").code
