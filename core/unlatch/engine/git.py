"""Asking git: a fixed argument list, no shell, and no answer is no error."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 5.0
# What git's merge-file exits with at most when it merged; above that it failed.
_MOST_CONFLICTS = 127


def ask_git(root: Path, *arguments: str) -> str | None:
    """What git prints, without surrounding space; None if it is not there or has no answer."""
    answer = _run(root, arguments)
    return (answer and os.fsdecode(answer.stdout).strip()) or None


def run_git(root: Path, *arguments: str) -> bytes | None:
    """What git prints, byte for byte; None if it is not there or failed."""
    answer = _run(root, arguments)
    return answer.stdout if answer is not None and answer.returncode == 0 else None


def merge_file(root: Path, ours: Path, base: Path, theirs: Path) -> int | None:
    """Let git merge three files as text, into `ours`.

    Returns:
        How many conflicts it marked; None if it could not merge them.
    """
    labels = (part for label in ("ours", "base", "theirs") for part in ("-L", label))
    answer = _run(root, ("merge-file", "--quiet", *labels, str(ours), str(base), str(theirs)))
    if answer is None or not 0 <= answer.returncode <= _MOST_CONFLICTS:
        return None
    return answer.returncode


def _run(root: Path, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[bytes] | None:
    git = shutil.which("git")
    if git is None:
        return None
    try:
        return subprocess.run(  # noqa: S603  (arguments are ours, never a user's)
            [git, *arguments], cwd=root, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
