"""Comparing increments' files with a commit, without git's index.

`git diff` would run the filters that .gitattributes names, and take git's word for which files to
look at. Here git lists a commit's files, and their content is hashed as git does it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.run import run_git
from unlatch.worklog.safe_open import open_folder, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.worklog.safe_open import OpenFolder

_REGULAR = ("100644", "100755")
# As long as git's ids are, in hexadecimal digits.
_HASHES = {40: "sha1", 64: "sha256"}


def committed_files(root: Path, commit: str, folder: Path) -> dict[str, str] | None:
    """The regular files below a folder as a commit has them.

    Args:
        commit: anything that names one to git.
        folder: a folder below `root`.

    Returns:
        The paths from `root`, and git's ids of their content; None if git knows no such commit.
    """
    if commit.startswith("-"):
        return None
    below = folder.relative_to(root).as_posix()
    listed = run_git(root, "ls-tree", "-r", "-z", commit, "--", below)
    if listed is None:
        return None
    entries = (entry.partition("\t") for entry in os.fsdecode(listed).split("\0") if entry)
    named = ((path, about.split()) for about, _, path in entries)
    return {path: parts[2] for path, parts in named if parts[0] in _REGULAR}


def committed(root: Path, blob: str) -> bytes | None:
    """The content that has an id."""
    return run_git(root, "cat-file", "blob", blob)


def changed_files(root: Path, commit: str, folder: Path) -> frozenset[str] | None:
    """The files below a folder that are not as a commit has them: changed, new or gone.

    Returns:
        Their paths from `root`; None if git knows no such commit.
    """
    files = committed_files(root, commit, folder)
    if files is None:
        return None
    here = {path.relative_to(root).as_posix(): path for path in _files(folder)}
    gone = files.keys() - here.keys()
    return frozenset(gone).union(
        name for name, path in here.items() if not is_committed(path, files.get(name))
    )


def is_committed(path: Path, blob: str | None) -> bool:
    """Whether a file has the content with this id, give or take git's line ends."""
    content = _content(path)
    if blob is None or content is None or len(blob) not in _HASHES:
        return False
    return any(_blob(one, len(blob)) == blob for one in (content, content.replace(b"\r\n", b"\n")))


def _blob(content: bytes, length: int) -> str:
    known = hashlib.new(_HASHES[length], b"blob %d\0" % len(content), usedforsecurity=False)
    known.update(content)
    return known.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder, which is not a link, nor behind one."""
    with suppress(OSError), open_folder(folder) as opened:
        yield from _files_in(opened, folder)


def _files_in(opened: OpenFolder, place: Path) -> Iterator[Path]:
    for name in opened.names():
        if not stat.S_ISDIR(opened.lstat(name).st_mode):
            yield place / name
            continue
        # One that cannot be opened, or has become a link meanwhile, has no files.
        with suppress(OSError, StoreError), opened.folder(name) as inner:
            yield from _files_in(inner, place / name)


def _content(path: Path) -> bytes | None:
    """A file's content; None where it cannot be read, or is too large to be an increment's."""
    try:
        return read_file(path)
    except (OSError, StoreError):
        return None
