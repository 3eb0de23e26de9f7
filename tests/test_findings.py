"""findings/: its runner tells a change from a tool that is not there, and its table is complete."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from findings_page import page

ROOT = Path(__file__).resolve().parent.parent
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
