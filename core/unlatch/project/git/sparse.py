"""The increments that a sparse checkout leaves out."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from unlatch.increments.files.paths import ProjectPaths, may_be_sparse
from unlatch.project.git.run import run_git
from unlatch.worklog.ids import has_number

# `git ls-files -t` marks files that git keeps out of the work tree.
_LEFT_OUT = "S "


def sparse_increments(paths: ProjectPaths) -> list[str]:
    """The names of the increments that git has, and that are not in this sparse checkout."""
    if not may_be_sparse(paths.root):
        return []
    place = paths.increments.relative_to(paths.root).as_posix()
    listed = os.fsdecode(run_git(paths.root, "ls-files", "-t", "-z", "--", place) or b"")
    files = (one.removeprefix(_LEFT_OUT) for one in listed.split("\0") if one[:2] == _LEFT_OUT)
    found: dict[str, None] = {}
    for file in files:
        first, *others = Path(file).relative_to(place).parts
        name = others[0] if first.startswith("_") and others else first
        # Of an increment that is checked out in part, other checks report what is missing.
        folder = Path(first, name) if name != first else Path(first)
        if has_number(name) and not os.path.lexists(paths.increments / folder):
            found[name] = None
    return [*found]


def sparse_note(paths: ProjectPaths) -> Iterator[str]:
    """What a sparse checkout leaves out, if anything, and how to add it."""
    if names := sparse_increments(paths):
        yield sparse_line(paths, names)


def sparse_line(paths: ProjectPaths, names: Sequence[str], effect: str = "") -> str:
    place = paths.increments.relative_to(paths.root).as_posix()
    many = f"{len(names)} increments are" if len(names) > 1 else f"{names[0]} is"
    return f"{many} not in this sparse checkout{effect}; git sparse-checkout add {place} adds them"
