"""The files of an agent: opened for reading, found without following links below its folder."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unlatch.errors import StoreError
from unlatch.worklog.disk import system
from unlatch_agents.transcripts.compressed import SUFFIX, decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Files with credentials, which are never opened, not even where a path names them.
_CREDENTIALS = frozenset(
    ("auth.json", "mcp-auth.json", ".credentials.json", "oauth_creds.json", "google_accounts.json")
)
_FLAGS = os.O_RDONLY | system.NONBLOCK | system.BINARY


def present(path: Path) -> Path:
    """The path, or that of the same transcript since its agent compressed or restored it."""
    is_compressed = path.suffix == SUFFIX
    other = path.with_suffix("") if is_compressed else path.with_name(path.name + SUFFIX)
    return other if other.is_file() and not path.exists() else path


@contextmanager
def opened(path: Path, *, may_be_link: bool = False, most: int = -1) -> Iterator[BinaryIO]:
    """Open a regular file for reading; a link only where a person named it.

    Args:
        most: of a compressed file, only so many bytes are needed.

    Raises:
        StoreError: `transcript-unreadable`, also for an error while it is read, or
            `transcript-compressed`.
    """
    path = present(path)
    try:
        if not _CREDENTIALS.isdisjoint((path.name, path.resolve().name)):
            raise unreadable(path, "it contains credentials")
        # A named pipe would wait for a writer.
        descriptor = os.open(path, _FLAGS | (0 if may_be_link else system.NOFOLLOW))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise unreadable(path, "it is not a regular file")
            if path.suffix == SUFFIX:
                with decompressed(file, path, most=most) as content:
                    yield content
            else:
                yield file
    except (OSError, RuntimeError) as error:  # the latter is a loop of links
        raise unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def unreadable(path: Path, why: str) -> StoreError:
    return StoreError(
        "transcript-unreadable",
        f"the transcript cannot be read: {why}",
        where=str(path),
        hint="check the path and the file's permissions",
    )


def matching(root: Path, patterns: Sequence[str]) -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files below a folder; each pattern is for the names of one level."""
    pattern, *inner = patterns
    for entry in _entries(root):
        if fnmatchcase(entry.name, pattern):
            if inner and entry.is_dir(follow_symlinks=False):
                yield from matching(Path(entry.path), inner)
            elif not inner and entry.is_file(follow_symlinks=False):
                yield Path(entry.path), entry.stat(follow_symlinks=False)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # missing, or another user's
        return []
