"""The increments that a command can act on: for a choice at the terminal, and for completion."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from unlatch.project.workspace import Workspace

# The order in which increments are likely to be resumed.
_RESUMED = (Status.COMPLETED, Status.ABANDONED, Status.PAUSED)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _can_show(_one: Increment) -> bool:
    return True


def _can_move(to: Status, increment: Increment) -> bool:
    return not (increment.archived or increment.status.is_finished) and increment.status.can_become(
        to
    )


def _can_resume(increment: Increment) -> bool:
    return increment.status is not Status.ACTIVE or bool(increment.pending)


_ACTS: Mapping[str, Callable[[Increment], bool]] = {
    "resume": _can_resume,
    "reopen": _can_resume,
    "complete": partial(_can_move, Status.COMPLETED),
    "abandon": partial(_can_move, Status.ABANDONED),
    "pause": partial(_can_move, Status.PAUSED),
    "start": partial(_can_move, Status.ACTIVE),
    "review": partial(_can_move, Status.READY_FOR_REVIEW),
    "backlog": partial(_can_move, Status.BACKLOG),
    "undo": lambda increment: bool(increment.effective_reopens),
    "unlink": lambda increment: bool(increment.links),
}
_NONE = {
    "resume": "every increment is active",
    "reopen": "every increment is active",
    "undo": "no increment was reopened",
    "unlink": "no increment has an item",
}


def find_candidates(
    workspace: Workspace, command: str, *, begins: str = "", without: Iterable[str] = ()
) -> Iterator[Increment]:
    """The increments that a command can act on, by name, the archived ones last.

    Args:
        command: its name; one that is not listed here can act on all.
        begins: the beginning of their names.
        without: names to leave out.

    Raises:
        StoreError: the increments cannot be listed.
    """
    acts, seen = _ACTS.get(command, _can_show), set(without)
    folders = (
        folder
        for folder in workspace.manager.collection.folders()
        if folder.name.startswith(begins)
    )
    for increment in workspace.manager.each(folders):
        if isinstance(increment, Increment) and increment.id not in seen and acts(increment):
            seen.add(increment.id)
            yield increment


def why_none(command: str) -> str:
    """Why a command can act on none of the increments of a project."""
    if isinstance(acts := _ACTS.get(command), partial):
        statuses = [
            status
            for status in Status
            if not status.is_finished and status.can_become(acts.args[0])
        ]
        return f"no increment is {' or '.join(statuses)}"
    return _NONE.get(command, "no increment can be read")


def likely_first(candidates: Iterable[Increment], command: str) -> list[Increment]:
    """Candidates in the order of a choice: the last active first, for resume by status."""
    recent = sorted(
        candidates, key=lambda increment: increment.last_activity or increment.created or _LONG_AGO
    )
    recent.reverse()
    if command not in ("resume", "reopen"):
        return sorted(recent, key=lambda increment: increment.archived)
    ranks = {status: rank for rank, status in enumerate(_RESUMED)}
    return sorted(
        recent, key=lambda increment: (ranks.get(increment.status, len(ranks)), increment.archived)
    )
