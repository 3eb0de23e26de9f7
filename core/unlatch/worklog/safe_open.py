"""Opening the files of a project: regular files and folders only, and never through a link.

A clone may contain a symbolic link, a named pipe or a huge file in place of any file. So all files
of a project are opened here, one component after another from the project's root: each relative to
the folder that is open already, with O_NOFOLLOW. A link that is put in place between two steps is
not followed either.

The path says where the root is: before its first `.unlatch` or `.specweave`, so that no later one,
which a repository may have put behind a link, is taken for a root. A path without one
(`.gitattributes`) begins in the file's own folder. The way to the root is the user's own, and may
have links. Below the root a link to a folder is followed only into a folder that the user's
configuration allows (`allowed_links`); a link to a file never is.

Where the system cannot open relative to a folder (Windows), each component is looked at instead.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from pathlib import Path
from types import MappingProxyType
from typing import Self

from unlatch.errors import StoreError
from unlatch.worklog.restore import or_restore, replace_command
from unlatch.worklog.user_config import (
    ALLOWED_LINKS,
    allowed_links,
    has_wrong_links,
    user_config_file,
)

HOMES = (".unlatch", ".specweave")
# Sizes in bytes. Real files have some kilobytes; events.jsonl and journals of migrations grow.
LARGEST = 64 << 20
_SMALLER = MappingProxyType(
    dict.fromkeys(("metadata.json", "spec.md", "tasks.md", "config.toml", "config.json"), 8 << 20)
)

_CHUNK = 1 << 16
_LINK = "is a symbolic link, which unlatch does not follow"
_RELATIVE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_CLOSED_IN_CHILDREN = getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSED_IN_CHILDREN
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
# O_NONBLOCK: a named pipe would wait for a writer. O_BINARY: Windows would change line endings.
_FILE = _NOFOLLOW | _CLOSED_IN_CHILDREN | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KINDS = MappingProxyType(
    {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFBLK: "a device",
        stat.S_IFCHR: "a device",
    }
)


class UnsafePath(StoreError):
    """A link is in a place where it is not followed."""


class OpenFolder:
    """A folder of a project that is open; what it contains is named from it.

    Args:
        path: where it was opened.
        descriptor: the open folder; None where the system cannot open relative to one.
    """

    __slots__ = ("_descriptor", "_itself", "_prefix", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor
        # How the system knows it, and what a name in it begins with.
        self._itself: int | str = path if descriptor is None else descriptor
        self._prefix = f"{path}{os.sep}" if descriptor is None else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close it, if it is open."""
        if (descriptor := self.detach()) is not None:
            os.close(descriptor)

    def detach(self) -> int | None:
        """The open folder, which the caller closes from now on."""
        descriptor, self._descriptor = self._descriptor, None
        self._itself, self._prefix = self.path, self.place("")
        return descriptor

    def place(self, name: str) -> str:
        """The path of something in it."""
        return f"{self.path}{os.sep}{name}"

    def folder(self, name: str) -> OpenFolder:
        """Open a folder in it.

        Raises:
            UnsafePath: it is a link that the user does not allow.
            OSError: it is missing, or no folder.
        """
        if name == os.pardir:
            raise _unsafe(self.place(name), "leads out of its folder", "name a folder in it")
        if not _RELATIVE:
            return self._looked_at(name)
        try:
            return OpenFolder(
                self.place(name), os.open(name, _FOLDER | _NOFOLLOW, dir_fd=self._descriptor)
            )
        except OSError as error:
            # Linux says ENOTDIR of a link to a folder, macOS says ELOOP.
            if error.errno not in (errno.ENOTDIR, errno.ELOOP) or not self._is_link(name):
                raise
            return _followed(self.place(name), error)

    def _looked_at(self, name: str) -> OpenFolder:
        found = self.lstat(name)
        if stat.S_ISLNK(found.st_mode):
            return _followed(self.place(name), None)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.place(name))
        return OpenFolder(self.place(name), None)

    def file(self, name: str, flags: int = os.O_RDONLY) -> int:
        """Open a regular file in it.

        Returns:
            The open file, which the caller closes.

        Raises:
            UnsafePath: it is a link.
            StoreError: `not-a-file` or `file-too-large`.
            OSError: it is missing, or may not be opened.
        """
        if not _RELATIVE:
            with contextlib.suppress(FileNotFoundError):
                self.check_file(name)
        try:
            descriptor = os.open(self._prefix + name, flags | _FILE, 0o666, dir_fd=self._descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                self.check_file(name)
            raise
        try:
            _check(os.fstat(descriptor), self.place(name), name)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def check_file(self, name: str) -> os.stat_result:
        """What is known of a regular file in it.

        Raises:
            UnsafePath, StoreError, OSError: as `file`.
        """
        found = self.lstat(name)
        _check(found, self.place(name), name)
        return found

    def read(self, name: str, *, at_most: int | None = None) -> bytes:
        """The content of a file in it, or its beginning.

        Args:
            at_most: how many bytes of it are wanted; None for all.

        Raises:
            UnsafePath, StoreError, OSError: as `file`.
        """
        descriptor = self.file(name)
        try:
            if at_most is not None:
                return os.read(descriptor, at_most)
            return _whole(descriptor, self.place(name), name)
        finally:
            os.close(descriptor)

    def read_in(self, inner: str, name: str, *, at_most: int | None = None) -> bytes:
        """The content of a file in a folder in it; where thousands are read, the shortest way.

        Raises:
            UnsafePath, StoreError, OSError: as `folder` and `file`.
        """
        try:
            folder = os.open(self._prefix + inner, _FOLDER | _NOFOLLOW, dir_fd=self._descriptor)
            try:
                descriptor = os.open(name, _FILE, dir_fd=folder)
            finally:
                os.close(folder)
        except (OSError, NotImplementedError):  # the usual way says what is wrong, or goes on
            with self.folder(inner) as opened:
                return opened.read(name, at_most=at_most)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > _SMALLER.get(name, LARGEST):
                _check(found, f"{self.place(inner)}{os.sep}{name}", name)
            if at_most is not None:
                return os.read(descriptor, at_most)
            return _whole(descriptor, self.place(inner), name)
        finally:
            os.close(descriptor)

    def lstat(self, name: str) -> os.stat_result:
        """What the system knows of something in it; links are not followed."""
        return os.stat(self._prefix + name, dir_fd=self._descriptor, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether there is something of this name, a link that leads nowhere included."""
        try:
            self.lstat(name)
        except FileNotFoundError:
            return False
        return True

    def names(self) -> list[str]:
        """The names of all that it contains, sorted."""
        return sorted(os.listdir(self._itself))  # noqa: PTH208  (of an open folder)

    def folders(self) -> list[str]:
        """The names of the folders in it, and of links, which may be folders; sorted."""
        with os.scandir(self._itself) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) or entry.is_symlink()
            )

    def changed(self) -> int:
        """When something was added to it or removed from it, in nanoseconds."""
        return os.stat(self._itself).st_mtime_ns  # noqa: PTH116  (of an open folder)

    def make(self, name: str) -> None:
        """Make a folder in it."""
        os.mkdir(self._prefix + name, dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        """Remove a file from it; a link is removed itself."""
        os.unlink(self._prefix + name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder from it."""
        os.rmdir(self._prefix + name, dir_fd=self._descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove a folder from it with all that it contains, as far as that is possible."""
        from shutil import rmtree  # noqa: PLC0415  (slow to load, and rarely needed)

        rmtree(self._prefix + name, ignore_errors=True, dir_fd=self._descriptor)

    def move(self, name: str, there: OpenFolder, new: str) -> None:
        """Move something in it; a file that is there is replaced."""
        os.replace(
            self._prefix + name,
            there._prefix + new,
            src_dir_fd=self._descriptor,
            dst_dir_fd=there._descriptor,
        )

    def sync(self) -> None:
        """Make moves in it durable, where the system can."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _is_link(self, name: str) -> bool:
        return stat.S_ISLNK(self.lstat(name).st_mode)


class ListedFolder(OpenFolder):
    """A folder that stays open as long as anything that was listed in it is in use."""

    __slots__ = ()

    # Not in every folder: an interruption that arrives while this runs would be lost.
    def __del__(self) -> None:
        self.__exit__()


def list_folder(path: Path | str) -> tuple[ListedFolder, list[str]]:
    """Open a folder of a project for as long as it is in use; also returns the folders in it.

    Raises:
        UnsafePath: a link is on the way.
        OSError: it is missing, no folder, or may not be listed.
    """
    opened = open_folder(path)
    listed = ListedFolder(opened.path, opened.detach())
    return listed, listed.folders()


def open_folder(path: Path | str) -> OpenFolder:
    """Open a folder of a project, or its root.

    Raises:
        UnsafePath: a link is on the way.
        OSError: it is missing, or no folder.
    """
    root, steps = _split(os.fspath(path))
    return _descend(root, steps)


def open_parent(path: Path | str) -> tuple[OpenFolder, str]:
    """Open the folder that contains a file or folder of a project; also returns its name in it.

    Raises:
        UnsafePath: a link is on the way.
        OSError: the folder is missing, or no folder.
    """
    parent, _, name = os.fspath(path).rpartition(os.sep)
    return open_folder(parent or os.sep), name


def read_file(path: Path | str, *, at_most: int | None = None) -> bytes:
    """The content of a project's file, or its beginning.

    Args:
        at_most: how many bytes of it are wanted; None for all.

    Raises:
        UnsafePath: it, or a folder on the way, is a link.
        StoreError: `not-a-file` or `file-too-large`.
        OSError: it is missing, or may not be read.
    """
    folder, name = open_parent(path)
    with folder:
        return folder.read(name, at_most=at_most)


def exists(path: Path | str) -> bool:
    """Whether something of a project is there, a link that leads nowhere included.

    Raises:
        UnsafePath: a folder on the way is a link.
    """
    try:
        folder, name = open_parent(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    with folder:
        return folder.has(name)


def make_folders(path: Path | str) -> None:
    """Make a folder of a project, and those on the way to it.

    Raises:
        UnsafePath: a link is on the way.
        OSError: it cannot be made, or is there.
    """
    root, steps = _split(os.fspath(path))
    folder = _descend(root, ())
    for step in steps[:-1]:
        with contextlib.suppress(FileExistsError):
            folder.make(step)
        with folder as outer:
            folder = outer.folder(step)
    with folder:
        folder.make(steps[-1])


def remove_empty(path: Path | str) -> None:
    """Remove an empty folder of a project.

    Raises:
        UnsafePath: a link is on the way.
        OSError: it is missing, or not empty.
    """
    folder, name = open_parent(path)
    with folder:
        folder.remove_folder(name)


def check_size(size: int, place: Path | str, name: str) -> None:
    """Make sure that a file of this size can be read.

    Raises:
        StoreError: `file-too-large`.
    """
    if size > _SMALLER.get(name, LARGEST):
        raise StoreError(
            "file-too-large",
            f"{name} has {size:,} bytes; at most {_SMALLER.get(name, LARGEST):,} are read",
            where=str(place),
            hint=or_restore("remove what is not needed from it", place),
        )


def _split(path: str) -> tuple[str, list[str]]:
    """The root that a path begins with, and the steps from there."""
    parts = path.split(os.sep)  # noqa: PTH206  (a Path takes ten times as long)
    for index, part in enumerate(parts):
        if part in HOMES:
            root = os.sep.join(parts[:index])  # noqa: PTH118
            return root or (os.sep if index else os.curdir), parts[index:]
    return path, []


def _descend(root: str, steps: list[str] | tuple[str, ...]) -> OpenFolder:
    folder = OpenFolder(root, os.open(root, _FOLDER) if _RELATIVE else None)
    for step in steps:
        with folder as outer:
            folder = outer.folder(step)
    return folder


def _followed(link: str, error: OSError | None) -> OpenFolder:
    """Open the folder that a link leads to, if the user allows it."""
    target = Path(os.path.realpath(link))
    for allowed in allowed_links():
        top = Path(os.path.realpath(allowed))
        if target.is_relative_to(top):
            folder = _descend(str(top), target.relative_to(top).parts)
            folder.path = link
            return folder
    raise _unsafe(link, _LINK, _allowing(target)) from error


def _allowing(target: Path) -> str:
    own = user_config_file()
    if has_wrong_links():
        return f"correct {ALLOWED_LINKS} in {own} (unlatch doctor says what is wrong with it)"
    allowing = f"{own}: {ALLOWED_LINKS} = [{json.dumps(str(target))}]"
    return f"replace it with the folder itself, or, if you trust where it leads, add to {allowing}"


def _whole(descriptor: int, place: str, name: str) -> bytes:
    part = os.read(descriptor, _CHUNK)
    if len(part) < _CHUNK:
        return part  # a regular file gives less than it is asked for at its end alone
    parts, size = [part], len(part)
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
        size += len(part)
        check_size(size, place, name)  # it may grow while it is read
    return b"".join(parts)


def _check(found: os.stat_result, place: str, name: str) -> None:
    mode = found.st_mode
    if not stat.S_ISREG(mode):
        if stat.S_ISLNK(mode):
            raise _unsafe(place, _LINK, "replace it with the file itself")
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        command = replace_command(place, is_folder=stat.S_ISDIR(mode))
        raise StoreError(
            "not-a-file",
            f"{name} is {kind}, not a file",
            where=place,
            hint=f"restore the file if git tracks it: {command}"
            if command
            else "remove it, and put the file in its place",
        )
    check_size(found.st_size, place, name)


def _unsafe(place: str, why: str, hint: str) -> UnsafePath:
    return UnsafePath("unsafe-path", f"{Path(place).name} {why}", where=place, hint=hint)
