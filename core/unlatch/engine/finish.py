"""Completing and abandoning: the increment's status, and what its items are owed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.domain.increment import BrokenIncrement, Increment, Link
from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner
from unlatch.store.links import same_item
from unlatch.store.outbox import new_operations

if TYPE_CHECKING:
    from unlatch.domain.status import Status
    from unlatch.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Finished:
    """What finishing did, before anything was delivered.

    Args:
        spared: links whose items stay open, with the unfinished increments that need them.
        fresh: the operations that this process has just made.
    """

    increment: Increment
    previous: Status
    spared: tuple[tuple[Link, tuple[str, ...]], ...]
    fresh: frozenset[str]


def finish(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    manner: Manner = AS_CONFIGURED,
) -> Finished:
    """Complete or abandon an increment.

    An item that another unfinished increment links to is not closed. One that has the status
    already is left as it is.

    Raises:
        UsageError: the increment is unknown.
        StoreError: the status table does not allow it, or the files cannot be written.
    """
    manager = workspace.manager
    before = manager.read(wanted)
    if before.status is to:
        # Said twice, it is done once; what its items are still owed is delivered.
        return Finished(before, before.status, (), frozenset())
    spared = tuple(
        (link, needed) for link in before.links if (needed := needed_by(workspace, before, link))
    )
    after = manager.transition(
        before.id,
        to,
        by=by,
        reason=reason,
        owe=Kind.CLOSE,
        spare=[link for link, _ in spared],
        manner=manner,
    )
    return Finished(after, before.status, spared, new_operations(before, after))


def needed_by(workspace: Workspace, increment: Increment, link: Link) -> tuple[str, ...]:
    """The other unfinished increments that link to the same item."""
    return tuple(
        other.id
        for other in workspace.manager.list()
        if not isinstance(other, BrokenIncrement)
        and other.id != increment.id
        and not other.status.is_finished
        and any(same_item(link, theirs) for theirs in other.links)
    )
