"""Locks between processes: one for an increment's files, one for delivering its operations."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.store.atomic import writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.store.layout import Layout

# A read-modify-write of a few small files takes milliseconds; a holder that takes this long hangs.
STORE_PATIENCE = 30.0
# Network and user-space file systems say one of these where they have no locks.
_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})


def prepare_local(layout: Layout) -> Path:
    """The folder for what stays on this machine; it tells git to ignore it.

    Raises:
        StoreError: `not-writable`.
    """
    ignore = layout.local / ".gitignore"
    with writing(layout.local):
        # Never the project's own folder: one that has vanished must not come back empty.
        for folder in (layout.home, layout.local):
            folder.mkdir(exist_ok=True)
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    return layout.local


@contextlib.contextmanager
def store_lock(layout: Layout, name: str) -> Iterator[None]:
    """Hold the files of one increment (or of all, as "config") for a read-modify-write."""
    with _locked(layout, f"{name}.store", patience=STORE_PATIENCE):
        yield


@contextlib.contextmanager
def delivery_lock(layout: Layout, name: str, *, patience: float) -> Iterator[None]:
    """Hold the right to deliver one increment's operations; no local command needs it."""
    with _locked(layout, f"{name}.delivery", patience=patience):
        yield


@contextlib.contextmanager
def _locked(layout: Layout, name: str, *, patience: float) -> Iterator[None]:
    from filelock import FileLock, Timeout  # noqa: PLC0415  (costs what `list` must not pay)

    folder = prepare_local(layout) / "locks"
    with writing(folder):
        folder.mkdir(exist_ok=True)
    path = folder / f"{name}.lock"
    holder = path.with_suffix(".holder")
    # A lock that is but a file outlives a process that dies, and some give it to two at once.
    lock = FileLock(path, fallback_to_soft=False)
    with writing(path):
        try:
            lock.acquire(timeout=patience)
        except Timeout:  # an OSError, but nothing that a writable folder would mend
            raise StoreError(
                "locked",
                f"{name.rpartition('.')[0]} is being changed by {_who(holder)}",
                where=str(path),
                hint="wait for it to finish, then run the command again",
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            raise _unsupported(folder) from error
    try:
        with contextlib.suppress(OSError):  # the name is for people; the lock is the lock
            holder.write_text(json.dumps(_holder(layout)), encoding="utf-8")
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink()
        lock.release()


def _holder(layout: Layout) -> dict[str, object]:
    return {"pid": os.getpid(), "host": platform.node(), "command": layout.command}


def _who(holder: Path) -> str:
    try:
        seen = json.loads(holder.read_text(encoding="utf-8"))
        process = f"process {seen['pid']} on {seen['host']}"
        return f"{seen['command']} ({process})" if seen.get("command") else process
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "another process"


def _unsupported(folder: Path) -> StoreError:
    return StoreError(
        "lock-unsupported",
        "this file system has no locks, so that two commands could destroy each other's work",
        where=str(folder),
        hint="move the repository to a local disk",
    )
