"""Changes of an increment's status that items follow: complete, abandon, undo.

A change is planned first: a dry run shows the plan, and `apply_change` decides in the same way for
the increment under its lock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.delivery.preview import Preview
from unlatch.errors import StoreError
from unlatch.increments.files.changes.plans import Plan, plan_transition
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.activation_guard import APPROVED, Approval
from unlatch.lifecycle.change import Outcome, Place
from unlatch.lifecycle.move import join_change, unchanged
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.delivery.run import SharedItems
    from unlatch.increments.files.changes.plans import Intent, IntentDetails
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.lifecycle.completion.evidence import Evidence
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A change of status, with the operations that follow from it.

    Args:
        to: the new status; nothing changes if the increment already has it.
        decide: the change for the increment's present state; raises if there is none.
        spared: links whose items stay open, with the unfinished increments that need them.
        shared: the increments that share items with it.
        undone: the entries of reopenHistory that an undo marks, the oldest first.
        evidence: the changes since the last reopen, for `complete`.
    """

    before: Increment
    to: Status
    by: str
    reason: str | None
    decide: Callable[[Increment, Intent], Plan]
    details: IntentDetails
    approval: Approval = APPROVED
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    shared: SharedItems | None = None
    undone: tuple[ReopenEntry, ...] = ()
    evidence: Evidence | None = None

    @property
    def subject(self) -> Increment:
        return self.before

    @property
    def items(self) -> frozenset[tuple[str, str]]:
        """The identities of the items to be written to."""
        before, spared = self.before, [link for link, _ in self.spared]
        links = [link_of(before, operation) for operation in before.pending]
        if before.status is not self.to:
            links += [link for link in before.links if link not in spared]
        return frozenset(map(identity, links))

    @property
    def delivery(self) -> DeliveryOptions:
        return self.details["options"]

    def preview(self, place: Place) -> Preview:
        """The change for the present state; none if the increment already has the status.

        Raises:
            StoreError: the status table does not allow it.
        """
        plan = Plan(self.before, self.before)
        if self.before.status is not self.to:
            manager = place.workspace.manager
            intent = manager.intent(by=self.by, reason=self.reason, **self.details)
            plan = self.decide(self.before, intent)
        return Preview(plan, (), spared=self.spared, warnings=self.approval.warnings)

    def apply(self, place: Place) -> Outcome:
        """Make the change, with the items that other increments need now; as `apply_change`."""
        plan = self if place.shared is None else self.share_again(place.shared)
        return replace(apply_change(place.workspace, plan), spared=plan.spared)

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """The undone reopen, else the items that stay open, and what was overridden or shown."""
        if undone := outcome.undone or self.undone:
            return {"undone": undone[-1].id}
        return {
            "spared": outcome.spared,
            "forced": self.approval.forced,
            "evidence": self.evidence,
            "warnings": self.approval.warnings,
        }

    def share_again(self, shared: SharedItems) -> StatusChange:
        """The plan with the items that other increments need now."""
        if self.shared is None or self.before.status is self.to:
            return self
        spared = shared.needed_links(self.before)
        details: IntentDetails = {**self.details, "exclude": [link for link, _ in spared]}
        return replace(self, spared=spared, details=details, shared=shared)


def apply_change(workspace: Workspace, plan: StatusChange) -> Outcome:
    """Make a change; an increment that already has the status stays as it is.

    Raises:
        StoreError: the status table does not allow it any more, or the files cannot be written.
    """
    before, reason, manager = plan.before, plan.reason, workspace.manager
    if before.status is plan.to:
        return unchanged(before, reason)
    unarchive = not plan.to.is_finished
    try:
        plan_made, after = manager.apply(
            before.id, plan.decide, by=plan.by, reason=reason, unarchive=unarchive, **plan.details
        )
    except StoreError as error:
        return join_change(workspace, before, plan.to, reason, error)
    return Outcome(before, after, plan_made.new, plan.approval.warnings, undone=plan_made.undone)


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
    from unlatch.spi.operation import Kind  # noqa: PLC0415

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
    details: IntentDetails = {
        "options": options,
        "exclude": [link for link, _ in spared],
        "forced": approval.forced,
    }

    def decide(before: Increment, intent: Intent) -> Plan:
        return plan_transition(before, to, intent, enqueue=Kind.CLOSE)

    return StatusChange(
        before, to, by, reason, decide, details, approval, spared, shared, evidence=evidence
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
    return StatusChange(before, to, by, reason, plan_undo, {"options": options}, undone=entries)
