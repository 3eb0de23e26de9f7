"""Lock existing files and folders with flock; where folders cannot be locked, with lock files.

A lock by flock belongs to an inode: it survives a rename, leaves nothing behind, and the system
releases it when its process ends, even by a crash.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from unlatch.worklog.disk import system

_Inode = tuple[int, int]

# Seconds between two attempts: flock itself waits either not at all or forever.
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05

# The inodes that this process has locked, with all descriptors of each lock.
_held: dict[_Inode, list[int]] = {}


def hold_place(
    open_now: Callable[[], int], file: Path, *, patience: float
) -> contextlib.AbstractContextManager[None]:
    """As `hold`, or as `hold_file` where the system cannot lock folders."""
    if system.LOCKS_FOLDERS:
        return hold(open_now, patience=patience)
    return hold_file(file, patience=patience)


@contextlib.contextmanager
def hold(open_now: Callable[[], int], *, patience: float) -> Iterator[None]:
    """Lock a file or folder against other processes and threads; TimeoutError if it is locked.

    Args:
        open_now: opens the file or folder for reading, at its place at the time of the call.
        patience: seconds to wait at most.
    """
    descriptors = [_acquire(open_now, time.monotonic() + patience)]
    _held[_inode(os.fstat(descriptors[0]))] = descriptors
    try:
        yield
    finally:
        for descriptor in descriptors:
            del _held[_inode(os.fstat(descriptor))]
        for descriptor in descriptors:
            # A process that is being started may have inherited it, so closing it is not enough.
            system.unlock(descriptor)
            os.close(descriptor)


def carry(old: os.stat_result, new: int) -> None:
    """Extend a lock that this process holds on a file to the one that is about to replace it.

    Without this the next process locks the new file while the first one still works. A file `old`
    that is not locked is ignored; `new` is open.
    """
    descriptors = _held.get(_inode(old))
    if descriptors is not None:
        descriptor = os.dup(new)
        descriptors.append(descriptor)
        _held[_inode(os.fstat(descriptor))] = descriptors
        system.lock(descriptor)


def _acquire(open_now: Callable[[], int], deadline: float) -> int:
    while True:
        with contextlib.ExitStack() as opened:
            descriptor = open_now()
            opened.callback(os.close, descriptor)
            _lock(descriptor, deadline)
            # It may have been replaced during the wait; then the lock is on the old file.
            again = open_now()
            opened.callback(os.close, again)
            if os.path.sameopenfile(again, descriptor):
                os.close(again)
                opened.pop_all()
                return descriptor


def _lock(descriptor: int, deadline: float) -> None:
    pause = _SHORTEST_PAUSE
    while True:
        try:
            system.lock(descriptor)
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError from None
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return


def _inode(status: os.stat_result) -> _Inode:
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def hold_file(path: Path, *, patience: float) -> Iterator[None]:
    """Lock with the file `path`, and make its two parent folders."""
    from filelock import FileLock, Timeout  # noqa: PLC0415  (needed on Windows alone)

    for folder in (path.parent.parent, path.parent):
        folder.mkdir(exist_ok=True)
    # A lock that is only a file outlives a crash, and two processes may get it at once.
    lock = FileLock(path, fallback_to_soft=False)
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        raise TimeoutError from None
    try:
        yield
    finally:
        lock.release()
