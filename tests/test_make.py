"""What README's first commands say on a machine where a program is missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYTHON = f"#!/bin/sh\nexec '{sys.executable}' -c \"import sys; {{change}}\n$2\"\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "unlatch needs Python 3.11 or newer: install python3"),
        (
            "sys.version_info = (3, 10)",
            "unlatch needs Python 3.11 or newer: install python3.12, and add PYTHON=python3.12",
        ),
        (
            "sys.modules['ensurepip'] = None",
            "the venv module of Python is missing: install python3-venv",
        ),
        ("", "git is missing: install git"),
    ],
    ids=["no Python", "old Python", "no venv", "no git"],
)
def test_one_line_says_what_to_install(tmp_path: Path, change: str | None, said: str) -> None:
    programs, clone = tmp_path / "bin", tmp_path / "clone"
    for folder in (programs, clone):
        folder.mkdir()
    for name in ("awk", "df", "getconf", "make", "sh"):
        (programs / name).symlink_to(shutil.which(name) or "")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, clone)
    if change is not None:
        (programs / "python3").write_text(PYTHON.format(change=change))
        (programs / "python3").chmod(0o755)

    done = subprocess.run(
        ["make", "demo"],
        cwd=clone,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )

    own = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert (done.returncode, own) == (2, [said])
    assert not (clone / ".venv").exists()
