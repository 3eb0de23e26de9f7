"""Open the files of a project by their paths, one component at a time from its root.

The root is the folder before the path's first `.unlatch` or `.specweave`; a later one may be a
repository's own, behind a link. For a path without either it is a root that `add_root` named, or
the file's own folder (`.gitattributes`). The path to the root is the user's own and may have links;
a link below the root that `OpenFolder` does not follow raises UnsafePath.
"""

import contextlib
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from unlatch.worklog.disk.folder import OpenFolder, descend
from unlatch.worklog.disk.system import user_number

HOMES = (".unlatch", ".specweave")
_roots: set[str] = set()


def add_root(root: Path) -> None:
    """Name the root of a project that also has files outside of `.unlatch` and `.specweave`."""
    _roots.add(os.fspath(root))


class ListedFolder(OpenFolder):
    """A folder that stays open as long as an entry listed from it is in use.

    `links` are the names that are links.
    """

    __slots__ = ("links",)

    links: frozenset[str]

    # Not in every folder: an interruption that arrives while this runs would be lost.
    def __del__(self) -> None:
        self.__exit__()


def list_folder(path: Path | str) -> tuple[ListedFolder, list[str]]:
    """Open a folder of a project for as long as it is in use; also returns the folders in it."""
    opened = open_folder(path)
    listed = ListedFolder(opened.path, opened.detach())
    folders, links = listed.folders_and_links()
    listed.links = frozenset(links)
    return listed, sorted([*folders, *links])


def open_folder(path: Path | str) -> OpenFolder:
    """Open a folder of a project, or its root."""
    root, steps = _split(os.fspath(path))
    return descend(root, steps)


def opened(folder: Path | OpenFolder) -> AbstractContextManager[OpenFolder]:
    """Open a folder for a block; one that is open already stays open after it."""
    return nullcontext(folder) if isinstance(folder, OpenFolder) else open_folder(folder)


def open_parent(path: Path | str) -> tuple[OpenFolder, str]:
    """Open the parent of a file or folder of a project; also returns the name in it."""
    parent, _, name = os.fspath(path).rpartition(os.sep)
    return open_folder(parent or os.sep), name


def read_file(path: Path | str, *, at_most: int | None = None) -> bytes:
    """The content of a project's file, or its first `at_most` bytes.

    Raises:
        UnsafePath: it, or a folder on the way, is a link.
        StoreError: `not-a-file` or `file-too-large`.
    """
    folder, name = open_parent(path)
    with folder:
        return folder.read(name, at_most=at_most)


def exists(path: Path | str) -> bool:
    """Whether a file or folder of a project exists, a broken link included."""
    try:
        folder, name = open_parent(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    with folder:
        return folder.has(name)


def make_folders(path: Path | str, *, mode: int = 0o777) -> None:
    """Make a folder of a project (FileExistsError), and its parents."""
    root, steps = _split(os.fspath(path))
    if not steps:  # outside of a project; the way to it is the user's own
        os.makedirs(root, mode)  # noqa: PTH103  (it may be a text)
        return
    folder = descend(root, ())
    for step in steps[:-1]:
        with contextlib.suppress(FileExistsError):
            folder.make(step)
        with folder as outer:
            folder = outer.folder(step)
    with folder:
        folder.make(steps[-1], mode=mode)


def remove_empty(path: Path | str) -> None:
    folder, name = open_parent(path)
    with folder:
        folder.remove_folder(name)


def root_of(path: Path | str) -> Path | None:
    """The root of the project that a file is in; None for one outside of a project."""
    root, steps = _split(os.fspath(path))
    return Path(root) if steps else None


def _split(path: str) -> tuple[str, list[str]]:
    """The root that a path begins with, and the steps from there."""
    parts = path.split(os.sep)  # noqa: PTH206  (a Path takes ten times as long)
    for index, part in enumerate(parts):
        if part in HOMES:
            root = os.sep.join(parts[:index])  # noqa: PTH118
            return root or (os.sep if index else os.curdir), parts[index:]
    for root in _roots:
        if path.startswith(root + os.sep):
            return root, path[len(root) + 1 :].split(os.sep)  # noqa: PTH206  (as above)
    return path, []


def word_file(root: Path) -> Path:
    """The file for this user's word in a checkout (`checkout_folder`), always within it."""
    here = root.resolve()
    git = here / ".git"
    # A link, or the file of a worktree, leads to a folder that another checkout can lead to, too.
    is_own = git.is_dir() and not git.is_symlink()
    # Of each user: a checkout can be shared, and the file is readable for its owner alone.
    name = f"unlatch-checkout-{user_number()}"
    return (git if is_own else outside_git(here)) / name


def outside_git(root: Path) -> Path:
    """The folder for that word where git has no folder of its own there."""
    return root.resolve() / HOMES[0] / "local"
