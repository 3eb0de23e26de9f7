"""Resuming increments, whatever their status: one, or many for one reason.

A `ResumePlan` is the one decision about an increment. The prompt and the dry run show it, and
`apply_resume` carries it out, for the increment as it is then under its lock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.plans import IntentDetails, plan_enqueue, plan_reopen, plan_transition
from unlatch.increments.model.reopening import checked_reason
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle import scope
from unlatch.lifecycle.activation_guard import (
    DEFAULT_ACTIVATION,
    ActivationOptions,
    allow_activation,
    check_activation,
    lock_activation,
)
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.increments.files.plans import Intent, Plan
    from unlatch.increments.model.increment import Amendment, Increment, Link, ReopenEntry
    from unlatch.lifecycle.activation_guard import Approval, WipSnapshot
    from unlatch.lifecycle.scope import Scope
    from unlatch.project.workspace import Workspace

# Stands for the reason in a preview where none has been given yet.
NO_REASON = "(the reason)"


class ResumeStep(StrEnum):
    """The effect of resuming an increment."""

    REOPEN = "reopen"
    ACTIVATE = "activate"
    REVIVE = "revive"
    DELIVER = "deliver"
    NOTHING = "nothing"
    AMEND = "amend"


_STEPS = {Status.COMPLETED: ResumeStep.REOPEN, Status.ABANDONED: ResumeStep.REVIVE}
_ACTIVE = (ResumeStep.DELIVER, ResumeStep.NOTHING)


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """The options of a resume.

    Args:
        reason: needed where the increment is finished.
        amendment: a change of its work. With a reopen it is one intent; for any other increment it
            follows the change of status.
    """

    by: str
    reason: str | None = None
    reopen_items: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    activation: ActivationOptions = DEFAULT_ACTIVATION
    amendment: Amendment | None = None


@dataclass(frozen=True, slots=True)
class ResumePlan:
    """The decision how an increment is resumed."""

    before: Increment
    request: ResumeRequest

    @property
    def step(self) -> ResumeStep:
        """The effect of the plan."""
        if self.before.status is Status.ACTIVE:
            return ResumeStep.DELIVER if self.before.pending else ResumeStep.NOTHING
        return _STEPS.get(self.before.status, ResumeStep.ACTIVATE)

    @property
    def reopens_items(self) -> bool:
        """Whether the items are reopened: abandoning closed them on purpose."""
        is_revive = self.step is ResumeStep.REVIVE and self.request.reopen_items
        return self.step is ResumeStep.REOPEN or is_revive

    @property
    def spared(self) -> tuple[Link, ...]:
        """The links whose items are left alone: those of stories that no amendment touches."""
        amendment = self.request.amendment
        return scope.spared_by(self.before, amendment) if amendment else ()

    @property
    def items(self) -> frozenset[tuple[str, str]]:
        """The identities of the items that are written to."""
        links = [link_of(self.before, operation) for operation in self.before.pending]
        links += self.before.links if self.reopens_items else ()
        return frozenset(map(identity, links))

    def details(self, approval: Approval | None = None) -> IntentDetails:
        """The options of the operations, and the facts to record."""
        options = self.request.options
        if self.step is ResumeStep.REVIVE and self.reopens_items:
            options = replace(options, even_if_not_planned=True)
        details: IntentDetails = {"options": options}
        if self.step is ResumeStep.REOPEN:
            details["exclude"] = self.spared
        if approval is not None:
            details["forced"] = approval.forced
            details["category"] = approval.category
        return details

    def decide(self, workspace: Workspace, before: Increment, intent: Intent) -> Plan:
        """The change of the increment as it is then; raises where the plan does not fit it."""
        if self.step in _ACTIVE:
            return plan_enqueue(before)
        if self.step is not ResumeStep.REOPEN:
            kind = Kind.REOPEN if self.reopens_items else None
            return plan_transition(before, Status.ACTIVE, intent, enqueue=kind)
        amendment = self.request.amendment
        if amendment is None:
            return plan_reopen(before, intent)
        amended = scope.amended_by(intent, amendment)
        more = scope.updates_for(workspace, before, amended)
        return plan_reopen(before, intent, amendment=amendment, more=more)

    def preview(self, workspace: Workspace) -> tuple[Plan, Scope | None]:
        """The change as it would be made now, and its change of the work."""
        request, reason = self.request, self.request.reason
        if self.before.status.is_finished and reason is None:
            reason = NO_REASON
        intent = workspace.manager.intent(by=request.by, reason=reason, **self.details())
        plan = self.decide(workspace, self.before, intent)
        if request.amendment is None:
            return plan, None
        if plan.entry is not None:
            return plan, scope.scope_of(plan.after, plan.entry.id)
        # A change of status before it has an intent of its own.
        intent = replace(intent, op=workspace.new_id(), options=request.options)
        return scope.plan_amendment_of_active(workspace, plan, intent, request.amendment)

    def check_rules(self, workspace: Workspace, *, is_asked: bool = False) -> Approval:
        """Check the project's rules, as `check_activation`, before a prompt or a dry run."""
        activation = replace(self.request.activation, is_asked=is_asked)
        return check_activation(workspace, self.before, activation)


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """The result for one increment, before anything was delivered.

    Args:
        fresh: the operations that this process has just made.
        outrun: whether another process made it active at the same moment; the reason given here
            was not recorded.
        warnings: rule violations that did not refuse it.
        is_known: whether the change of its work was left out, because it had been made before.
        error: why it was refused, where many are resumed; nothing was changed then.
    """

    before: Increment
    increment: Increment
    step: ResumeStep
    entry: ReopenEntry | None = None
    fresh: frozenset[str] = frozenset()
    outrun: bool = False
    warnings: tuple[UnlatchError, ...] = ()
    scope: Scope | None = None
    is_known: bool = False
    error: UnlatchError | None = None


