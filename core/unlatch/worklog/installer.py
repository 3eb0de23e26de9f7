"""The commands that install into this environment, by the program that made it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

# pipx writes it into each environment of its own.
_OF_PIPX = "pipx_metadata.json"


def install_command(requirement: str) -> str:
    """The command that adds a library to this unlatch."""
    if _is_of_pipx():
        return f"pipx inject unlatch {shlex.quote(requirement)}"
    return f"{_pip()} install {shlex.quote(requirement)}"


def upgrade_command() -> str:
    return "pipx upgrade unlatch" if _is_of_pipx() else f"{_pip()} install --upgrade unlatch"


def _is_of_pipx() -> bool:
    return (Path(sys.prefix) / _OF_PIPX).is_file()


def _pip() -> str:
    # -P: no module of the current folder, such as a project's pip.py, is run.
    return f"{shlex.quote(sys.executable)} -P -m pip"
