"""Completing and abandoning: the increment's status, and what its items are owed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.domain.increment import BrokenIncrement, Increment, Link
from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner
from unlatch.domain.status import Status
from unlatch.engine.completion import CLEAR, Clearance, check_finished
from unlatch.errors import UsageError
from unlatch.store.links import same_item
from unlatch.store.manager import check_transition
from unlatch.store.outbox import new_operations

if TYPE_CHECKING:
    from unlatch.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Finished:
    """What finishing did, before anything was delivered.

    Args:
        spared: links whose items stay open, with the unfinished increments that need them.
        fresh: the operations that this process has just made.
        clearance: on what terms it was done.
    """

    increment: Increment
    previous: Status
    spared: tuple[tuple[Link, tuple[str, ...]], ...]
    fresh: frozenset[str]
    clearance: Clearance = CLEAR


def finish(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    force: bool = False,
    manner: Manner = AS_CONFIGURED,
) -> Finished:
    """Complete or abandon an increment.

    An item that another unfinished increment links to is not closed. One that has the status
    already is left as it is.

    Args:
        force: complete it although work is open; that is recorded, and needs a reason.

    Raises:
        UsageError: the increment is unknown, or `reason-missing`.
        StoreError: the status table does not allow it, or the files cannot be written.
        WorkOpen: it is to be completed, and its files say that work is left.
    """
    manager = workspace.manager
    before = manager.read(wanted)
    if before.status is to:
        # Said twice, it is done once; what its items are still owed is delivered.
        return Finished(before, before.status, (), frozenset())
    clearance = may_finish(before, to, reason=reason, force=force)
    spared = needed_links(workspace, before)
    after = manager.transition(
        before.id,
        to,
        by=by,
        reason=reason,
        owe=Kind.CLOSE,
        spare=[link for link, _ in spared],
        forced=clearance.forced,
        manner=manner,
    )
    return Finished(after, before.status, spared, new_operations(before, after), clearance)


def may_finish(increment: Increment, to: Status, *, reason: str | None, force: bool) -> Clearance:
    """Make sure that an increment may be finished.

    Raises:
        StoreError: the status table does not allow it.
        WorkOpen: it is to be completed, and its files say that work is left.
        UsageError: `reason-missing`, what is forced has to be explained.
    """
    check_transition(increment, to, reason)
    if to is not Status.COMPLETED:
        return CLEAR
    clearance = check_finished(increment, force=force)
    if clearance.forced and not (reason and reason.strip()):
        raise UsageError(
            "reason-missing",
            f"{increment.id} has open work; completing it all the same has to be explained",
            hint="--reason TEXT says why",
        )
    return clearance


def needed_links(
    workspace: Workspace, increment: Increment
) -> tuple[tuple[Link, tuple[str, ...]], ...]:
    """The links whose items other unfinished increments need, with these increments' ids."""
    if not increment.links:
        return ()
    others = _unfinished(workspace, increment)
    found = ((link, _needing(others, link)) for link in increment.links)
    return tuple((link, needed) for link, needed in found if needed)


def needed_by(workspace: Workspace, increment: Increment, link: Link) -> tuple[str, ...]:
    """The other unfinished increments that link to the same item."""
    return _needing(_unfinished(workspace, increment), link)


def _unfinished(workspace: Workspace, increment: Increment) -> list[Increment]:
    return [
        other
        for other in workspace.manager.list()
        if not isinstance(other, BrokenIncrement)
        and other.id != increment.id
        and not other.status.is_finished
    ]


def _needing(others: list[Increment], link: Link) -> tuple[str, ...]:
    return tuple(
        other.id for other in others if any(same_item(link, theirs) for theirs in other.links)
    )
