"""Resuming increments, whatever their status: one, or many for one reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.plans import (
    Intent,
    Plan,
    new_operations,
    plan_enqueue,
    plan_reopen,
    plan_transition,
)
from unlatch.increments.model.reopening import checked_reason
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.activation_guard import (
    DEFAULT_ACTIVATION,
    ActivationOptions,
    allow_activation,
    lock_activation,
)
from unlatch.spi.operation import Kind
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.increments.model.amendment import Amendment
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.lifecycle.activation_guard import Approval, WipSnapshot
    from unlatch.lifecycle.scope import Scope
    from unlatch.project.workspace import Workspace

# Stands for the reason in a preview where none has been given yet.
NO_REASON = "(the reason)"


class ResumeStep(StrEnum):
    """What resuming an increment comes to."""

    REOPEN = "reopen"
    ACTIVATE = "activate"
    REVIVE = "revive"
    DELIVER = "deliver"
    NOTHING = "nothing"
    AMEND = "amend"


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """What was asked for.

    Args:
        by: who asks.
        reason: why; needed where the increment is finished.
        reopen_items: for an abandoned increment, reopen its items too; abandoning closed them on
            purpose, so this undoes just that.
        options: how the items are to be reopened.
        activation: what bears on the project's own rules.
        amendment: what is to be changed about the work. With a reopen it is one intent; for any
            other increment it follows the change of status.
    """

    by: str
    reason: str | None = None
    reopen_items: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    activation: ActivationOptions = DEFAULT_ACTIVATION
    amendment: Amendment | None = None


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """What resuming one increment did, before anything was delivered.

    Args:
        before: the increment as it was.
        increment: the increment as it is now.
        step: what was done.
        entry: the new entry of reopenHistory, for a reopen.
        fresh: the operations that this process has just made.
        outrun: whether another process reopened it at the same moment; the reason given here was
            not recorded.
        warnings: rule violations that did not refuse it.
        scope: what the change of its work came to, if there was one.
        is_known: whether that change was left out, because it had been made before.
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


def next_step(increment: Increment) -> ResumeStep:
    """What resuming an increment would come to."""
    if increment.status is Status.COMPLETED:
        return ResumeStep.REOPEN
    if increment.status is Status.ABANDONED:
        return ResumeStep.REVIVE
    if increment.status is not Status.ACTIVE:
        return ResumeStep.ACTIVATE
    return ResumeStep.DELIVER if increment.pending else ResumeStep.NOTHING


# Planning


def plan_resume(
    workspace: Workspace, increment: Increment, request: ResumeRequest
) -> tuple[Plan, Scope | None]:
    """What resuming an increment would come to, and what it would change about its work.

    Raises:
        UsageError: the reason is blank or too long.
        StoreError: a document that is to be changed cannot be read.
    """
    step, reason = next_step(increment), request.reason
    if increment.status.is_finished:
        reason = checked_reason(reason) if reason is not None else NO_REASON
    intent = Intent(workspace.new_id(), workspace.clock(), request.by, reason, request.options)
    if step in (ResumeStep.DELIVER, ResumeStep.NOTHING):
        plan = plan_enqueue(increment)
    elif step is ResumeStep.REOPEN:
        plan = plan_reopen(increment, replace(intent, exclude=_spared(increment, request)))
    else:
        kind, options = _enqueued(step, request)
        intent = replace(intent, options=options)
        plan = plan_transition(increment, Status.ACTIVE, intent, enqueue=kind)
    if request.amendment is None:
        return plan, None
    from unlatch.lifecycle.scope import plan_work  # noqa: PLC0415  (rarely needed)

    return plan_work(
        workspace,
        plan,
        request.amendment,
        by=request.by,
        reason=reason or None,
        options=request.options,
    )


def _spared(increment: Increment, request: ResumeRequest) -> tuple[Link, ...]:
    if request.amendment is None:
        return ()
    from unlatch.lifecycle.scope import spared_by  # noqa: PLC0415  (rarely needed)

    return spared_by(increment, request.amendment)


def _enqueued(step: ResumeStep, request: ResumeRequest) -> tuple[Kind | None, DeliveryOptions]:
    """What becoming active is to do to the items, where it is no reopen."""
    if step is ResumeStep.REVIVE and request.reopen_items:
        return Kind.REOPEN, replace(request.options, even_if_not_planned=True)
    return None, request.options


# Doing it


