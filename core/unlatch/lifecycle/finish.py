"""Plan the changes of an increment's status that items follow: complete, abandon, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.files.changes.plans import Intent, Plan, plan_transition
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import APPROVED, Approval
from unlatch.lifecycle.status_change import StatusChange
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind

if TYPE_CHECKING:
    from unlatch.delivery.run import SharedItems
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.completion.evidence import Evidence
    from unlatch.project.workspace import Workspace


def plan_finish(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    force: bool = False,
    options: DeliveryOptions = AS_CONFIGURED,
    shared: SharedItems | None = None,
) -> StatusChange:
    """Plan to complete or abandon an increment, and to close its items.

    An item that another unfinished increment links to is not closed. Of several increments with the
    same `shared`, the last one closes an item that they share.

    Raises:
        UsageError: the increment is unknown, or the reason is too long.
        UnlatchError: the table of statuses forbids it, work is open, or a reason is missing.
    """
    from unlatch.increments.model.reason import checked_reason  # noqa: PLC0415

    before = workspace.manager.read(wanted).as_recorded
    if shared is None:
        from unlatch.delivery.run import SharedItems  # noqa: PLC0415  (slow to load)

        shared = SharedItems.of(workspace)
    workspace.check_links(before)
    is_done = before.status is to
    reason = None if reason is None else checked_reason(reason)
    approval, evidence = APPROVED, None
    if not is_done:
        approval, evidence = _check_finish(workspace, before, to, reason=reason, force=force)
    spared = () if is_done else shared.needed_links(before)
    if to.is_finished:
        shared.finished.add(before.id)

    def decide(before: Increment, intent: Intent) -> Plan:
        return plan_transition(before, to, intent, enqueue=Kind.CLOSE)

    return StatusChange(
        *(before, to, by, reason, decide, options, approval),
        spared=spared,
        shared=shared,
        evidence=evidence,
    )


def _check_finish(
    workspace: Workspace, before: Increment, to: Status, *, reason: str | None, force: bool
) -> tuple[Approval, Evidence | None]:
    # These load git, and most commands that change a status do not complete.
    from unlatch.lifecycle.completion.evidence import find_evidence, weigh_evidence  # noqa: PLC0415
    from unlatch.lifecycle.completion.finish_check import check_finish  # noqa: PLC0415

    approval = check_finish(before, to, reason=reason, force=force)
    if to is not Status.COMPLETED:
        return approval, None
    evidence = find_evidence(workspace, before)
    return weigh_evidence(
        workspace, before, evidence, approval, reason=reason, force=force
    ), evidence


def plan_undo_reopen(
    workspace: Workspace,
    wanted: str,
    *,
    by: str,
    reason: str | None = None,
    options: DeliveryOptions = AS_CONFIGURED,
    shared: SharedItems | None = None,
) -> StatusChange:
    """Plan to undo the last reopen.

    Raises:
        UsageError: the increment is unknown, or the reason is blank or too long.
        StoreError: `nothing-to-undo`.
    """
    from unlatch.increments.files.changes.undo import plan_undo, undoable  # noqa: PLC0415
    from unlatch.increments.model.reason import checked_reason  # noqa: PLC0415

    before = workspace.manager.read(wanted).as_recorded
    workspace.check_links(before)
    reason = None if reason is None else checked_reason(reason)
    entries = undoable(before)
    to = entries[-1].previous_status
    if shared is not None:
        shared.finished.add(before.id)
    return StatusChange(before, to, by, reason, plan_undo, options, undone=entries)
