"""Hints about files that git can bring back: a command that works when it is typed."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.project import NAME, Project

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


@pytest.mark.parametrize("name", [NAME, ODD])
def test_what_the_hint_says_restores_the_file(project: Project, name: str) -> None:
    path = committed(project, name)
    before = path.read_bytes()
    # The odd name is in the same hint, whatever is wrong with the file.
    for how in SPOILT if name == NAME else ("missing", "folder"):
        SPOILT[how](path)
        done = project.run("show", name).ends(1)
        typed(project, done.err, project.root)
        assert before == path.read_bytes(), how
        assert 0 == project.run("show", name).code
        if how == "folder":
            assert "notes" == (path.parent / "metadata.json.moved" / "kept").read_text()
