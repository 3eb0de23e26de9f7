"""Locks between processes: one for an increment's files, one for delivering its operations.

They lock existing files and folders of the project. So they exclude every user of the checkout, and
no lock file is left or cloned:

| lock | is on |
|---|---|
| delivery, of an increment | its folder, which may move into or out of the archive |
| store, of an increment | its metadata.json; `replace_file` extends the lock to the new file |
| store, of an increment without one; NEW | the folder of the increments |
| ACTIVE | the folder around that |
| SYNC, MIGRATE | the project's root: the one commits the files that the other moves |

Nested locks are taken in this order: SYNC or MIGRATE, ACTIVE, delivery, store. Each locks another
inode, so no process waits for itself.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.increments.files.layout import METADATA, Layout
from unlatch.worklog.disk import flock
from unlatch.worklog.disk.atomic import writing
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.folder_lock import STORE_PATIENCE, explain_lock, open_to_lock
from unlatch.worklog.disk.safe_open import open_parent, remove_empty

NEW, ACTIVE, SYNC, MIGRATE = "new", "active-increments", "sync", "migrate"
_OF_THE_PROJECT: Mapping[str, Callable[[Layout], Path]] = {
    NEW: lambda layout: layout.increments,
    ACTIVE: lambda layout: layout.increments.parent,
    SYNC: lambda layout: layout.root,
    MIGRATE: lambda layout: layout.root,
}


@contextlib.contextmanager
def store_lock(layout: Layout, name: str) -> Iterator[None]:
    """Hold the files of one increment, or NEW, ACTIVE or MIGRATE, for a read-modify-write.

    Raises:
        StoreError: `locked`, `lock-unsupported`, `unsafe-path`, `not-writable`, `folder-vanished`.
    """
    made = _make_increments(layout) if name == NEW else contextlib.nullcontext()
    with made, _lock(layout, name, "store", _open_metadata, STORE_PATIENCE):
        yield


def delivery_lock(layout: Layout, name: str, *, patience: float) -> AbstractContextManager[None]:
    """Hold the right to deliver an increment's operations, or SYNC, within `patience` seconds."""
    return _lock(layout, name, "delivery", _open_increment, patience)


@contextlib.contextmanager
def _make_increments(layout: Layout) -> Iterator[None]:
    """Make the folder of the increments if missing; remove it again if the body fails."""
    with contextlib.ExitStack() as made:
        # Never the project's own folder: a vanished one must not come back empty.
        for folder in (layout.increments.parent, layout.increments):
            with writing(folder), contextlib.suppress(FileExistsError):
                outer, name = open_parent(folder)
                with outer:
                    outer.make(name)
                made.callback(_remove_empty, folder)
        yield
        made.pop_all()


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError, StoreError):
        remove_empty(folder)


@contextlib.contextmanager
def _lock(
    layout: Layout, name: str, kind: str, open_: Callable[[Layout, str], int], patience: float
) -> Iterator[None]:
    place = _OF_THE_PROJECT.get(name)
    where = place(layout) if place else layout.increments / name
    if sys.platform == "win32":
        lock = flock.hold_file(layout.home / "locks" / f"{name}.{kind}", patience=patience)
    else:
        open_now = partial(open_to_lock, where) if place else partial(open_, layout, name)
        lock = flock.hold(open_now, patience=patience)
    with contextlib.ExitStack() as held:
        with explain_lock(where, "this project" if place else name):
            held.enter_context(lock)
        yield


def _open_increment(layout: Layout, name: str) -> int:
    missing: Exception = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    # It may leave the archive during the search.
    for parent in chain([layout.increments], layout.collection.archives(), [layout.increments]):
        try:
            return open_to_lock(parent / name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except UnsafePath as error:
            missing = error  # an archive behind a link; another one may have it
    raise missing


def _open_metadata(layout: Layout, name: str) -> int:
    try:
        folder = OpenFolder(str(layout.increments / name), _open_increment(layout, name))
    except FileNotFoundError:
        return open_to_lock(layout.increments)
    with folder:
        try:
            return folder.file(METADATA)
        except (FileNotFoundError, PermissionError):
            return open_to_lock(layout.increments)  # the next read reports the error
