"""The git command that restores a file, for hints; git itself is not started."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote


def or_restore(hint: str, place: Path | str, *, what: str = "the file") -> str:
    """A hint about a file, and in a git repository also the command that restores the file."""
    command = restore_command(place)
    return f"{hint}, or restore {what} if git tracks it: {command}" if command else hint


def replace_command(place: Path | str, *, is_folder: bool) -> str | None:
    """The command that restores a file in whose place something else is; None outside of git.

    A folder is moved away first: git would remove all that it contains.
    """
    command = restore_command(place)
    if command is None or not is_folder:
        return command
    path, here = Path(place), _here()
    shown = str(path.relative_to(here)) if here and path.is_relative_to(here) else str(path)
    return f"mv -- {quote(shown)} {quote(f'{shown}.moved')} && {command}"


def restore_command(place: Path | str) -> str | None:
    """The command that restores a file or folder; None outside of git's repositories."""
    path, here = Path(place), _here()
    top = next((folder for folder in path.parents if os.path.lexists(folder / ".git")), None)
    if top is None:
        return None
    if here and path.is_relative_to(here) and here.is_relative_to(top):
        return f"git restore -- {quote(str(path.relative_to(here)))}"
    return f"git -C {quote(str(top))} restore -- {quote(str(path.relative_to(top)))}"


def _here() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None
