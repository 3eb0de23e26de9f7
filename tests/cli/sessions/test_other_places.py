"""Work that stayed in the main checkout of a worktree, or at the earlier path of a project."""

import subprocess
from dataclasses import replace
from pathlib import Path
from shlex import quote

import pytest
from tests.cli.project import Project
from tests.cli.sessions.test_import_command import imports, lines, put


@pytest.fixture
def main(project: Project) -> Project:
    """A committed project with an effort and an imported session of its increment."""
    name = project.increment()
    project.commit()
    project.run("effort", "open", "Auth bug")
    project.run("effort", "link", "auth-bug", "7")
    put(project, lines(project))
    assert project.run("session", "import", "s1").code == 0
    (file,) = imports(project)
    assert project.run("session", "link", file.stem, name, "--imported").code == 0
    return project


@pytest.fixture
def worktree(main: Project, tmp_path: Path) -> Project:
    root = tmp_path / "another tree"
    main.git("worktree", "add", "--quiet", "--detach", str(root))
    return replace(main, root=root)


def test_a_worktree_names_the_work_of_the_main_checkout(main: Project, worktree: Project) -> None:
    (file,) = imports(main)
    command = f"unlatch --root {main.root} show 0007-smart-discipline --briefing"
    expected = f"not in this worktree: effort:auth-bug, session:{file.stem}; {command} has them"
    shown = worktree.run("show", "7", "--briefing")
    resumed = worktree.run("resume", "7", "-m", "More", "--yes", "--offline")
    for done in (shown, resumed):
        assert (0, True) == (done.code, f"note: {expected}\n" in done.err), done.said
    assert "not in this worktree" not in main.run("show", "7", "--briefing").err
    assert main.run(*command.split()[1:]).code == 0


@pytest.mark.usefixtures("main")
def test_a_git_file_that_leads_elsewhere_names_nothing(main: Project, tmp_path: Path) -> None:
    """As in an archive; the repository that it leads to has no such worktree."""
    root = tmp_path / "unpacked"
    (root / ".unlatch").mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {main.root}/.git\n")
    other = replace(main, root=root)
    other.increment()
    assert "not in this worktree" not in other.run("show", "7", "--briefing").err


def test_doctor_names_the_imports_of_a_project_that_was_moved(main: Project) -> None:
    (file,) = imports(main)
    before = main.root
    after = replace(main, root=before.rename(before.with_name("a new place")))
    findings = after.run("doctor", "--json").document["findings"]
    (found,) = [one for one in findings if one["id"] == "imports-elsewhere"]
    assert f"sessions were imported at {before}," in found["message"]
    assert quote(str(file.parent)) in found["hint"]
    subprocess.run(found["hint"], shell=True, check=True)  # as a person would
    assert file.name == next(iter(imports(after))).name
    assert after.run("show", f"session:{file.stem}").code == 0
    again = after.run("doctor", "--json").document["findings"]
    assert "imports-elsewhere" not in [one["id"] for one in again]
