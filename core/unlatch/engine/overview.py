"""What is owed, how often it was tried, and what git does not know of yet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.engine.git import ask_git
from unlatch.store.attempts import Tried, key_of, read_attempts
from unlatch.store.layout import METADATA
from unlatch.store.records import BadRecord, read_pending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Increment
    from unlatch.domain.operation import Operation
    from unlatch.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Owed:
    """An operation that waits, with what was tried on this machine.

    Args:
        tried: the attempts here; None if there was none, or the record of it was deleted.
    """

    increment: Increment
    operation: Operation
    tried: Tried | None

    @property
    def cause(self) -> str | None:
        """The id of the error that it last ended with, if one is known."""
        return self.operation.cause or (self.tried.cause if self.tried else None)


def owed(workspace: Workspace, increments: Iterable[Increment]) -> list[Owed]:
    """All operations that wait, oldest first for each increment."""
    found = []
    for increment in increments:
        if increment.pending:
            attempts = read_attempts(workspace.layout, increment.id)
            found += [
                Owed(increment, operation, attempts.get(key_of(operation)))
                for operation in increment.pending
            ]
    return found


def not_recorded(workspace: Workspace, increments: Iterable[Increment]) -> list[Owed]:
    """Operations that were delivered here while git's last commit still has them pending.

    Where the result cannot be committed (a CI job without the right to push), the next clone finds
    them pending, asks the items, and sends nothing.
    """
    changed = _changed(workspace)
    found = []
    for increment in increments:
        path = (increment.folder / METADATA).relative_to(workspace.layout.root).as_posix()
        if path in changed:
            left = {key_of(operation) for operation in increment.pending}
            found += [
                Owed(increment, operation, None)
                for operation in _committed(workspace, path)
                if key_of(operation) not in left
            ]
    return found


def _changed(workspace: Workspace) -> frozenset[str]:
    told = ask_git(workspace.layout.root, "diff", "--name-only", "--relative", "-z", "HEAD", "--")
    return frozenset((told or "").split("\0"))


def _committed(workspace: Workspace, path: str) -> tuple[Operation, ...]:
    raw = ask_git(workspace.layout.root, "show", f"HEAD:./{path}")
    try:
        data = json.loads(raw or "{}")
        return read_pending(data) if isinstance(data, dict) else ()
    except (ValueError, BadRecord):
        return ()
