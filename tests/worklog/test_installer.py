"""Next steps name the installer that made this environment."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from unlatch.worklog.installer import install_command, upgrade_command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return tmp_path


def test_pipx_is_named_in_its_own_environment(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")
    assert install_command("unlatch[mcp]") == "pipx inject unlatch 'unlatch[mcp]'"
    assert upgrade_command() == "pipx upgrade unlatch"


def test_pip_of_this_python_is_named_elsewhere(prefix: Path) -> None:
    assert prefix.is_dir()
    program = [sys.executable, "-m", "pip", "install"]
    assert shlex.split(install_command("unlatch[mcp]")) == [*program, "unlatch[mcp]"]
    assert shlex.split(upgrade_command()) == [*program, "--upgrade", "unlatch"]
