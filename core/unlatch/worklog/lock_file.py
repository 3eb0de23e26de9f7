"""Locks by lock files, for systems that cannot lock a folder: Windows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def hold(path: Path, *, patience: float) -> Iterator[None]:
    """Lock by the file `path`, whose two folders are made if need be; its content means nothing.

    Args:
        patience: seconds to wait at most.

    Raises:
        TimeoutError: it is locked already.
        OSError: it cannot be made or locked.
    """
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(exist_ok=True)
    # A lock that is but a file outlives a process that dies, and some give it to two at once.
    lock = FileLock(path, fallback_to_soft=False)
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        raise TimeoutError from None
    try:
        yield
    finally:
        lock.release()
