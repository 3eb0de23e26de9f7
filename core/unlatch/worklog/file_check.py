"""The files and places that are opened at all: regular files of a bounded size, and no links."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import MappingProxyType

from unlatch.errors import StoreError
from unlatch.worklog.restore import or_restore, replace_command

# Sizes in bytes. Real files have some kilobytes; events.jsonl and journals of migrations grow.
LARGEST = 64 << 20
_SMALLER = MappingProxyType(
    dict.fromkeys(("metadata.json", "spec.md", "tasks.md", "config.toml", "config.json"), 8 << 20)
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
    """Make sure that a file of this size can be read; else StoreError, `file-too-large`."""
    if size > _SMALLER.get(name, LARGEST):
        raise StoreError(
            "file-too-large",
            f"{name} has {size:,} bytes; at most {_SMALLER.get(name, LARGEST):,} are read",
            where=str(place),
            hint=or_restore("remove unneeded content", place),
        )


def read_whole(descriptor: int, place: str, name: str) -> bytes:
    part = os.read(descriptor, _CHUNK)
    if len(part) < _CHUNK:
        return part  # a regular file gives less than it is asked for at its end alone
    parts, size = [part], len(part)
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
        size += len(part)
        check_size(size, place, name)  # it may grow while it is read
    return b"".join(parts)


def is_plain(found: os.stat_result, name: str) -> bool:
    """Whether a file can be read: it is a regular one, and not too large."""
    return stat.S_ISREG(found.st_mode) and found.st_size <= _SMALLER.get(name, LARGEST)


def check_file(found: os.stat_result, place: str, name: str) -> None:
    """Make sure that a file can be read.

    Raises:
        UnsafePath: it is a link.
        StoreError: `not-a-file` or `file-too-large`.
    """
    mode = found.st_mode
    if not stat.S_ISREG(mode):
        if stat.S_ISLNK(mode):
            raise unsafe(place, LINK, "replace it with the file itself")
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


def unsafe(place: str, why: str, hint: str) -> UnsafePath:
    return UnsafePath("unsafe-path", f"{Path(place).name} {why}", where=place, hint=hint)
