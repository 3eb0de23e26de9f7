"""The manual pages show every command, and groff reads them without a warning."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from unlatch.cli.table import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "man").glob("*.1"))
GROFF = shutil.which("groff")


def formatted(*pages: Path, columns: int) -> str:
    command = [
        GROFF or "",
        "-man",
        "-Tutf8",
        "-ww",
        "-P-cbou",
        f"-rLL={columns}n",
        *map(str, pages),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_each_command_has_a_page_that_the_overview_names() -> None:
    names = {*COMMANDS} | {"github", "ado", "jira"}
    overview = (ROOT / "man/unlatch.1").read_text(encoding="utf-8").replace("\\-", "-")

    assert {page.name for page in PAGES} == {"unlatch.1", *(f"unlatch-{one}.1" for one in names)}
    assert set(re.findall(r"^\.BR unlatch-(\S+) \(1\)", overview, re.MULTILINE)) == names


def test_the_wheel_installs_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert wheel["shared-data"] == {"man": "share/man/man1"}


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
@pytest.mark.parametrize("columns", [60, 100, 200])
def test_a_page_fits_the_terminal(columns: int) -> None:
    text = formatted(ROOT / "man/unlatch-resume.1", columns=columns)

    assert max(map(len, text.splitlines())) <= columns
    assert "unlatch-resume - Reopen an increment and its items" in text
    assert "-F, --reason-file FILE" in text


@pytest.mark.skipif(GROFF is None, reason="groff is not installed")
def test_no_page_has_a_warning() -> None:
    names = re.findall("^NAME$", formatted(*PAGES, columns=80), re.MULTILINE)

    assert len(PAGES) == len(names)
