"""Changes of an increment's status that no tracker sees: start, pause, review, backlog."""

from __future__ import annotations

from contextlib import nullcontext
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.plans import Plan, plan_transition
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import (
    APPROVED,
    DEFAULT_ACTIVATION,
    ActivationOptions,
    Approval,
    allow_activation,
    check_activation,
)
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.lifecycle.activation_guard import WipSnapshot
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """A change of status, before anything was delivered.

    Args:
        fresh: the operations that this process has just enqueued.
        undone: the entries of reopenHistory that an undo marked, the oldest first.
        is_reason_lost: whether it had the status already, and has no record of this reason.
    """

    before: Increment
    increment: Increment
    fresh: frozenset[str] = frozenset()
    approval: Approval = APPROVED
    undone: tuple[ReopenEntry, ...] = ()
    is_reason_lost: bool = False


def move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
) -> ChangeResult:
    """Move an unfinished increment along the status table, without a change on trackers.

    Raises:
        UsageError: the increment is unknown.
        StoreError: it is finished, the status table does not allow it, or the limits refuse it.
    """
    before = _unfinished(workspace, wanted)
    if before.status is to:
        return unchanged(before, reason)
    is_active = to is Status.ACTIVE
    rules = allow_activation(workspace, before, activation) if is_active else nullcontext(APPROVED)
    with rules as approval:
        try:
            _, after = workspace.manager.apply(
                before.id,
                lambda now, intent: plan_transition(now, to, intent),
                by=by,
                reason=reason,
                unarchive=True,
                forced=approval.forced,
            )
        except StoreError as error:
            return join_change(workspace, before, to, reason, error)
    return ChangeResult(before, after, approval=approval)


def preview_move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
    wip: WipSnapshot | None = None,
) -> tuple[Plan, Approval]:
    """The change that `move` would make; raises as it.

    Args:
        wip: the increments as earlier moves of the same command would leave them.
    """
    before = _unfinished(workspace, wanted)
    if before.status is to:
        return Plan(before, before), APPROVED
    approval = APPROVED
    if to is Status.ACTIVE:
        approval = check_activation(workspace, before, activation, wip=wip)
    intent = workspace.manager.intent(by=by, reason=reason, forced=approval.forced)
    return plan_transition(before, to, intent), approval


def _unfinished(workspace: Workspace, wanted: str) -> Increment:
    before = workspace.manager.read(wanted).as_recorded
    if before.status.is_finished:
        raise StoreError(
            "finished",
            f"{before.id} is {before.status}; use `unlatch resume` to reopen it",
            hint=f"unlatch resume {quote(before.id)}",
        )
    return before


def join_change(
    workspace: Workspace, before: Increment, to: Status, reason: str | None, error: StoreError
) -> ChangeResult:
    """Join the change of another process that came between our read and our lock."""
    if error.id != "transition-refused":
        raise error
    now = workspace.manager.read(before.id)
    if now.status is not to:
        raise error
    return unchanged(now, reason)


def unchanged(now: Increment, reason: str | None) -> ChangeResult:
    """The result for an increment that has the status already."""
    if reason is None:
        return ChangeResult(now, now)
    from unlatch.lifecycle.resume_plan import known_reasons  # noqa: PLC0415  (rarely needed)

    return ChangeResult(now, now, is_reason_lost=reason not in known_reasons(now))
