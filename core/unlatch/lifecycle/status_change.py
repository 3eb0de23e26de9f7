"""Changes of an increment's status: those that items follow are planned in `finish`.

A change is planned first: a dry run shows the plan, and `apply` decides in the same way for the
increment under its lock.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeAlias

from unlatch.errors import StoreError
from unlatch.increments.files.changes.plans import Intent, Plan, plan_transition
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import (
    APPROVED,
    DEFAULT_ACTIVATION,
    ActivationOptions,
    Approval,
    allow_activation,
    check_activation,
)
from unlatch.lifecycle.change import Outcome, Place
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.delivery.preview import Preview
    from unlatch.delivery.run import SharedItems
    from unlatch.increments.files.changes.plans import IntentDetails
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.lifecycle.completion.evidence import Evidence
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import DeliveryOptions


# The links of items that stay open, with the unfinished increments that need them.
Spared: TypeAlias = "tuple[tuple[Link, tuple[str, ...]], ...]"


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A change of status, with the operations that follow from it.

    Args:
        to: the new status; nothing changes if the increment already has it.
        decide: the change for the increment's present state; raises if there is none.
        delivery: the options of the operations; None as configured.
        approval: what the rules say of it; those for active increments are asked under the lock.
        shared: the increments that share items with it.
        undone: the entries of reopenHistory that an undo marks, the oldest first.
        evidence: the changes since the last reopen, for `complete`.
    """

    subject: Increment
    to: Status
    by: str
    reason: str | None
    decide: Callable[[Increment, Intent], Plan]
    delivery: DeliveryOptions | None = None
    approval: Approval = APPROVED
    activation: ActivationOptions = DEFAULT_ACTIVATION
    spared: Spared = ()
    shared: SharedItems | None = None
    undone: tuple[ReopenEntry, ...] = ()
    evidence: Evidence | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the increment has the status already."""
        return self.subject.status is self.to

    @property
    def items(self) -> frozenset[tuple[str, str]]:
        """The identities of the items to be written to: none, if the increment stays unfinished."""
        if not (self.to.is_finished or self.undone):
            return frozenset()
        from unlatch.increments.records.links import identity, link_of  # noqa: PLC0415

        before, spared = self.subject, [link for link, _ in self.spared]
        links = [link_of(before, operation) for operation in before.pending]
        if not self.is_idle:
            links += [link for link in before.links if link not in spared]
        return frozenset(map(identity, links))

    def preview(self, place: Place) -> Preview:
        """The change for the present state; none if the increment already has the status.

        Raises:
            StoreError: the status table does not allow it.
        """
        from unlatch.delivery.preview import Preview  # noqa: PLC0415  (slow to load)

        before, approval = self.subject, self.approval
        plan = Plan(before, before)
        if not self.is_idle:
            if self.to is Status.ACTIVE:
                approval = check_activation(place.workspace, before, self.activation, wip=place.wip)
            manager, details = place.workspace.manager, self._details(approval, self.spared)
            plan = self.decide(before, manager.intent(by=self.by, reason=self.reason, **details))
        return Preview(plan, (), spared=self.spared, warnings=approval.warnings)

    def apply(self, place: Place) -> Outcome:
        """Make the change; items that other increments need now stay open.

        Raises:
            StoreError: the status table does not allow it, or the limits refuse it, or the files
                cannot be written.
        """
        if self.is_idle:
            return unchanged(self.subject, self.reason)
        workspace, before, spared = place.workspace, self.subject, self.spared
        if place.shared is not None and self.shared is not None:
            spared = place.shared.needed_links(before)
        rules: AbstractContextManager[Approval] = nullcontext(self.approval)
        if self.to is Status.ACTIVE:
            rules = allow_activation(workspace, before, self.activation, wip=place.wip)
        with rules as approval:
            try:
                plan, after = workspace.manager.apply(
                    before.id,
                    self.decide,
                    by=self.by,
                    reason=self.reason,
                    unarchive=not self.to.is_finished,
                    **self._details(approval, spared),
                )
            except StoreError as error:
                joined = join_change(workspace, before, self.to, self.reason, error)
                return replace(joined, spared=spared)
        return Outcome(
            before, after, plan.new, approval.warnings, undone=plan.undone, spared=spared
        )

    def _details(self, approval: Approval, spared: Spared) -> IntentDetails:
        exclude = [link for link, _ in spared]
        return {"options": self.delivery, "exclude": exclude, "forced": approval.forced}

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """The undone reopen, else the items that stay open, and what was overridden or shown."""
        if undone := outcome.undone or self.undone:
            return {"undone": undone[-1].id}
        return {
            "spared": outcome.spared,
            "forced": self.approval.forced,
            "evidence": self.evidence,
            "warnings": outcome.warnings or self.approval.warnings,
        }


def plan_move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
) -> StatusChange:
    """Plan to move an unfinished increment along the status table; no tracker sees that.

    Raises:
        UsageError: the increment is unknown.
        StoreError: it is finished.
    """
    before = workspace.manager.read(wanted).as_recorded
    if before.status.is_finished:
        raise StoreError(
            "finished",
            f"{before.id} is {before.status}; use `unlatch resume` to reopen it",
            hint=f"unlatch resume {quote(before.id)}",
        )

    def decide(now: Increment, intent: Intent) -> Plan:
        return plan_transition(now, to, intent)

    return StatusChange(before, to, by, reason, decide, activation=activation)


def move(workspace: Workspace, wanted: str, to: Status, **options: Any) -> Outcome:
    """Move an increment, with options of `plan_move`; UnlatchError: it is unknown, or may not."""
    return plan_move(workspace, wanted, to, **options).apply(Place(workspace))


def join_change(
    workspace: Workspace, before: Increment, to: Status, reason: str | None, error: StoreError
) -> Outcome:
    """Join the change of another process that came between our read and our lock."""
    if error.id != "transition-refused":
        raise error
    now = workspace.manager.read(before.id)
    if now.status is not to:
        raise error
    return unchanged(now, reason)


def unchanged(now: Increment, reason: str | None) -> Outcome:
    """The result for an increment that has the status already."""
    if reason is None:
        return Outcome(now, now)
    from unlatch.lifecycle.resume_plan import known_reasons  # noqa: PLC0415  (rarely needed)

    return Outcome(now, now, is_reason_lost=reason not in known_reasons(now))
