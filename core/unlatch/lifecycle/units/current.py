"""The unit that a tool works on, where a file of the tool names one."""

from __future__ import annotations

from os.path import relpath
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.work.files import files_of
from unlatch.increments.layouts.interface import OneAtATime
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class OtherUnit:
    """The unit that a tool works on: the title of the tool, and the path from the root."""

    tool: str
    path: str


def other_current(workspace: Workspace, increment: Increment) -> OtherUnit | None:
    """The unit that the tool of an increment works on, if that is another one."""
    layout, unit, root = files_of(increment).layout, increment.unit, workspace.paths.root
    if unit is None or not isinstance(layout, OneAtATime):
        return None
    current = layout.current(root)
    if current is None or current in (unit.place, layout.home(unit)):
        return None
    return OtherUnit(layout.title, relpath(current, root))


def settle_current(
    workspace: Workspace, increment: Increment, *, wanted: bool
) -> StoreError | None:
    """Let the tool work on the unit of an increment if it is `wanted`.

    Returns:
        Else a note that names the unit that the tool works on, if that is another one.

    Raises:
        UsageError: `current-unsupported`: the tool names none.
        StoreError: `current-not-set`, or the file cannot be written.
    """
    if wanted:
        path, text = check_current(workspace, increment)
        replace_file(path, text.encode())
        return None
    other = other_current(workspace, increment)
    if other is None:
        return None
    command = f"unlatch resume {quote(increment.id)} --current"
    message = f"{other.tool} works on {other.path}; to let it work on this one: {command}"
    return StoreError("current-differs", message, where=increment.id)


def check_current(workspace: Workspace, increment: Increment) -> tuple[Path, str]:
    """The file of the tool, and its text once it names the unit of an increment.

    Raises:
        UsageError: `current-unsupported`: the tool names none.
        StoreError: `current-not-set`: the file is missing, or not as the tool writes it.
    """
    layout, unit = files_of(increment).layout, increment.unit
    if unit is None or not isinstance(layout, OneAtATime):
        message = f"{layout.title} keeps no current unit in a file"
        hint = "leave --current out"
        raise UsageError("current-unsupported", message, where=increment.id, hint=hint)
    named = layout.naming(workspace.paths.root, layout.home(unit))
    if named is None:
        message = f"its file is missing, or is not as {layout.title} writes it"
        hint = "leave --current out, and name the unit to the tool yourself"
        raise StoreError("current-not-set", message, where=increment.id, hint=hint)
    return named