def plan_resume(increment: Increment, request: ResumeRequest) -> ResumePlan:
    """Plan to resume an increment; raises where the reason is blank or too long."""
    if request.reason is not None:
        request = replace(request, reason=checked_reason(request.reason))
    return ResumePlan(increment, request)


def apply_resume(
    workspace: Workspace, plan: ResumePlan, *, wip: WipSnapshot | None = None
) -> ResumeResult:
    """Make an increment active, and enqueue the operations for its items.

    Args:
        wip: the count of active increments, where many are resumed one after the other.

    Raises:
        UsageError: a reason is missing, or its category.
        StoreError: the files cannot be read or written, or the rules refuse it; nothing was
            changed.
    """
    manager, request = workspace.manager, plan.request
    plan = replace(plan, before=manager.read(plan.before.id))
    before, step = plan.before, plan.step
    if step in _ACTIVE:
        is_unfinished = before.archived or before.unwritten
        now = manager.unarchive(before.id) if is_unfinished else before
        return _amend(workspace, ResumeResult(before, now, step), request)
    with allow_activation(workspace, before, request.activation, wip=wip) as approval:
        try:
            reason = checked_reason(request.reason or "") if step is ResumeStep.REOPEN else None
            made, after = manager.apply(
                before.id,
                lambda now, intent: plan.decide(workspace, now, intent),
                by=request.by,
                reason=reason or request.reason,
                unarchive=True,
                **plan.details(approval),
            )
        except StoreError as error:
            if error.id not in ("not-completed", "transition-refused"):
                raise
            result = _join(workspace, plan, error)
        else:
            warnings = approval.warnings
            result = ResumeResult(before, after, step, made.entry, made.new, warnings=warnings)
    return _amend(workspace, result, request)


def resume(workspace: Workspace, wanted: str, request: ResumeRequest) -> ResumeResult:
    """Resume one increment by name, without a question."""
    return apply_resume(workspace, plan_resume(workspace.manager.read(wanted), request))


def resume_many(
    workspace: Workspace, plans: Iterable[ResumePlan], report: Callable[[ResumeResult], None]
) -> tuple[ResumeResult, ...]:
    """Resume increments one after the other.

    One that is refused keeps none of the others. What was done is on disk when it is reported, so
    after an interruption the same command continues with those that are left.
    """
    done: list[ResumeResult] = []
    with lock_activation(workspace) as wip:
        for plan in plans:
            before = plan.before
            try:
                one = apply_resume(workspace, plan, wip=wip)
            except UnlatchError as error:
                one = ResumeResult(before, before, plan.step, error=error)
            else:
                if wip is not None:
                    wip.pop(before.folder, None)  # it may have left the archive
                    wip[one.increment.folder] = one.increment
            done.append(one)
            report(one)
    return tuple(done)


def _amend(workspace: Workspace, done: ResumeResult, request: ResumeRequest) -> ResumeResult:
    """Change the work of an active increment, where a reopen did not do so along with it."""
    amendment = request.amendment
    if amendment is None:
        return done
    before = done.increment
    if done.entry is not None:
        return replace(done, scope=scope.scope_of(before, done.entry.id))
    if scope.is_known(before, amendment):
        return replace(done, is_known=True)
    intent = workspace.manager.intent(by=request.by, reason=request.reason, options=request.options)
    after, fresh = scope.amend_active(workspace, before, intent, amendment)
    return replace(
        done,
        increment=after,
        step=ResumeStep.AMEND if done.step in _ACTIVE else done.step,
        fresh=done.fresh | fresh,
        scope=scope.scope_of(after, intent.op),
    )


def _join(workspace: Workspace, plan: ResumePlan, error: StoreError) -> ResumeResult:
    """Help to deliver the resume of another process, between our look and our lock."""
    now = workspace.manager.read(plan.before.id)
    if now.status is not Status.ACTIVE:
        raise error
    return ResumeResult(now, now, replace(plan, before=now).step, outrun=True)
