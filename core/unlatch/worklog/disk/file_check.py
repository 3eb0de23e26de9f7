"""Check that files are regular, no links and not too large; hints to restore them."""

import os
import stat
from pathlib import Path
from shlex import quote
from types import MappingProxyType

from unlatch.errors import StoreError

# Sizes in bytes. Real files have some kilobytes; events.jsonl and journals of migrations grow.
LARGEST = 64 << 20
_SMALLER = MappingProxyType(
    dict.fromkeys(("metadata.json", "spec.md", "tasks.md", "config.toml", "config.json"), 8 << 20)
    | {"briefing.md": 16 << 10}
)

_CHUNK = 1 << 16
LINK = "is a symbolic link, which unlatch does not follow"
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


def check_size(size: int, place: Path | str, name: str) -> None:
    """Raise StoreError `file-too-large` for a file above the limit of its name."""
    if size > _SMALLER.get(name, LARGEST):
        message = f"{name} has {size:,} bytes; at most {_SMALLER.get(name, LARGEST):,} are read"
        hint = or_restore("remove unneeded content", place)
        raise StoreError("file-too-large", message, where=str(place), hint=hint)


def read_whole(descriptor: int, place: str, name: str) -> bytes:
    part = os.read(descriptor, _CHUNK)
    if len(part) < _CHUNK:
        return part  # a regular file gives less than a chunk only at its end
    parts, size = [part], len(part)
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
        size += len(part)
        check_size(size, place, name)  # it may grow while it is read
    return b"".join(parts)


def check_file(status: os.stat_result, place: str, name: str) -> None:
    """Raise UnsafePath, `not-a-file` or `file-too-large` unless a file can be read."""
    mode = status.st_mode
    if not stat.S_ISREG(mode):
        if stat.S_ISLNK(mode):
            raise unsafe(place, LINK, "replace it with the file itself")
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        command = replace_command(place, is_folder=stat.S_ISDIR(mode))
        hint = "remove it, and put the file in its place"
        if command:
            hint = f"restore the file if git tracks it: {command}"
        raise StoreError("not-a-file", f"{name} is {kind}, not a file", where=place, hint=hint)
    check_size(status.st_size, place, name)


def not_a_folder(path: Path) -> StoreError:
    """The error for a file in place of a folder: `path` itself, or one that it is in."""
    place = next((place for place in (path, *path.parents) if os.path.lexists(place)), path)
    message = f"a file is in place of the folder {place.name}"
    hint = or_restore("move the file away, or put the folder in its place", place, what="it")
    return StoreError("folder-unreadable", message, where=str(place), hint=hint)


def vanished(folder: Path) -> StoreError:
    """The error for a folder that disappeared while a command wrote to it."""
    message = f"the folder {folder.name} disappeared while it was being written"
    hint = or_restore("move it back and run the command again", folder, what="it")
    return StoreError("folder-vanished", message, where=str(folder), hint=hint)


def unsafe(place: str, why: str, hint: str) -> UnsafePath:
    return UnsafePath("unsafe-path", f"{Path(place).name} {why}", where=place, hint=hint)


def or_restore(hint: str, place: Path | str, *, what: str = "the file") -> str:
    """The hint; in a git repository, also the command that restores the file."""
    command = restore_command(place)
    return f"{hint}, or restore {what} if git tracks it: {command}" if command else hint


def replace_command(place: Path | str, *, is_folder: bool) -> str | None:
    """The command that restores a file that something else replaced; None outside of git.

    A folder is moved away first: git would remove its content.
    """
    command = restore_command(place)
    if command is None or not is_folder:
        return command
    path, here = Path(place), _here()
    name = str(path.relative_to(here)) if here and path.is_relative_to(here) else str(path)
    return f"mv -- {quote(name)} {quote(f'{name}.moved')} && {command}"


def restore_command(place: Path | str) -> str | None:
    """The command that restores a file or folder; None outside of git's repositories."""
    return git_command("restore", place)


def git_command(verb: str, place: Path | str) -> str | None:
    """A command of git for a file or folder, from here; None outside of git's repositories."""
    path, here = Path(place), _here()
    top = next((folder for folder in path.parents if os.path.lexists(folder / ".git")), None)
    if top is None:
        return None
    if here and path.is_relative_to(here) and here.is_relative_to(top):
        return f"git {verb} -- {quote(str(path.relative_to(here)))}"
    return f"git -C {quote(str(top))} {verb} -- {quote(str(path.relative_to(top)))}"


def _here() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None
