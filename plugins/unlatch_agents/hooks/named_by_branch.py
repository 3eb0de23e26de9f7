"""The increment that a branch or a folder names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from unlatch.project.workspace import Workspace


def is_named(increment: str, branch: str) -> bool:
    """Whether a branch has the name of an increment, its number as the folder has it, or words."""
    return any(_has(branch, one) for one in _names(increment))


def increment_of_branch(workspace: Workspace, branch: str, folder: str) -> str | None:
    """The only increment that a branch, or the folder of an agent, names.

    A whole name goes before a number, and that before the words of a name. One word alone is too
    little: `login` is in the names of many branches.
    """
    try:
        places = workspace.manager.places()
    except (UnlatchError, OSError):
        return None
    known, parts = {*places.values()}, Path(folder).parts
    ways = (
        {name for path, name in places.items() if path.parts == parts[: len(path.parts)]},
        {one for one in known if any(_has(text, one) for text in (branch, *parts))},
        {one for one in known if _has(branch, _names(one)[1])},
        {one for one in known if "-" in (words := _names(one)[2]) and _has(branch, words)},
    )
    found = next(filter(None, ways), ())
    return next(iter(found)) if len(found) == 1 else None


def _names(increment: str) -> tuple[str, str, str]:
    number, _, words = increment.partition("-")
    return increment, number, words


def _has(text: str, name: str) -> bool:
    return bool(name and re.search(rf"(?<![0-9A-Za-z]){re.escape(name)}(?![0-9A-Za-z])", text))
