"""Files that are either the old one or the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
from typing import IO, TYPE_CHECKING

from unlatch.errors import NotDurable, StoreError
from unlatch.store._flock import carry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNFINISHED = ".unlatch.tmp"


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step; the file's permissions stay.

    Raises:
        StoreError: `not-writable`; the old file is untouched.
        NotDurable: the new file is there, and may be gone again after a power cut.
    """
    # A unique name: two processes that share a temporary name lose one's update.
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}{UNFINISHED}")
    with writing(path):
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileNotFoundError):
                temporary.chmod(path.stat().st_mode & 0o7777)
            carry(path, temporary)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    try:
        sync_folder(path.parent)
    except OSError as error:
        raise NotDurable(
            "not-durable",
            f"{path.name} was written, and the disk did not confirm it: {error.strerror or error}",
            where=str(path),
            hint="see to the disk, then run the command again; it goes on from what is there",
        ) from error


def sweep(folder: Path) -> None:
    """Remove what writers left behind that died halfway; the folder's lock is held."""
    for stale in folder.glob(f".*{UNFINISHED}"):
        with contextlib.suppress(OSError):  # it is in nobody's way
            stale.unlink(missing_ok=True)


def append_line(path: Path, line: str) -> None:
    """Add a line to the end of `path`, on disk when this returns.

    A last line that a crash cut short is closed first, so that it spoils itself alone.

    Raises:
        StoreError: `not-writable`.
    """
    with writing(path), path.open("a+b") as file:
        if file.tell() and not _ends_in_newline(file):
            line = "\n" + line
        # A lone surrogate has no UTF-8 form; inside JSON its escape means the same.
        file.write(line.encode(errors="backslashreplace") + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _ends_in_newline(file: IO[bytes]) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` durable, where the system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows cannot open a folder; its renames need no such call
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about writing `path` into an error that says what to do.

    Raises:
        StoreError: `folder-vanished` or `not-writable`.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise vanished(path.parent) from error
    except OSError as error:
        raise StoreError(
            "not-writable",
            f"cannot write {path.name}: {error.strerror or error}",
            where=str(path),
            hint="make the folder writable and its disk not full, then run the command again",
        ) from error


def vanished(folder: Path) -> StoreError:
    """What is told where a folder went away while a command was at work in it."""
    return StoreError(
        "folder-vanished",
        f"the folder {folder.name} went away while it was being written to",
        where=str(folder),
        hint="restore it from git or bring it back to its place, then run the command again",
    )
