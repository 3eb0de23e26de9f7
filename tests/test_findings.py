"""findings/: its runner tells a change from a tool that is not there, and its table is complete."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from findings_page import page

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


@pytest.mark.real_waits
def test_script_that_hangs_ends_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The child holds the output open: waiting for its end would be waiting for the child.
    (tmp_path / "hangs.sh").write_text(
        f"trap 'touch {tmp_path}/tidied' EXIT\nsleep 1000 &\necho $! >{tmp_path}/child\nwait\n"
    )
    monkeypatch.setattr(run, "SECONDS", 2)

    assert run.main([], folder=tmp_path) == run.CHANGED
    assert "changed        hangs\nit did not end in 2 s\n" in capsys.readouterr().out
    assert (tmp_path / "tidied").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "child").read_text()), 0)


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
    row = "| [a-goes](a-goes.sh) | npm a | 1 | it goes \\| at once | [unlatch.py](../unlatch.py) |"
    assert row == page(tmp_path, "make").splitlines()[-1]

    script.write_text(HEAD.replace("# Guess: it stays\n", ""))
    with pytest.raises(ValueError, match=r"a-goes\.sh: the head has Package, Version, Behaviour"):
        page(tmp_path, "make")
    script.write_text(HEAD.replace("unlatch.py", "gone.py"))
    with pytest.raises(ValueError, match=r"there is no gone\.py"):
        page(tmp_path, "make")
