"""An open folder of a project: it opens only regular files and does not follow links.

A clone may contain a symbolic link, a named pipe or a huge file in place of any file. So each file
and folder is opened relative to its open parent, with O_NOFOLLOW: a link that is created between
two steps is not followed either. A link to a folder is followed only into a folder that the user's
configuration allows (`allowed_links`); a link to a file never is.

Where the system cannot open relative to a folder (Windows), each component is checked instead.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Self

from unlatch.worklog.disk import system
from unlatch.worklog.disk.file_check import LINK, check_file, read_whole, unsafe

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = os.O_RDONLY | system.DIRECTORY | system.CLOEXEC
# NONBLOCK: a named pipe would wait for a writer.
_FILE = system.NOFOLLOW | system.CLOEXEC | system.NONBLOCK | system.BINARY


class OpenFolder:
    """An open folder of a project; without a `descriptor` nothing is opened relative to it."""

    __slots__ = ("_descriptor", "_itself", "_prefix", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor
        # For calls of the system: the folder itself, and the prefix of names in it.
        self._itself: int | str = path if descriptor is None else descriptor
        self._prefix = f"{path}{os.sep}" if descriptor is None else ""

    def __fspath__(self) -> str:
        return self.path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if (descriptor := self.detach()) is not None:
            os.close(descriptor)

    def detach(self) -> int | None:
        """Give up the descriptor, which the caller closes from now on."""
        descriptor, self._descriptor = self._descriptor, None
        self._itself, self._prefix = self.path, self.place("")
        return descriptor

    def place(self, name: str) -> str:
        return f"{self.path}{os.sep}{name}"

    def folder(self, name: str) -> OpenFolder:
        """Open a folder in it; UnsafePath for a link that the user does not allow."""
        if name == os.pardir:
            raise unsafe(self.place(name), "leads out of its folder", "name a folder in it")
        if not system.OPENS_RELATIVE:
            return self._checked(name)
        try:
            descriptor = os.open(name, _FOLDER | system.NOFOLLOW, dir_fd=self._descriptor)
            return OpenFolder(self.place(name), descriptor)
        except OSError as error:
            # Linux says ENOTDIR of a link to a folder, macOS says ELOOP.
            is_other = error.errno not in (errno.ENOTDIR, errno.ELOOP)
            if is_other or not stat.S_ISLNK(self.lstat(name).st_mode):
                raise
            return _follow_link(self.place(name), error)

    def _checked(self, name: str) -> OpenFolder:
        status = self.lstat(name)
        if stat.S_ISLNK(status.st_mode):
            return _follow_link(self.place(name), None)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.place(name))
        return OpenFolder(self.place(name), None)

    def file(self, name: str, flags: int = os.O_RDONLY, *, mode: int = 0o666) -> int:
        """Open a regular file in it, for the caller to close; `mode` is for a new file.

        Raises:
            UnsafePath: it is a link.
            StoreError: `not-a-file` or `file-too-large`.
        """
        if not system.OPENS_RELATIVE:
            with contextlib.suppress(FileNotFoundError):
                self.check_file(name)
        try:
            descriptor = os.open(self._prefix + name, flags | _FILE, mode, dir_fd=self._descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                self.check_file(name)
            raise
        try:
            check_file(os.fstat(descriptor), self.place(name), name)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def check_file(self, name: str) -> os.stat_result:
        """Check a regular file in it, as `file`; its status."""
        status = self.lstat(name)
        check_file(status, self.place(name), name)
        return status

    def read(self, name: str, *, at_most: int | None = None) -> bytes:
        """The content of a file in it, or its beginning; `at_most` is a number of bytes."""
        descriptor = self.file(name)
        return _content(descriptor, self.place(name), name, at_most)

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file in it as they are read; a last one that has no end is left out."""
        with os.fdopen(self.file(name), "rb") as file:
            yield from (line[:-1] for line in file if line.endswith(b"\n"))

    def read_in(self, inner: str, name: str, *, at_most: int | None = None) -> bytes:
        """Read a file in one of its folders, by the fastest way: thousands are read."""
        try:
            folder = os.open(
                self._prefix + inner, _FOLDER | system.NOFOLLOW, dir_fd=self._descriptor
            )
            try:
                descriptor = os.open(name, _FILE, dir_fd=folder)
            finally:
                os.close(folder)
        except (OSError, NotImplementedError):  # the slow way explains the error, or succeeds
            with self.folder(inner) as opened:
                return opened.read(name, at_most=at_most)
        return _content(descriptor, f"{self.place(inner)}{os.sep}{name}", name, at_most)

    def lstat(self, name: str) -> os.stat_result:
        return os.stat(self._prefix + name, dir_fd=self._descriptor, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether an entry of this name exists, a broken link included."""
        try:
            self.lstat(name)
        except FileNotFoundError:
            return False
        return True

    def names(self) -> list[str]:
        return sorted(os.listdir(self._itself))  # noqa: PTH208  (of an open folder)

    def folders(self) -> list[str]:
        """The sorted names of its folders, and of links, which may lead to folders."""
        folders, links = self.folders_and_links()
        return sorted([*folders, *links])

    def folders_and_links(self) -> tuple[list[str], list[str]]:
        """The names of its folders, and those of links, which may lead to folders."""
        folders, links = [], []
        with os.scandir(self._itself) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_symlink():
                    links.append(entry.name)
        return folders, links

    def make(self, name: str, *, mode: int = 0o777) -> None:
        os.mkdir(self._prefix + name, mode, dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        os.unlink(self._prefix + name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        os.rmdir(self._prefix + name, dir_fd=self._descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove one of its folders with all content, as far as possible."""
        from shutil import rmtree  # noqa: PLC0415  (slow to load, and rarely needed)

        rmtree(self._prefix + name, ignore_errors=True, dir_fd=self._descriptor)

    def move(self, name: str, there: OpenFolder, new: str) -> None:
        """Move an entry, and replace an existing file."""
        source, target = self._descriptor, there._descriptor
        here, place = self._prefix + name, there._prefix + new
        os.replace(here, place, src_dir_fd=source, dst_dir_fd=target)

    def sync(self) -> None:
        """Make moves in it durable, where the system can."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)


def _content(descriptor: int, place: str, name: str, at_most: int | None) -> bytes:
    """The content of an open file, or its beginning, if it can be read; closes it."""
    try:
        check_file(os.fstat(descriptor), place, name)
        if at_most is not None:
            return os.read(descriptor, at_most)
        return read_whole(descriptor, place, name)
    finally:
        os.close(descriptor)


def descend(root: str, steps: list[str] | tuple[str, ...]) -> OpenFolder:
    folder = OpenFolder(root, os.open(root, _FOLDER) if system.OPENS_RELATIVE else None)
    for step in steps:
        with folder as outer:
            folder = outer.folder(step)
    return folder


def _follow_link(link: str, error: OSError | None) -> OpenFolder:
    """Open the folder that a link leads to, if the user allows it."""
    from unlatch.worklog.disk.user_files import allowed_links  # noqa: PLC0415  (links are rare)

    target = Path(os.path.realpath(link))
    for allowed in allowed_links()[0]:
        top = Path(os.path.realpath(allowed))
        if target.is_relative_to(top):
            folder = descend(str(top), target.relative_to(top).parts)
            folder.path = link
            return folder
    raise unsafe(link, LINK, _allowing(target)) from error


def _allowing(target: Path) -> str:
    from unlatch.worklog.disk.user_files import (  # noqa: PLC0415  (as above)
        ALLOWED_LINKS,
        allowed_links,
        user_config_file,
    )

    if not target.is_dir():
        return f"replace it with the folder itself, or remove it: {target} is not a folder"
    own = user_config_file()
    if allowed_links()[1]:
        return f"correct {ALLOWED_LINKS} in {own} (unlatch doctor lists its mistakes)"
    allowing = f"{own}: {ALLOWED_LINKS} = [{json.dumps(str(target))}]"
    return f"replace it with the folder itself, or, if you trust its target, add to {allowing}"
