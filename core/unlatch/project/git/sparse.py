"""The files and increments that a sparse checkout leaves out."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from unlatch.increments.files.paths import ProjectPaths, may_be_sparse
from unlatch.project.git.run import run_git
from unlatch.worklog.ids import has_number

# `git ls-files -t` marks files that git keeps out of the work tree.
_LEFT_OUT = "S"


def sparse_files(root: Path, folder: Path) -> dict[str, str]:
    """The files below a folder that git keeps out of the work tree, with their ids in its index.

    Paths are from the root. A file that lies there all the same is among them.
    """
    if not may_be_sparse(root):
        return {}
    below = folder.relative_to(root).as_posix()
    listed = run_git(root, "ls-files", "-t", "--stage", "-z", "--", below)
    entries = (entry.partition("\t") for entry in os.fsdecode(listed or b"").split("\0") if entry)
    named = ((path, about.split()) for about, _, path in entries)
    return {path: blob for path, (tag, _, blob, _) in named if tag == _LEFT_OUT}


def sparse_increments(paths: ProjectPaths) -> dict[str, PurePosixPath]:
    """The increments that git has, and that are not in this sparse checkout.

    Their folders, as paths from the root, by name.
    """
    place = PurePosixPath(paths.increments.relative_to(paths.root).as_posix())
    folders: dict[str, PurePosixPath] = {}
    for file in sparse_files(paths.root, paths.increments):
        first, *others = PurePosixPath(file).relative_to(place).parts
        name = others[0] if first.startswith("_") and others else first
        folder = place / first / name if name != first else place / first
        # Of an increment that is checked out in part, other checks report what is missing.
        if has_number(name) and not os.path.lexists(paths.root / folder):
            folders[name] = folder
    return folders


def sparse_note(paths: ProjectPaths) -> Iterator[str]:
    """What a sparse checkout leaves out, if anything, and how to add it."""
    if names := sparse_increments(paths):
        yield sparse_line(paths, names)


def sparse_line(paths: ProjectPaths, names: Collection[str], effect: str = "") -> str:
    many = f"{len(names)} increments are" if len(names) > 1 else f"{next(iter(names))} is"
    return f"{many} not in this sparse checkout{effect}; {sparse_command(paths)} adds them"


def sparse_command(paths: ProjectPaths) -> str:
    """The command that adds the increments to a sparse checkout."""
    return f"git sparse-checkout add {paths.increments.relative_to(paths.root).as_posix()}"
