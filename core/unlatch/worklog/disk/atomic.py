"""Write files atomically: after a crash a file has either its old or its new content."""

import contextlib
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shlex import quote

from unlatch.errors import NotDurable, StoreError
from unlatch.worklog.disk.file_check import UnsafePath, check_size, not_a_folder, vanished
from unlatch.worklog.disk.flock import carry
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.safe_open import make_folders, open_folder, open_parent, opened

UNFINISHED = ".unlatch.tmp"


PRIVATE = 0o600
# Of the part of a temporary file's name that is its file's, in bytes.
_LONGEST = 200


def replace_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Put `content` at `path` in one step.

    An existing file keeps its permissions; `mode` is for a new one.

    Raises:
        StoreError: `not-writable`, `unsafe-path`, `not-a-file` or `file-too-large`; the old file is
            untouched.
        NotDurable: the new file is written, but a power cut may still lose it.
    """
    with writing(path):
        folder, name = open_parent(path)
    with folder:
        replace_in(folder, name, content, mode=mode)


def replace_in(folder: OpenFolder, name: str, content: bytes, *, mode: int = 0o666) -> None:
    """Replace a file of an open folder, as `replace_file`."""
    place = folder.place(name)
    check_size(len(content), place, name)
    with writing(place):
        _replace(folder, name, content, mode)
    try:
        folder.sync()
    except OSError as error:
        message = f"{name} was written, and the disk did not confirm it: "
        hint = "free disk space, then run the command again; it continues where it stopped"
        why = f"{error.strerror or error}"
        raise NotDurable("not-durable", message + why, where=place, hint=hint) from error


def _replace(folder: OpenFolder, name: str, content: bytes, mode: int) -> None:
    old = None
    with contextlib.suppress(FileNotFoundError):
        old = folder.check_file(name)
    # A unique name: of two processes with one temporary name, one would lose its update.
    temporary = f"{_beginning(name)}{os.urandom(6).hex()}{UNFINISHED}"
    try:
        with open(temporary, "xb", opener=partial(folder.file, mode=mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if old is not None:
                place = file.fileno() if os.chmod in os.supports_fd else folder.place(temporary)
                os.chmod(place, old.st_mode & 0o7777)  # noqa: PTH101  (of an open file)
                carry(old, file.fileno())
        folder.move(temporary, folder, name)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            folder.remove(temporary)
        raise


def _beginning(name: str) -> str:
    """What the name of a temporary file begins with: names of 255 bytes leave no room for more."""
    return f".{name.encode(errors='replace')[:_LONGEST].decode(errors='ignore')}."


def remove_file(path: Path) -> None:
    """Remove a file, if it is there; StoreError `not-writable` or `unsafe-path`."""
    with writing(path):
        folder, name = open_parent(path)
        with folder, contextlib.suppress(FileNotFoundError):
            folder.remove(name)


def move_folder(here: Path, there: Path) -> None:
    """Move a folder or file durably, and make the parent folders of its new place.

    Raises:
        StoreError: `folder-vanished`, `not-writable` or `unsafe-path`.
    """
    with writing(there):
        with contextlib.suppress(FileExistsError):
            make_folders(there.parent)
        source, name = open_parent(here)
        with source, open_folder(there.parent) as target:
            source.move(name, target, there.name)
            target.sync()
            source.sync()


def sweep(folder: Path | OpenFolder, *, of: str | None = None) -> None:
    """Remove temporary files of crashed processes; the caller holds the folder's lock.

    Args:
        of: the name of a file, if its lock alone is held: others may be writing their own.
    """
    with writing(folder), opened(folder) as there:
        for name in _unfinished(there):
            if of is None or name.startswith(_beginning(of)):
                with contextlib.suppress(OSError):  # such a file does no harm
                    there.remove(name)


def unfinished_files(path: Path) -> list[Path]:
    """The temporary files that crashed processes left in a folder; StoreError `unsafe-path`."""
    with writing(path), open_folder(path) as folder:
        return [path / name for name in _unfinished(folder)]


def _unfinished(folder: OpenFolder) -> list[str]:
    return [name for name in folder.names() if name[:1] == "." and name.endswith(UNFINISHED)]


def append_lines(path: Path, *lines: str, mode: int = 0o666) -> None:
    """Append lines to `path` durably; `mode` is for a new file.

    If a crash cut the last line short, a newline comes first, so that only that line is lost.

    Raises:
        StoreError: `not-writable`, `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    with writing(path):
        folder, name = open_parent(path)
    with folder:
        append_in(folder, name, *lines, mode=mode)


def append_in(folder: OpenFolder, name: str, *lines: str, mode: int = 0o666) -> None:
    """Append lines to a file of an open folder, as `append_lines`."""
    place = folder.place(name)
    # A lone surrogate has no UTF-8 form; inside JSON its escape means the same.
    added = "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
    with writing(place), open(name, "a+b", opener=partial(folder.file, mode=mode)) as file:
        check_single(os.fstat(file.fileno()), place)
        size = file.seek(0, os.SEEK_END)
        check_size(size + len(added), place, name)
        file.seek(max(0, size - 1))
        file.write(added if file.read() in (b"", b"\n") else b"\n" + added)
        file.flush()
        os.fsync(file.fileno())


def check_single(status: os.stat_result, path: Path | str) -> None:
    """Raise UnsafePath for a file with a second hard link, which may be outside of the project."""
    if status.st_nlink > 1:
        name = Path(path).name
        other = "has another name elsewhere (a hard link), which would change with it"
        hint = f"put a copy in its place: cp {quote(name)} copy && mv copy {quote(name)}"
        raise UnsafePath("unsafe-path", f"{name} {other}", where=str(path), hint=hint)


@contextlib.contextmanager
def writing(path: os.PathLike[str] | str) -> Iterator[None]:
    """Raise system errors of writing `path` as `folder-vanished` or `not-writable`."""
    try:
        yield
    except FileNotFoundError as error:
        raise vanished(Path(path).parent) from error
    except NotADirectoryError as error:
        raise not_a_folder(Path(path)) from error
    except OSError as error:
        where = Path(path)
        message = f"cannot write {where.name}: {error.strerror or error}"
        hint = "make the folder writable and its disk not full, then run the command again"
        raise StoreError("not-writable", message, where=str(where), hint=hint) from error
