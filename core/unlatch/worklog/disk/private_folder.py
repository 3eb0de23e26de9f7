"""Folders that only their owner can open, and that git leaves out."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from unlatch.worklog.disk.atomic import append_lines, replace_file, writing
from unlatch.worklog.disk.safe_open import exists, make_folders, read_file

if TYPE_CHECKING:
    from pathlib import Path

_PRIVATE = 0o700
_ALL = "*"


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can open, if missing."""
    with writing(folder), contextlib.suppress(FileExistsError):
        make_folders(folder, mode=_PRIVATE)


def make_ignored(folder: Path, why: str) -> None:
    """Make a private folder with the file that keeps it out of git; a clone may have brought one.

    Args:
        why: the comment in the file, in lines that begin with `#`.
    """
    make_private(folder)
    rules = folder / ".gitignore"
    if not exists(rules):
        replace_file(rules, f"{why}{_ALL}\n".encode())
    elif not _ignores_all(read_file(rules)):
        append_lines(rules, f"{why}{_ALL}")


def _ignores_all(rules: bytes) -> bool:
    """Whether the last rule is `*`; in git, the last one that matches decides."""
    lines = [line.removesuffix(b"\r").rstrip(b" ") for line in rules.split(b"\n")]
    return [line for line in lines if line and not line.startswith(b"#")][-1:] == [_ALL.encode()]
