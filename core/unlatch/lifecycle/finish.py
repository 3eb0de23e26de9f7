"""Completing and abandoning: the increment's status, and what its items are owed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.delivery.run import SharedItems
from unlatch.errors import UsageError
from unlatch.increments.files.manager import checked_reason
from unlatch.increments.files.outbox import new_operations
from unlatch.increments.files.plans import (
    Plan,
    check_transition,
    plan_enqueue,
    plan_transition,
)
from unlatch.increments.model.status import Status
from unlatch.lifecycle.completion import CLEAR, Clearance, check_finished
from unlatch.spi.operation import Kind
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FinishResult:
    """What finishing did, before anything was delivered.

    Args:
        spared: links whose items stay open, with the unfinished increments that need them.
        fresh: the operations that this process has just made.
        clearance: on what terms it was done.
        shared: the increments that share items with it, as they were found.
    """

    increment: Increment
    previous: Status
    spared: tuple[tuple[Link, tuple[str, ...]], ...]
    fresh: frozenset[str]
    clearance: Clearance = CLEAR
    shared: SharedItems | None = None


def finish(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    force: bool = False,
    options: DeliveryOptions = AS_CONFIGURED,
    shared: SharedItems | None = None,
) -> FinishResult:
    """Complete or abandon an increment.

    An item that another unfinished increment links to is not closed. One that has the status
    already is left as it is.

    Args:
        force: complete it although work is open; that is recorded, and needs a reason.
        shared: the other increments, where the caller has read them already.

    Raises:
        UsageError: the increment is unknown, or `reason-missing`.
        StoreError: the status table does not allow it, or the files cannot be written.
        WorkOpen: it is to be completed, and its files say that work is left.
    """
    manager = workspace.manager
    before = manager.read(wanted)
    if before.status is to:
        # Run twice, it is done once; what is still pending is delivered.
        return FinishResult(before, before.status, (), frozenset())
    clearance = check_finish(before, to, reason=reason, force=force)
    shared = shared or SharedItems(manager)
    spared = shared.needed_links(before)
    after = manager.transition(
        before.id,
        to,
        by=by,
        reason=reason,
        enqueue=Kind.CLOSE,
        exclude=[link for link, _ in spared],
        forced=clearance.forced,
        options=options,
    )
    fresh = new_operations(before, after)
    return FinishResult(after, before.status, spared, fresh, clearance, shared)


def check_finish(increment: Increment, to: Status, *, reason: str | None, force: bool) -> Clearance:
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


def plan_finish(
    workspace: Workspace,
    increment: Increment,
    to: Status,
    *,
    by: str,
    reason: str | None,
    options: DeliveryOptions = AS_CONFIGURED,
) -> tuple[Plan, tuple[tuple[Link, tuple[str, ...]], ...]]:
    """What finishing would come to, and the links whose items would be spared.

    Raises:
        StoreError: the status table does not allow it.
        UsageError: the reason is blank or too long.
    """
    if increment.status is to:
        return plan_enqueue(increment), ()
    reason = None if reason is None else checked_reason(reason)
    spared = SharedItems(workspace.manager).needed_links(increment)
    exclude = [link for link, _ in spared]
    intent = workspace.manager.intent(by=by, reason=reason, options=options, exclude=exclude)
    return plan_transition(increment, to, intent, enqueue=Kind.CLOSE), spared
