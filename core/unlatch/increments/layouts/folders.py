"""Listing the folders of a project for its layouts; links are not followed."""

import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.safe_open import exists, open_folder, read_file

# As far as units are looked for below the folder of a unit.
_DEEPEST = 4


def subfolders(place: Path) -> Sequence[str]:
    """The sorted names of the folders in `place`, without hidden ones; empty if it is missing."""
    with suppress(FileNotFoundError, NotADirectoryError, UnsafePath), open_folder(place) as opened:
        return [name for name in _folders(opened) if not name.startswith(".")]
    return ()


def _folders(opened: OpenFolder) -> list[str]:
    return [name for name in opened.folders() if stat.S_ISDIR(opened.lstat(name).st_mode)]


def files_below(place: Path, ending: str, *, within: str = "", deep: int = _DEEPEST) -> list[str]:
    """The files below `place` with this ending, as paths from there in sorted order."""
    files: list[str] = []
    with suppress(FileNotFoundError, NotADirectoryError, UnsafePath):
        with open_folder(place / within) as opened:
            names, folders = opened.names(), set(_folders(opened))
        for name in names:
            inner = f"{within}/{name}" if within else name
            if name in folders:
                files += files_below(place, ending, within=inner, deep=deep - 1) if deep else []
            elif name.endswith(ending):
                files.append(inner)
    return files


def has(place: Path) -> bool:
    """Whether a file or folder exists, without following links."""
    with suppress(UnsafePath):
        return exists(place)
    return False


def text_of(place: Path) -> str:
    """The text of a file; empty if it is missing, a link, too large, or not UTF-8 text."""
    with suppress(
        FileNotFoundError, NotADirectoryError, UnsafePath, StoreError, UnicodeDecodeError
    ):
        return read_file(place).decode("utf-8")
    return ""
