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
    return any(_has(branch, name) for name in _names(increment))


def increment_of_branch(workspace: Workspace, branch: str, folder: str) -> str | None:
    """The only increment that a branch, or the folder of an agent, names.

    A whole name goes before a number, and that before the words of a name. One word alone is too
    little: `login` is in the names of many branches.
    """
    try:
        places = workspace.manager.places()
    except (UnlatchError, OSError):
        return None
    increments, parts = {*places.values()}, Path(folder).parts
    ways = (
        {name for path, name in places.items() if path.parts == parts[: len(path.parts)]},
        {
            increment
            for increment in increments
            if any(_has(text, increment) for text in (branch, *parts))
        },
        {increment for increment in increments if _has(branch, _names(increment)[1])},
        {
            increment
            for increment in increments
            if "-" in (words := _names(increment)[2]) and _has(branch, words)
        },
    )
    matches = next(filter(None, ways), ())
    return next(iter(matches)) if len(matches) == 1 else None


def _names(increment: str) -> tuple[str, str, str]:
    number, _, words = increment.partition("-")
    return increment, number, words


def _has(text: str, name: str) -> bool:
    return bool(name and re.search(rf"(?<![0-9A-Za-z]){re.escape(name)}(?![0-9A-Za-z])", text))
