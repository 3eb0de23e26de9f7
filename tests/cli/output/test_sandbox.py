"""unlatch sandbox prints a working configuration and environment."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.project import Project


class Served:
    """A sandbox started by its command, and its output."""

    def __init__(self, out: str, said: str) -> None:
        self.said = said
        config, _, environ = out.partition("# the environment\n")
        self.config = config
        pairs = (line.removeprefix("export ").split("=", 1) for line in environ.splitlines())
        self.environ = dict(pairs)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Served]:
    said = folder / "said"
    with (
        said.open("wb") as err,
        subprocess.Popen(
            [sys.executable, "-m", "unlatch.cli", "sandbox", *options],
            stdout=subprocess.PIPE,
            stderr=err,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            text=True,
        ) as process,
    ):
        assert process.stdout
        lines: list[str] = []
        while not lines or not lines[-1].startswith("export UNLATCH_TRUSTED_HOSTS"):
            line = process.stdout.readline()
            assert line, said.read_text()
            lines.append(line)
        yield Served("".join(lines), said.read_text())
        process.send_signal(signal.SIGINT)
    assert 0 == process.returncode


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("sandbox")) as served:
        assert "There are no items yet. Create one: unlatch link ID" in served.said
        yield served


@pytest.fixture
def empty(project: Project, served: Served) -> Project:
    """A project as `unlatch init` makes it, in the environment that the sandbox printed."""
    (project.root / ".unlatch/config.toml").unlink()
    project.extra |= served.environ
    assert 0 == project.run("init").code
    return project


def test_what_it_prints_is_a_configuration_without_mistakes(empty: Project, served: Served) -> None:
    (empty.root / ".unlatch/config.toml").write_text(served.config)
    done = empty.run("doctor", "--json")
    settings = {one["key"]: one for one in done.document["settings"]}
    assert (0, []) == (done.code, [f for f in done.document["findings"] if f["severity"] != "note"])
    assert (0.0, ".unlatch/config.toml") == (
        settings["settle"]["value"],
        settings["settle"]["source"],
    )


def test_seed_adds_sample_items_once_and_the_state_keeps_them(
    tmp_path: Path, project: Project
) -> None:
    with serving(tmp_path, "--seed", "--state", "state.sqlite") as first:
        assert "27 sample items were added." in first.said
    with serving(tmp_path, "--seed", "--state", "state.sqlite") as second:
        assert "note: the sandbox has items already" in second.said
        (project.root / ".unlatch/config.toml").write_text(second.config)
        project.extra |= second.environ
        project.run("new", "Export to CSV")
        (line,) = [one for one in second.said.splitlines() if one.startswith("  unlatch reopen")]
        reopened = project.run(*shlex.split(line)[1:])

        items = project.run("link", "--suggest")
        (project.root / "links.txt").write_text(items.out)
        linked = project.run("link", "--file", "links.txt")

    assert (0, True) == (reopened.code, "reopened; commented" in reopened.out), reopened.said
    assert first.environ["GITHUB_TOKEN"] == second.environ["GITHUB_TOKEN"]
    assert 0 == linked.code, linked.said
    assert "3 items linked to 1 increment" in linked.said


def test_a_shell_of_ones_own_reopens_an_item_with_the_second_command(tmp_path: Path) -> None:
    shell, tried = tmp_path / "own-shell", tmp_path / "tried"
    shell.write_text(f'#!/bin/sh\nread -r command\neval "$command" > {tried} 2>&1\nexit 7\n')
    shell.chmod(0o700)
    program = Path(sys.executable).parent
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "SHELL": str(shell), "PATH": path, "GH_TOKEN": "the-persons-own"}
    environ["XDG_STATE_HOME"] = str(tmp_path / "own")
    with subprocess.Popen(
        [sys.executable, "-m", "unlatch.cli", "sandbox", "--seed", "--shell"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environ,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stderr
        said = [process.stderr.readline() for _ in range(4)]
        process.stdin.write(said[-1])
        process.stdin.close()
        rest = process.stderr.read()

    assert (7, "  unlatch reopen http://") == (process.returncode, said[-1][:24]), (said, rest)
    assert "reopened; commented" in tried.read_text()
    # Once it has gone, it is no part of the person's own history.
    assert [] == [*(tmp_path / "own").rglob("items")]
