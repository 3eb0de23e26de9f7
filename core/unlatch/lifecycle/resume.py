"""Resume increments: one, or many for one reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.reason import checked_reason
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import (
    WipSnapshot,
    allow_activation,
    check_activation,
    lock_activation,
)
from unlatch.lifecycle.resume_plan import (
    ACTIVE_STEPS,
    ResumePlan,
    ResumeRequest,
    ResumeStep,
    known_reasons,
    plan_resume,
)
from unlatch.lifecycle.scoping import scope
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.increments.files.plans import Intent, Plan
    from unlatch.increments.model.increment import Amendment, Increment, ReopenEntry
    from unlatch.lifecycle.scoping.scope import Scope
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ResumeResult:
    """The result for one increment, before anything was delivered.

    Args:
        fresh: the operations that this process has just enqueued.
        outrun: whether another process made it active at the same moment, so that this reason was
            not recorded.
        warnings: rule violations that did not refuse it.
        known: the change of its work that was skipped, because it was made before.
        error: why it was refused and not changed, among many.
    """

    before: Increment
    increment: Increment
    step: ResumeStep
    entry: ReopenEntry | None = None
    fresh: frozenset[str] = frozenset()
    outrun: bool = False
    warnings: tuple[UnlatchError, ...] = ()
    scope: Scope | None = None
    known: Amendment | None = None
    error: UnlatchError | None = None


def apply_resume(
    workspace: Workspace, plan: ResumePlan, *, wip: WipSnapshot | None = None
) -> ResumeResult:
    """Make an increment active, and enqueue the operations for its items.

    Args:
        wip: the count of active increments, when many are resumed in sequence.

    Raises:
        UsageError: a reason is missing, or its category.
        StoreError: the files cannot be read or written, or the rules refuse it; nothing was
            changed.
    """
    manager, request = workspace.manager, plan.request
    was_active = plan.step in ACTIVE_STEPS
    plan = replace(plan, before=manager.read(plan.before.id).as_recorded)
    before, step = plan.before, plan.step
    if plan.refusal is not None:
        raise plan.refusal
    if step in ACTIVE_STEPS:
        if request.planned is not None:
            request.check(plan.preview(workspace)[0])
        is_unfinished = before.archived or before.unwritten
        now = manager.unarchive(before.id) if is_unfinished else before
        outrun = not was_active and _is_unrecorded(request.reason, before)
        result = ResumeResult(before, now, step, outrun=outrun, warnings=plan.warnings)
        return _amend(workspace, result, request)
    with allow_activation(workspace, before, request.activation, wip=wip) as approval:
        try:
            reason = checked_reason(request.reason or "") if step is ResumeStep.REOPEN else None
            made, after = manager.apply(
                before.id,
                lambda now, intent: _decide(workspace, plan, now, intent),
                by=request.by,
                reason=reason or request.reason,
                unarchive=True,
                **plan.details(approval),
            )
        except StoreError as error:
            if error.id not in ("not-completed", "transition-refused"):
                raise
            request.check(None)
            result = _join(workspace, plan, error)
        else:
            if step is ResumeStep.REOPEN_ITEMS and not made.new:
                return _joined(plan, after)
            advice = find_advice(workspace, before, after)
            warnings = (*approval.warnings, *plan.warnings, *advice)
            result = ResumeResult(before, after, step, made.entry, made.new, warnings=warnings)
    return _amend(workspace, result, request)


def _decide(workspace: Workspace, plan: ResumePlan, now: Increment, intent: Intent) -> Plan:
    made = plan.decide(workspace, now, intent)
    plan.request.check(made)
    return made


def resume(workspace: Workspace, wanted: str, request: ResumeRequest) -> ResumeResult:
    """Resume one increment by name, without a question."""
    return apply_resume(workspace, plan_resume(workspace.manager.read(wanted), request))


def resume_many(
    workspace: Workspace, plans: Iterable[ResumePlan], report: Callable[[ResumeResult], None]
) -> tuple[ResumeResult, ...]:
    """Resume increments one after the other.

    A refused increment does not stop the others. Each result is on disk before it is reported, so
    after an interruption the same command continues with the rest.
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


def find_advice(
    workspace: Workspace, before: Increment, after: Increment
) -> tuple[UnlatchError, ...]:
    """What a person has to do in a tool's files after a unit left its archive."""
    if not before.archived or after.unit is None:
        return ()
    files = files_of(after)
    found = files.layout.advice(workspace.paths.root, after.unit, files.texts())
    return tuple(StoreError("unit-advice", one, where=str(files.place)) for one in found)


def find_refusals(workspace: Workspace, plans: Iterable[ResumePlan]) -> tuple[ResumePlan, ...]:
    """The plans with the refusals that `resume_many` would report; writes nothing."""
    found: list[ResumePlan] = []
    is_limited = workspace.config.limits.rules.is_limited
    wip: WipSnapshot = {one.folder: one for one in (workspace.manager.list() if is_limited else ())}
    for plan in plans:
        before, refusal = plan.before, plan.refusal
        try:
            check_activation(workspace, before, plan.request.activation, wip=wip)
        except UnlatchError as error:
            refusal = refusal or error
        if refusal is None:
            wip[before.folder] = replace(before, status=Status.ACTIVE)
        found.append(replace(plan, refusal=refusal))
    return tuple(found)


def _amend(workspace: Workspace, done: ResumeResult, request: ResumeRequest) -> ResumeResult:
    """Change the work of an active increment, unless the reopen did."""
    amendment = request.amendment
    if amendment is None:
        return done
    before = done.increment
    if done.entry is not None:
        return replace(done, scope=scope.scope_of(before, done.entry.id))
    if known := scope.known_amendment(before, amendment):
        return replace(done, known=known)
    intent = workspace.manager.intent(by=request.by, reason=request.reason, options=request.options)
    after, fresh = scope.amend_active(workspace, before, intent, amendment)
    return replace(
        done,
        increment=after,
        step=ResumeStep.AMEND if done.step in ACTIVE_STEPS else done.step,
        fresh=done.fresh | fresh,
        scope=scope.scope_of(after, intent.op),
    )


def _join(workspace: Workspace, plan: ResumePlan, error: StoreError) -> ResumeResult:
    """Join the resume of another process that came between our read and our lock."""
    now = workspace.manager.read(plan.before.id)
    if now.status is not Status.ACTIVE:
        raise error
    return _joined(plan, now)


def _joined(plan: ResumePlan, now: Increment) -> ResumeResult:
    step = replace(plan, before=now, reopening=()).step
    return ResumeResult(now, now, step, outrun=_is_unrecorded(plan.request.reason, now))


def _is_unrecorded(reason: str | None, now: Increment) -> bool:
    return reason is not None and reason not in known_reasons(now)
