"""findings/: its runner tells a change from a tool that is not there, and its table is complete."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from select import select

import pytest
from findings_page import findings, page

ROOT = Path(__file__).resolve().parent.parent
_SPEC = importlib.util.spec_from_file_location("run_findings", ROOT / "findings/run.py")
assert _SPEC is not None
assert _SPEC.loader is not None
run = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(run)
HEAD = """\
#!/usr/bin/env bash
# Package: npm a
# Version: 1
# Guess: it stays
# Behaviour: it goes | at
#   once
# Relies: unlatch.py
# Test: test_unlatch.py::test_it
"""
# An npm that installs a program, which says what it is told to.
NPM = """\
#!/bin/sh
[ -n "$SAYS" ] || { echo no index; exit 1; }
mkdir -p "$3/node_modules/.bin"
printf '#!/bin/sh\\necho %s\\n' "$SAYS" >"$3/node_modules/.bin/tool"
chmod +x "$3/node_modules/.bin/tool"
"""


@pytest.mark.parametrize(
    ("codes", "code", "summary"),
    [
        ((0, 0), 0, "2 as recorded, 0 changed, 0 not installed"),
        ((0, 2), 2, "1 as recorded, 0 changed, 1 not installed"),
        ((2, 1), 1, "0 as recorded, 1 changed, 1 not installed"),
        ((0, 127), 1, "1 as recorded, 1 changed, 0 not installed"),
    ],
)
def test_exit_code_tells_changed_from_not_installed(
    tmp_path: Path, codes: tuple[int, ...], code: int, summary: str
) -> None:
    shutil.copy(ROOT / "findings/run.py", tmp_path)
    (tmp_path / "common.sh").write_text("exit 1\n")
    for number, each in enumerate(codes):
        (tmp_path / f"tool-{number}.sh").write_text(f"echo seen {number}; exit {each}\n")

    done = subprocess.run(
        [sys.executable, tmp_path / "run.py"], capture_output=True, encoding="utf-8", check=False
    )

    assert (code, summary) == (done.returncode, done.stdout.splitlines()[-1])
    shown = [f"seen {number}" for number, each in enumerate(codes) if each]
    assert shown == re.findall(r"^seen \d", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("says", "code", "shown"),
    [
        ("old", 0, "as recorded    tool\n"),
        ("new", 1, "changed        tool\n--- recorded\n+++ now\n@@ -1 +1 @@\n-old\n+new\n"),
        ("", 2, "not installed  tool\nnot installed: tool@1\nno index\n"),
    ],
)
def test_finding_compares_what_a_tool_says_with_the_record(
    tmp_path: Path, says: str, code: int, shown: str
) -> None:
    for name in ("run.py", "common.sh"):
        shutil.copy(ROOT / "findings" / name, tmp_path)
    (tmp_path / "tool.sh").write_text(
        'source "$(dirname "$0")/common.sh"\nnpm_install tool@1\n'
        "tool >\"$WORK/seen\"\nseen <<'END'\nold\nEND\n"
    )
    programs, place = tmp_path / "bin", tmp_path / "tmp"
    programs.mkdir()
    place.mkdir()
    (programs / "npm").write_text(NPM)
    (programs / "npm").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"

    done = subprocess.run(
        [sys.executable, tmp_path / "run.py"],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PATH": path, "SAYS": says, "TMPDIR": str(place)},
        check=False,
    )

    assert (code, True) == (done.returncode, done.stdout.startswith(shown)), done.stdout
    assert [] == [*place.iterdir()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_what_runs_and_reports_what_has_run(
    tmp_path: Path, number: signal.Signals
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    shutil.copy(ROOT / "findings/run.py", tmp_path)
    for name in ("a-first", "c-last"):
        (tmp_path / f"{name}.sh").write_text("exit 0\n")
    os.mkfifo(tmp_path / "held")
    (tmp_path / "b-waits.sh").write_text(
        f"cd {tmp_path}\ntrap 'touch tidied' EXIT\nmktemp -d\nsleep 1000 >held &\nwait\n"
    )

    with (
        subprocess.Popen(
            [sys.executable, tmp_path / "run.py"],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "TMPDIR": str(place)},
        ) as process,
        (tmp_path / "held").open() as held,
    ):  # the child has it open, too, from now on
        process.send_signal(number)
        output, _ = process.communicate()
        ended, _, _ = select([held], [], [], 30)

    assert [held] == ended
    assert 128 + number == process.returncode
    assert output.splitlines() == [
        "as recorded    a-first",
        "stopped        b-waits",
        "1 as recorded, 0 changed, 0 not installed",
        f"stopped by {number.name}; not run to the end: b-waits, c-last",
    ]
    assert (tmp_path / "tidied").exists()
    assert [] == [*place.iterdir()]


@pytest.mark.real_waits
def test_script_that_hangs_ends_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The child holds the output open: waiting for its end would be waiting for the child.
    os.mkfifo(tmp_path / "held")
    (tmp_path / "hangs.sh").write_text(
        f"cd {tmp_path}\ntrap 'touch tidied' EXIT\nexec 3>held\nsleep 1000 &\nwait\n"
    )
    monkeypatch.setattr(run, "SECONDS", 2)
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)

    assert run.main([], folder=tmp_path) == run.CHANGED
    assert "changed        hangs\nit did not end in 2 s\n" in capsys.readouterr().out
    assert (tmp_path / "tidied").exists()
    assert [held] == select([held], [], [], 30)[0]
    os.close(held)


@pytest.mark.parametrize("without", ["bash", "git", "npm"])
def test_program_that_is_missing_is_not_a_change(tmp_path: Path, without: str) -> None:
    for name in {"bash", "git", "mktemp", "cat", "rm", "dirname", "mkdir"} - {without}:
        (tmp_path / name).symlink_to(str(shutil.which(name)))

    done = subprocess.run(
        [sys.executable, ROOT / "findings/run.py", "specweave-last-number"],
        capture_output=True,
        encoding="utf-8",
        env={"PATH": str(tmp_path), "TMPDIR": str(tmp_path)},
        check=False,
    )

    named = "specweave@1.0.593" if without == "npm" else without
    assert (done.returncode, f"not installed: {named}\n" in done.stdout) == (2, True), done.stdout


def test_row_of_the_table_is_the_head_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "findings").mkdir()
    (tmp_path / "unlatch.py").touch()
    script = tmp_path / "findings/a-goes.sh"
    script.write_text(HEAD)
    (tmp_path / "test_unlatch.py").touch()
    row = (
        "| [a-goes](a-goes.sh) | npm a | 1 | it goes \\| at once | [unlatch.py](../unlatch.py) "
        "| [test_it](../test_unlatch.py) |"
    )
    assert row == page(tmp_path, "make").splitlines()[-1]

    script.write_text(HEAD.replace("# Guess: it stays\n", ""))
    with pytest.raises(ValueError, match=r"a-goes\.sh: the head has Package, Version, Behaviour"):
        page(tmp_path, "make")
    for name in ("unlatch.py", "test_unlatch.py"):
        script.write_text(HEAD.replace(f" {name}", " gone.py"))
        with pytest.raises(ValueError, match=r"there is no gone\.py"):
            page(tmp_path, "make")


def test_code_that_relies_on_a_finding_names_it() -> None:
    # Pages and tests name the package and its version.
    code = [it for it in findings(ROOT) if it.relies.startswith(("core/", "plugins/"))]
    unnamed = [it for it in code if f"findings/{it.name}.sh" not in (ROOT / it.relies).read_text()]
    assert (True, []) == (len(code) > 12, unnamed)


def test_each_finding_has_a_test_that_is_collected() -> None:
    wanted = {tuple(it.test.split("::")) for it in findings(ROOT)}

    defined = {
        (file, name)
        for file in {file for file, *_ in wanted}
        for name in re.findall(r"^def (test_\w+)\(", (ROOT / file).read_text(), re.MULTILINE)
    }

    assert wanted - defined == set()
