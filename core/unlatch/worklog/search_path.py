"""The folders in which programs are looked up.

A cloned repository may hold a file named `git`. So a program is looked up only in absolute folders,
never in the current folder, and the programs that it starts get the same search path.
"""

from __future__ import annotations

import os
from pathlib import Path


def search_path(path: str | None, *, apart: Path | None = None) -> str:
    """The absolute folders of a PATH (None: the system's default), without the current one.

    `apart`, the folder in which a program will run, is left out as well.
    """
    left_out = {_identity(os.curdir), *([_identity(apart)] if apart else [])} - {None}
    given = (os.defpath if path is None else path).split(os.pathsep)
    # Each command does this: resolving links, or making a Path of each, takes ten times as long.
    absolute = filter(os.path.isabs, given)
    entries = [folder for folder in absolute if _identity(folder) not in left_out]
    # An empty PATH would mean the current folder.
    return os.pathsep.join(entries) or "/nonexistent"


def _identity(folder: Path | str) -> tuple[int, int] | None:
    """The device and number of a folder by any of its paths; None if there is none."""
    try:
        status = os.stat(folder)  # noqa: PTH116  (as above)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def find_program(name: str, *, path: str | None = None, apart: Path | None = None) -> str | None:
    """The absolute path of a program, if it is found; `name` may be an absolute path itself.

    The PATH to search is this process's by default; `apart` is as for `search_path`.
    """
    import shutil  # noqa: PLC0415  (most commands look for no program)

    if Path(name).is_absolute():
        return shutil.which(name)
    if Path(name).name != name:
        return None
    searched = search_path(os.environ.get("PATH") if path is None else path, apart=apart)
    program = shutil.which(name, path=searched)
    # On Windows, `which` looks into the current folder first.
    return program if program and str(Path(program).parent) in searched.split(os.pathsep) else None
