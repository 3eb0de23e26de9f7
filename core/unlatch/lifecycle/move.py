"""Changes of an increment's status that no tracker sees: start, pause, review, backlog."""

from __future__ import annotations

from contextlib import nullcontext
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.changes.plans import Plan, plan_transition
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
    from contextlib import AbstractContextManager

    from unlatch.delivery.preview import Preview
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import DeliveryOptions


@dataclass(frozen=True, slots=True)
class Move:
    """A change of status that no tracker sees."""

    before: Increment
    to: Status
    by: str
    reason: str | None = None
    activation: ActivationOptions = DEFAULT_ACTIVATION

    @property
    def subject(self) -> Increment:
        return self.before

    @property
    def items(self) -> tuple[()]:
        return ()

    @property
    def delivery(self) -> DeliveryOptions:
        from unlatch.spi.operation import AS_CONFIGURED  # noqa: PLC0415  (never delivered)

        return AS_CONFIGURED

    def preview(self, place: Place) -> Preview:
        """The change of status."""
        from unlatch.delivery.preview import Preview  # noqa: PLC0415  (slow to load)

        before, approval = self.before, APPROVED
        if before.status is self.to:
            return Preview(Plan(before, before), ())
        if self.to is Status.ACTIVE:
            approval = check_activation(place.workspace, before, self.activation, wip=place.wip)
        intent = place.workspace.manager.intent(
            by=self.by, reason=self.reason, forced=approval.forced
        )
        plan = plan_transition(before, self.to, intent)
        return Preview(plan, (), warnings=approval.warnings)

    def apply(self, place: Place) -> Outcome:
        """Move the increment along the status table.

        Raises:
            StoreError: the status table does not allow it, or the limits refuse it.
        """
        workspace, before = place.workspace, self.before
        if before.status is self.to:
            return unchanged(before, self.reason)
        rules: AbstractContextManager[Approval] = nullcontext(APPROVED)
        if self.to is Status.ACTIVE:
            rules = allow_activation(workspace, before, self.activation, wip=place.wip)
        with rules as approval:
            try:
                _, after = workspace.manager.apply(
                    before.id,
                    lambda now, intent: plan_transition(now, self.to, intent),
                    by=self.by,
                    reason=self.reason,
                    unarchive=True,
                    forced=approval.forced,
                )
            except StoreError as error:
                return join_change(workspace, before, self.to, self.reason, error)
        return Outcome(before, after, warnings=approval.warnings)

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """The warnings."""
        return {"warnings": outcome.warnings}


def plan_move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
) -> Move:
    """Plan to move an unfinished increment along the status table.

    Raises:
        UsageError: the increment is unknown.
        StoreError: it is finished.
    """
    return Move(_unfinished(workspace, wanted), to, by, reason, activation)


def move(workspace: Workspace, wanted: str, to: Status, **options: Any) -> Outcome:
    """Move an increment, with options of `plan_move`; UnlatchError: it is unknown, or may not."""
    return plan_move(workspace, wanted, to, **options).apply(Place(workspace))


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
