"""The `openspec` program in an empty project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.increments.layouts.openspec.cli.program import Program, command
from tests.servers.availability import skipped_unless_available

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def argv() -> tuple[str, ...]:
    with skipped_unless_available():
        return command()
    raise AssertionError


@pytest.fixture
def program(argv: tuple[str, ...], tmp_path: Path) -> Program:
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    return Program(argv, root, home)