def resume(
    workspace: Workspace, wanted: str, request: ResumeRequest, *, wip: WipSnapshot | None = None
) -> ResumeResult:
    """Make an increment active, and enqueue what follows for its items.

    Args:
        census: the count of active increments, where many are resumed one after the other.

    Raises:
        UsageError: the increment is unknown, a reason is missing, or its category.
        StoreError: its files cannot be read or written, or the rules refuse it; nothing was
            changed.
    """
    before = workspace.manager.read(wanted)
    step = next_step(before)
    if step in (ResumeStep.DELIVER, ResumeStep.NOTHING):
        now = before
        if before.archived or before.unwritten:
            now = workspace.manager.unarchive(before.id)
        return _amended(workspace, ResumeResult(before, now, step), request)
    with allow_activation(workspace, before, request.activation, wip=wip) as approval:
        try:
            if step is ResumeStep.REOPEN:
                done = _reopened(workspace, before, request, approval)
            else:
                done = _activated(workspace, before, request, approval, step)
        except StoreError as error:
            if error.id not in ("not-completed", "transition-refused"):
                raise
            done = _outrun(workspace, before, error)
    if not done.outrun:
        done = replace(done, warnings=approval.warnings)
    return _amended(workspace, done, request)


def resume_many(
    workspace: Workspace,
    increments: Iterable[Increment],
    request: ResumeRequest,
    report: Callable[[ResumeResult], None],
) -> tuple[ResumeResult, ...]:
    """Make increments active one after the other, and enqueue what follows for their items.

    One that is refused keeps none of the others. What was done is on disk when it is reported, so
    after an interruption the same command continues with those that are left.
    """
    done: list[ResumeResult] = []
    with lock_activation(workspace) as census:
        for before in increments:
            try:
                one = resume(workspace, before.id, request, wip=census)
            except UnlatchError as error:
                one = ResumeResult(before, before, next_step(before), error=error)
            else:
                if census is not None:
                    census.update(before, one.increment)
            done.append(one)
            report(one)
    return tuple(done)


def needing_resume(increments: Iterable[Increment]) -> tuple[Increment, ...]:
    """Those that resuming would do anything for, each once."""
    found = {one.folder: one for one in increments}
    return tuple(one for one in found.values() if next_step(one) is not ResumeStep.NOTHING)


def items_of(increments: Iterable[Increment], *, reopen_items: bool) -> frozenset[tuple[str, str]]:
    """The items that resuming increments would write to."""
    found: set[tuple[str, str]] = set()
    for one in increments:
        found |= {identity(link_of(one, operation)) for operation in one.pending}
        step = next_step(one)
        if step is ResumeStep.REOPEN or (step is ResumeStep.REVIVE and reopen_items):
            found |= {identity(link) for link in one.links}
    return frozenset(found)


def _reopened(
    workspace: Workspace, before: Increment, request: ResumeRequest, approval: Approval
) -> ResumeResult:
    work: dict[str, Any] = {}
    amendment = request.amendment
    if amendment is not None:
        from unlatch.lifecycle.scope import spared_by, updated_by  # noqa: PLC0415  (rarely needed)

        spare, update = spared_by(before, amendment), updated_by(workspace, before, amendment)
        work = {"amendment": amendment, "exclude": spare, "update": update}
    after, entry = workspace.manager.reopen(
        before.id,
        request.reason or "",
        request.by,
        category=approval.category,
        forced=approval.forced,
        options=request.options,
        **work,
    )
    return ResumeResult(before, after, ResumeStep.REOPEN, entry, new_operations(before, after))


def _activated(
    workspace: Workspace,
    before: Increment,
    request: ResumeRequest,
    approval: Approval,
    step: ResumeStep,
) -> ResumeResult:
    kind, options = _enqueued(step, request)
    after = workspace.manager.transition(
        before.id,
        Status.ACTIVE,
        by=request.by,
        reason=request.reason,
        enqueue=kind,
        forced=approval.forced,
        options=options,
    )
    return ResumeResult(before, after, step, fresh=new_operations(before, after))


def _amended(workspace: Workspace, done: ResumeResult, request: ResumeRequest) -> ResumeResult:
    """Change the work of what is active now, where the reopen did not do so along with it."""
    amendment = request.amendment
    if amendment is None:
        return done
    from unlatch.lifecycle import scope  # noqa: PLC0415  (rarely needed)

    before = done.increment
    if done.entry is not None:
        made = next(one for one in before.amended if one.id == done.entry.id)
        return replace(done, scope=scope.scope_of(before, made))
    if scope.is_known(before, amendment):
        return replace(done, is_known=True)
    after, made = scope.amend_active(
        workspace,
        before,
        amendment,
        by=request.by,
        reason=request.reason,
        options=request.options,
    )
    fresh = done.fresh | new_operations(before, after)
    step = ResumeStep.AMEND if done.step in (ResumeStep.DELIVER, ResumeStep.NOTHING) else done.step
    found = scope.scope_of(after, made)
    return replace(done, increment=after, step=step, fresh=fresh, scope=found)


def _outrun(workspace: Workspace, before: Increment, error: StoreError) -> ResumeResult:
    """Another process made it active between our look and our lock.

    What that one did stands; this one adds nothing and helps to deliver.
    """
    now = workspace.manager.read(before.id)
    if now.status is not Status.ACTIVE:
        raise error
    return ResumeResult(now, now, next_step(now), outrun=True)
