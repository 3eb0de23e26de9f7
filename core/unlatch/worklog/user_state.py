"""The user's own folder for each project: caches and reports, which may be deleted at any time."""

from __future__ import annotations

import atexit
import errno
import os
from functools import cache
from hashlib import sha256
from pathlib import Path


def state_folder(root: Path) -> Path:
    """The private folder of this user for the project at `root`.

    It is outside of the repository, so nothing that a clone brings along is taken for local state.
    The root's real path and inode name it: each worktree and copy has its own, and so has another
    checkout at the same path. Where the user's folders cannot be written it is a temporary one,
    which is removed when the process ends.
    """
    from platformdirs import user_state_path  # noqa: PLC0415  (`list` needs no state)

    try:
        place = root.resolve()
        key = f"{place.stat().st_ino} {place}".encode(errors="surrogateescape")
        return _made(user_state_path("unlatch") / sha256(key).hexdigest()[:32])
    except (OSError, RuntimeError):  # the latter where this user has no home
        return _temporary_folder()


def _made(folder: Path) -> Path:
    if not folder.is_absolute():  # the same with an older platformdirs; it would be in the project
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    return folder


@cache
def _temporary_folder() -> Path:
    from shutil import rmtree  # noqa: PLC0415  (slow to load, and rarely needed)
    from tempfile import mkdtemp  # noqa: PLC0415

    folder = mkdtemp(prefix="unlatch-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return Path(folder)
