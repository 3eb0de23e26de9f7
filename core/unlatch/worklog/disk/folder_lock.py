"""Locks on folders, with errors that name the locked work."""

import contextlib
import errno
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.worklog.disk import flock
from unlatch.worklog.disk.atomic import writing
from unlatch.worklog.disk.file_check import vanished
from unlatch.worklog.disk.safe_open import open_folder

# A read-modify-write of small files takes milliseconds; a process that holds it this long hangs.
STORE_PATIENCE = 30.0
# Network and user-space file systems answer with one of these where they have no locks; NFS with
# EBADF, because no folder can be opened for writing (flock(2), "NFS details").
_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EBADF})


@contextlib.contextmanager
def folder_lock(folder: Path, *, patience: float = STORE_PATIENCE) -> Iterator[None]:
    """Lock a folder against other processes and threads.

    Raises:
        StoreError: `locked`, `lock-unsupported`.
    """
    file = folder.parent / ".locks" / folder.name
    lock = flock.hold_place(partial(open_to_lock, folder), file, patience=patience)
    with contextlib.ExitStack() as held:
        with explain_lock(folder, folder.name):
            held.enter_context(lock)
        yield


@contextlib.contextmanager
def explain_lock(where: Path, subject: str) -> Iterator[None]:
    """Raise errors of a lock as StoreError: `locked`, `lock-unsupported`, `not-writable`."""
    with writing(where):
        try:
            yield
        except TimeoutError:
            message = f"another process is changing {subject}"
            hint = "wait for it to finish, then run the command again"
            raise StoreError("locked", message, where=str(where), hint=hint) from None
        except FileNotFoundError as error:
            raise vanished(where) from error
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            raise StoreError(
                "lock-unsupported",
                "this file system has no locks, so two commands could destroy each other's work",
                where=str(where),
                hint="move the repository to a local disk",
            ) from error


def open_to_lock(folder: Path) -> int:
    """Open a folder for `flock.hold`."""
    descriptor = open_folder(folder).detach()
    if descriptor is None:
        raise AssertionError("a system without open folders has lock files")
    return descriptor
