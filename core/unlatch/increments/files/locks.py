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
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.increments.files.paths import METADATA, ProjectPaths
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk import flock
from unlatch.worklog.disk.atomic import writing
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.folder_lock import STORE_PATIENCE, explain_lock, open_to_lock
from unlatch.worklog.disk.safe_open import open_parent, remove_empty

NEW, ACTIVE, SYNC, MIGRATE = "new", "active-increments", "sync", "migrate"
_OF_THE_PROJECT: Mapping[str, Callable[[ProjectPaths], Path]] = {
    NEW: lambda paths: paths.increments,
    ACTIVE: lambda paths: paths.increments.parent,
    SYNC: lambda paths: paths.root,
    MIGRATE: lambda paths: paths.root,
}


@contextlib.contextmanager
def store_lock(paths: ProjectPaths, name: str) -> Iterator[None]:
    """Hold the files of one increment, or NEW, ACTIVE or MIGRATE, for a read-modify-write.

    Raises:
        StoreError: `locked`, `lock-unsupported`, `unsafe-path`, `not-writable`, `folder-vanished`.
    """
    folder_made = _make_increments(paths) if name == NEW else contextlib.nullcontext()
    with folder_made, _lock(paths, name, "store", _open_metadata, STORE_PATIENCE):
        yield


def delivery_lock(
    paths: ProjectPaths, name: str, *, patience: float
) -> AbstractContextManager[None]:
    """Hold the right to deliver an increment's operations, or SYNC, within `patience` seconds."""
    return _lock(paths, name, "delivery", _open_increment, patience)


@contextlib.contextmanager
def _make_increments(paths: ProjectPaths) -> Iterator[None]:
    """Make the folder of the increments if missing; remove it again if the body fails."""
    with contextlib.ExitStack() as undoing:
        # Never the project's own folder: a vanished one must not come back empty.
        for folder in (paths.increments.parent, paths.increments):
            with writing(folder), contextlib.suppress(FileExistsError):
                outer, name = open_parent(folder)
                with outer:
                    outer.make(name)
                undoing.callback(_remove_empty, folder)
        yield
        undoing.pop_all()


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError, StoreError):
        remove_empty(folder)


@contextlib.contextmanager
def _lock(
    paths: ProjectPaths,
    name: str,
    kind: str,
    open_: Callable[[ProjectPaths, str], int],
    patience: float,
) -> Iterator[None]:
    place = _OF_THE_PROJECT.get(name)
    where = place(paths) if place else paths.increments / name
    open_now = partial(open_to_lock, where) if place else partial(open_, paths, name)
    file = paths.home / "locks" / f"{name}.{kind}"
    lock = flock.hold_place(open_now, file, patience=patience)
    with contextlib.ExitStack() as held:
        with explain_lock(where, "this project" if place else name):
            held.enter_context(lock)
        yield


def _open_increment(paths: ProjectPaths, name: str) -> int:
    missing: Exception = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    # It may leave the archive during the search.
    first = [paths.increments, *([paths.states] if paths.layouts else []), *paths.earlier]
    for parent in chain(first, Collection(paths.increments).archives(), first):
        try:
            return open_to_lock(parent / name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except UnsafePath as error:
            missing = error  # an archive behind a link; another one may have it
    raise missing


def _open_metadata(paths: ProjectPaths, name: str) -> int:
    try:
        folder = OpenFolder(str(paths.increments / name), _open_increment(paths, name))
    except FileNotFoundError:
        return open_to_lock(paths.increments)
    with folder:
        try:
            return folder.file(METADATA)
        except (FileNotFoundError, PermissionError):
            return open_to_lock(paths.increments)  # the next read reports the error
