"""Where programs are found, and that every program ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unlatch.transport.credentials import run_program
from unlatch.worklog.programs import TookTooLong, TooMuchOutput, run
from unlatch.worklog.search_path import find_program, search_path

PYTHON = sys.executable
# The program waits for ever, and so does one that it started and that holds its output open.
FOREVER = """
import os, signal, sys
child = os.fork()
if child:
    with open(f"{sys.argv[1]}.new", "w") as file:
        file.write(str(child))
    os.rename(f"{sys.argv[1]}.new", sys.argv[1])
signal.pause()
"""


def program(folder: Path, name: str = "tool", script: str = "exit 0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which holds a program, and so does one below it."""
    folder = tmp_path / "here"
    program(folder)
    program(folder / "relative")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "path", ["", ":", ".", "./", "relative", "relative/..", "{here}", "{here}/.", "{link}"]
)
def test_a_program_of_the_current_folder_is_not_found(
    here: Path, tmp_path: Path, path: str
) -> None:
    link = tmp_path / "link"
    link.symlink_to(here)
    filled = path.format(here=here, link=link)

    assert None is find_program("tool", path=filled)
    own = program(tmp_path / "bin")
    assert str(own) == find_program("tool", path=f"{filled}:{own.parent}")


def test_a_program_of_the_folder_in_which_it_will_run_is_not_found(tmp_path: Path) -> None:
    path = str(program(tmp_path / "project").parent)

    assert None is find_program("tool", path=path, apart=tmp_path / "project")
    assert find_program("tool", path=path)


def test_a_link_to_the_current_folder_or_the_other_one_is_no_entry_either(
    here: Path, tmp_path: Path
) -> None:
    other = program(tmp_path / "project").parent
    links = [tmp_path / "to-here", tmp_path / "to-other"]
    links[0].symlink_to(here)
    links[1].symlink_to(other)

    searched = search_path(os.pathsep.join(map(str, [*links, tmp_path])), apart=other)
    assert str(tmp_path) == searched


@pytest.mark.parametrize("name", ["./tool", "relative/tool", "../here/tool", "", "."])
def test_a_relative_path_names_no_program(here: Path, name: str) -> None:
    assert None is find_program(name, path=str(here))


def test_a_path_without_safe_entries_does_not_stand_for_the_current_folder(here: Path) -> None:
    assert search_path(f":.:{here}") not in ("", os.pathsep)
    assert not Path(search_path("")).exists()


@pytest.mark.usefixtures("here")
def test_a_vendors_program_does_not_run_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "az", "pwd")
    monkeypatch.setenv("PATH", f".:{tmp_path / 'bin'}")

    assert "/\n" == run_program(("az", "account"))


def test_what_a_program_starts_is_looked_up_as_safely(here: Path, tmp_path: Path) -> None:
    own = program(tmp_path / "bin", "outer", "tool && echo unsafe")

    environ = {"PATH": f".:relative::{own.parent}"}
    done = run([str(own)], cwd=here, environ=environ, seconds=30, most=100)

    assert (127, b"") == (done.code, done.out)


def test_a_program_gets_its_input_and_its_whole_output_is_read(tmp_path: Path) -> None:
    script = "import sys; t = sys.stdin.read(); print(len(t)); print(t[-1], file=sys.stderr)"

    done = run(
        [PYTHON, "-c", script],
        cwd=tmp_path,
        environ=os.environ,
        seconds=60,
        most=100,
        fed=b"x" * 1_000_000,
    )

    assert (0, b"1000000\n", b"x\n") == (done.code, done.out, done.err)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_prints_without_end_is_ended(tmp_path: Path, stream: str) -> None:
    script = f"import sys\nwhile True: sys.{stream}.write('x' * 65536)"

    with pytest.raises(TooMuchOutput):
        run([PYTHON, "-c", script], cwd=tmp_path, environ=os.environ, seconds=60, most=100_000)


def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    # On a busy machine the program may be ended before it has started the other one.
    for seconds in (1, 4, 15, 60):
        with pytest.raises(TookTooLong):
            run(
                [PYTHON, "-c", FOREVER, str(pid)],
                cwd=tmp_path,
                environ=os.environ,
                seconds=seconds,
                most=100,
            )
        if pid.exists():
            break

    assert is_gone(pid.read_text())


def is_gone(pid: str) -> bool:
    """Whether a process that was sent SIGKILL is gone; the system may need a moment for it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if ") Z " in status:  # until the system's first process takes note of it
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("options", [["-m"], ["-P", "-m"]])
def test_started_as_a_module_it_runs_no_module_of_the_current_folder(
    tmp_path: Path, options: list[str]
) -> None:
    for name in ("click", "json", "tomllib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('ran a module of the project')\n")

    done = subprocess.run(
        [sys.executable, *options, "unlatch", "config", "list", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("Usage: unlatch config")


@pytest.mark.parametrize(
    ("options", "module", "file"),
    [
        (["-m"], "unlatch", "click.py"),
        (["-m"], "unlatch.cli", "click.py"),
        (["-P", "-m"], "unlatch", "unlatch.py"),
    ],
)
def test_a_module_of_the_current_folder_is_not_run(
    tmp_path: Path, options: list[str], module: str, file: str
) -> None:
    (tmp_path / file).write_text("raise SystemExit('unsafe')")
    environ = {name: one for name, one in os.environ.items() if name != "PYTHONSAFEPATH"}
    command = [PYTHON, *options, module, "--version"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
