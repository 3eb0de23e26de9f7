"""The folders in which programs are looked up.

A cloned repository may hold a file named `git`. So a program is looked up only in absolute folders,
never in the current folder, and the programs that it starts get the same search path.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def search_path(path: str | None, *, apart: Path | None = None) -> str:
    """The absolute folders of a PATH (None: the system's default), without the current one.

    `apart`, the folder in which a program will run, is left out as well.
    """
    here = {os.path.realpath(apart)} if apart else set()
    with suppress(OSError):
        here.add(os.path.realpath(Path.cwd()))
    given = (os.defpath if path is None else path).split(os.pathsep)
    entries = [
        one for one in given if Path(one).is_absolute() and os.path.realpath(one) not in here
    ]
    # An empty PATH would mean the current folder.
    return os.pathsep.join(entries) or "/nonexistent"


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
    found = shutil.which(name, path=searched)
    # On Windows, `which` looks into the current folder first.
    return found if found and str(Path(found).parent) in searched.split(os.pathsep) else None
