"""Who does not use a fleet pays nothing for it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.pairs import sampled

if TYPE_CHECKING:
    from pathlib import Path

_LOADED = """
import sys
from unlatch.cli.main import run
run(sys.argv[1:])
sys.stderr.write("\\n".join(["modules:", *sorted(sys.modules)]))
"""
_OF_THE_FLEET = ("procrastinate", "psycopg", "psycopg_pool", "unlatch_fleet")


@pytest.mark.parametrize("command", sampled(["--help", "list", "sync"], {"sync"}))
def test_other_commands_load_nothing_of_the_fleet(tmp_path: Path, command: str) -> None:
    (tmp_path / ".unlatch" / "increments").mkdir(parents=True)
    program = [sys.executable, "-P", "-c", _LOADED, "--no-pager", command]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True)
    _, _, modules = done.stderr.partition("modules:\n")
    loaded = {name for name in modules.split() if name.partition(".")[0] in _OF_THE_FLEET}
    # The help of all commands comes from tables.
    tables = {"unlatch_fleet", "unlatch_fleet.cli", "unlatch_fleet.cli.table"}
    assert loaded <= (tables if command == "--help" else set())
    assert "unlatch.cli.main" in modules
