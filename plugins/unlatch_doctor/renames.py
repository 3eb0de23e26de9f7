"""Units that their tools or people renamed, found again in git's history."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.records.units import read_unit
from unlatch.project.git.run import run_git
from unlatch.worklog.record import BadRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# The number of commits that are searched, the newest first.
_COMMITS = "200"


def with_rename(error: StoreError, data: Mapping[str, Any], folder: Path, root: Path) -> StoreError:
    """The error of a vanished unit with the command that follows its rename, if git knows it."""
    if error.id != "unit-vanished":
        return error
    try:
        unit = read_unit(data)
    except BadRecord:
        return error
    new = renamed_to(root, unit.path) if unit else None
    if new is None or (root / folder.parent / new).exists():
        return error
    places = [shlex.quote(str(place.relative_to(root))) for place in (folder, folder.parent / new)]
    message, where = f"{error.message}; git renamed it to {new}", error.where
    return StoreError(error.id, message, where=where, hint=f"git mv {' '.join(places)}")


def renamed_to(root: Path, path: str) -> str | None:
    """The present name of a folder, by the last rename of a file in it; None if git knows none."""
    options = ("--format=", "-M", "--diff-filter=R", "--name-status", "-z", "-n", _COMMITS)
    listed = run_git(root, "log", *options)
    words = os.fsdecode(listed or b"").split("\0")
    for code, old, new in zip(words, words[1:], words[2:], strict=False):
        is_rename = code.strip().startswith("R") and code.strip()[1:].isdigit()
        if is_rename and old.startswith(f"{path}/") and new.endswith(old.removeprefix(path)):
            return new.removesuffix(old.removeprefix(path)).rpartition("/")[2]
    return None
