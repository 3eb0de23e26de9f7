"""Asking git: a fixed argument list, no shell, and no answer is no error."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 5.0


def ask_git(root: Path, *arguments: str) -> str | None:
    """What git prints, without surrounding space; None if it is not there or has no answer."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        answer = subprocess.run(  # noqa: S603  (arguments are ours, never a user's)
            [git, *arguments],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None
