"""Hints about files that git can bring back: a command that works when it is typed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import NAME, Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# What a shell would take apart.
ODD = "0008-it's-$HOME; echo"


def _missing(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "kept").write_text("notes")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _no_json(path: Path) -> None:
    path.write_text("{")


def _list(path: Path) -> None:
    path.write_text("[]")


def _bad_record(path: Path) -> None:
    path.write_text('{"status": "active", "pending": {}}')


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(9 << 20)


SPOILT: dict[str, Callable[[Path], None]] = {
    "missing": _missing,
    "folder": _folder,
    "pipe": _pipe,
    "no JSON": _no_json,
    "list": _list,
    "bad record": _bad_record,
    "huge": _huge,
}


def committed(project: Project, name: str = NAME) -> Path:
    project.increment(name, status="active")
    project.git("init", "--quiet")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Begin")
    return project.folder(name) / "metadata.json"


def typed(project: Project, said: str, cwd: Path) -> None:
    """Run the last command that a hint names."""
    (hint,) = [line for line in said.splitlines() if line.startswith("  next: ")]
    command = re.split(r"restore the file(?: if git tracks it)?: ", hint.removeprefix("  next: "))[
        -1
    ]
    environ = {**project.environ, "PATH": os.environ["PATH"]}
    subprocess.run(command, shell=True, check=True, cwd=cwd, env=environ)


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("name", [NAME, ODD])
def test_what_the_hint_says_restores_the_file(project: Project, name: str, how: str) -> None:
    path = committed(project, name)
    before = path.read_bytes()
    SPOILT[how](path)

    done = project.run("show", name)
    typed(project, done.err, project.root)

    assert 1 == done.code
    assert before == path.read_bytes()
    assert 0 == project.run("show", name).code
    if how == "folder":
        assert "notes" == (path.parent / "metadata.json.moved" / "kept").read_text()


@pytest.mark.parametrize("where", ["home", "deeper"])
def test_it_works_where_the_command_was_typed(project: Project, where: str, tmp_path: Path) -> None:
    path = committed(project)
    path.unlink()
    (project.root / "deeper").mkdir()
    cwd = {"home": tmp_path / "home", "deeper": project.root / "deeper"}[where]
    place = subprocess.run(
        [sys.executable, "-m", "unlatch.cli", "--root", str(project.root), "show", "7"],
        cwd=cwd,
        env=project.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    typed(project, place.stderr, cwd)

    assert path.exists()


@pytest.mark.parametrize("how", SPOILT)
def test_outside_of_git_no_hint_names_it(project: Project, how: str) -> None:
    project.increment(status="active")
    SPOILT[how](project.folder() / "metadata.json")

    done = project.run("show", "7")

    assert (1, True, False) == (done.code, "  next: " in done.err, "git " in done.err)
