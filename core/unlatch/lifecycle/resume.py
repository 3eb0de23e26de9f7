"""Resume an increment, by its status.

The prompt and the dry run show what `Resume` carries out, for the increment's state under its lock.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from unlatch.delivery.preview import Preview
from unlatch.delivery.read_ahead import find_stale_read
from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.changes.plans import (
    Intent,
    Plan,
    build_operations,
    plan_enqueue,
    plan_reopen,
    plan_transition,
)
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.reason import checked_reason
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.activation_guard import (
    Approval,
    WipSnapshot,
    allow_activation,
    check_activation,
)
from unlatch.lifecycle.change import Outcome, Place
from unlatch.lifecycle.items.answered import ended_operations, known_operations, own_id
from unlatch.lifecycle.resume_plan import (
    ACTIVE_STEPS,
    NO_REASON,
    ResumeRequest,
    ResumeStep,
    known_reasons,
    reopened_by_pending,
)
from unlatch.lifecycle.scoping import change_scope
from unlatch.lifecycle.scoping.amended_items import spared_by, updates_for
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import DeliveryOptions, Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.increments.files.changes.plans import IntentDetails
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.workspace import Workspace
    from unlatch.spi import RemoteItem

_STEPS = {Status.COMPLETED: ResumeStep.REOPEN, Status.ABANDONED: ResumeStep.REVIVE}


@dataclass(frozen=True, slots=True)
class Resume:
    """The change that resumes an increment.

    Args:
        ended: the operations of an unfinished increment that had ended before its items were read.
        reopening: the links of an unfinished increment whose items are reopened.
        seen: these items, by the identities of their links, as far as they could be read.
        is_new: whether its reason was not recorded before.
        warnings: about its items.
        refusal: why it cannot be resumed, if known before the attempt.
    """

    subject: Increment
    request: ResumeRequest
    ended: frozenset[str] = frozenset()
    reopening: tuple[Link, ...] = ()
    seen: Mapping[tuple[str, str], RemoteItem] = field(default_factory=dict)
    is_new: bool = False
    warnings: tuple[UnlatchError, ...] = ()
    refusal: UnlatchError | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do, and nothing to refuse."""
        return self.step is ResumeStep.NOTHING and self.refusal is None

    @property
    def step(self) -> ResumeStep:
        if self.subject.status is Status.ACTIVE:
            if self.reopening:
                return ResumeStep.REOPEN_ITEMS
            return ResumeStep.DELIVER if self.subject.pending else ResumeStep.NOTHING
        return _STEPS.get(self.subject.status, ResumeStep.ACTIVATE)

    @property
    def reopens_items(self) -> bool:
        """Whether the items are reopened; after abandoning only on request."""
        is_revive = self.step is ResumeStep.REVIVE and self.request.reopen_items
        return self.step is ResumeStep.REOPEN or is_revive

    @property
    def spared(self) -> tuple[Link, ...]:
        """The links whose items are not affected: those of stories without a change."""
        amendment = self.request.amendment
        return spared_by(self.subject, amendment) if amendment else ()

    @property
    def items(self) -> frozenset[tuple[str, str]]:
        """The identities of the items to be written to."""
        links = [link_of(self.subject, operation) for operation in self.subject.pending]
        links += self.subject.links if self.reopens_items else self.reopening
        return frozenset(map(identity, links))

    def details(self, approval: Approval | None = None) -> IntentDetails:
        """The options of the operations, and the facts to record."""
        options = self.request.options
        if self.step is ResumeStep.REVIVE and self.reopens_items:
            options = replace(options, even_if_not_planned=True)
        request = self.request
        details: IntentDetails = {"options": options, "key": request.key, "source": request.source}
        if self.step is ResumeStep.REOPEN:
            details["exclude"] = self.spared
            details["cause"] = request.cause
        elif self.reopening:
            details["exclude"] = [link for link in self.subject.links if link not in self.reopening]
        if approval is not None:
            details["forced"] = approval.forced
            details["category"] = approval.category
        return details

    def decide(self, workspace: Workspace, before: Increment, intent: Intent) -> Plan:
        """The change for the increment's present state; raises if the plan does not fit it."""
        if self.step in ACTIVE_STEPS:
            return plan_enqueue(before)
        workspace.check_links(before)
        if self.reopening and self.step in (ResumeStep.REOPEN_ITEMS, ResumeStep.ACTIVATE):
            return self._reopen_items(before, intent)
        if self.step is not ResumeStep.REOPEN:
            kind = Kind.REOPEN if self.reopens_items else None
            return plan_transition(before, Status.ACTIVE, intent, enqueue=kind)
        amendment = self.request.amendment
        if amendment is None:
            return plan_reopen(before, intent)
        amended = change_scope.amended_by(intent, amendment)
        more = updates_for(workspace, before, amended)
        return plan_reopen(before, intent, amendment=amendment, more=more)

    def _reopen_items(self, before: Increment, intent: Intent) -> Plan:
        """Reopen closed items of an unfinished increment, each by the close that it takes back."""
        if self.step is ResumeStep.ACTIVATE:
            plan = plan_transition(before, Status.ACTIVE, intent)
        else:
            plan = plan_enqueue(before)
            if self.is_new and intent.reason in known_reasons(before):
                return plan  # another process was faster
            due = reopened_by_pending(before)
            intent = replace(intent, exclude=(*intent.exclude, *due))
        operations, unanswered = [], list[str]()
        own_operations = known_operations(before) - self.ended
        for operation in build_operations(before, Kind.REOPEN, intent, by=intent.by):
            link = link_of(before, operation)
            item = self.seen.get(identity(link))
            op = None
            if item is not None:
                if stale := find_stale_read(before, link, item, ended=self.ended):
                    raise stale
                is_due = must_move(item, Goal.OPEN)
                op = own_id(
                    self.ended, Kind.REOPEN, item.ref, intent.text, item.state_since, is_due=is_due
                )
            if op in own_operations:
                continue  # another process was faster
            if op is None:
                unanswered.append(operation.item)
            operations.append(operation if op is None else replace(operation, op=op))
        after = replace(plan.after, pending=(*plan.after.pending, *operations))
        return replace(plan, after=after, unanswered=tuple(unanswered))

    def check_rules(self, workspace: Workspace, *, is_asked: bool = False) -> Approval:
        """Check the project's rules, as `check_activation`, before a prompt or a dry run."""
        activation = replace(self.request.activation, is_asked=is_asked)
        return check_activation(workspace, self.subject, activation)

    @property
    def delivery(self) -> DeliveryOptions:
        return self.request.options

    def preview(self, place: Place) -> Preview:
        """The present change of the increment, and of its work; raises what would refuse it."""
        if self.refusal is not None:
            raise self.refusal
        workspace, request, reason = place.workspace, self.request, self.request.reason
        rules = check_activation(workspace, self.subject, request.activation, wip=place.wip)
        warnings = (*rules.warnings, *self.warnings)
        if self.subject.status.is_finished and reason is None:
            reason = NO_REASON
        intent = workspace.manager.intent(by=request.by, reason=reason, **self.details())
        plan = self.decide(workspace, self.subject, intent)
        if request.amendment is None:
            return Preview(plan, (), warnings=warnings)
        if plan.entry is not None:
            scoped = change_scope.scope_of(plan.after, plan.entry.id)
            return Preview(plan, (), warnings=warnings, scope=scoped)
        # The change of status before it has an intent of its own.
        intent = replace(intent, op=workspace.new_id(), options=request.options)
        plan, amended = change_scope.plan_amendment_of_active(
            workspace, plan, intent, request.amendment
        )
        return Preview(plan, (), warnings=warnings, scope=amended)

    def apply(self, place: Place) -> Outcome:
        """Make the increment active, and record the operations for its items."""
        done = apply_resume(place.workspace, self, wip=place.wip)
        wanted = self.request.current
        return done if wanted is None else _settle_unit(place.workspace, done, wanted=wanted)

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """The reopen, the change of the work, and the warnings."""
        return {"reopen": outcome.entry, "scope": outcome.scope, "warnings": outcome.warnings}


def plan_resume(increment: Increment, request: ResumeRequest) -> Resume:
    """Plan to resume an increment; raises if the reason is blank or too long."""
    if request.reason is not None:
        request = replace(request, reason=checked_reason(request.reason))
    ended = frozenset() if increment.status.is_finished else ended_operations(increment)
    return Resume(increment.as_recorded, request, ended)


def apply_resume(workspace: Workspace, plan: Resume, *, wip: WipSnapshot | None = None) -> Outcome:
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
    plan = replace(plan, subject=manager.read(plan.subject.id).as_recorded)
    before, step = plan.subject, plan.step
    if plan.refusal is not None:
        raise plan.refusal
    if step in ACTIVE_STEPS:
        if request.planned is not None:
            request.check(plan.preview(Place(workspace, wip=wip)).plan)
        is_unfinished = before.archived or before.unwritten
        now = manager.unarchive(before.id) if is_unfinished else before
        outrun = not was_active and _is_unrecorded(request.reason, before)
        result = Outcome(before, now, warnings=plan.warnings, step=step, is_reason_lost=outrun)
        return _amend(workspace, result, request)
    with allow_activation(workspace, before, request.activation, wip=wip) as approval:
        try:
            reason = checked_reason(request.reason or "") if step is ResumeStep.REOPEN else None
            change, after = manager.apply(
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
            if step is ResumeStep.REOPEN_ITEMS and not change.new:
                return _joined(plan, after)
            advice = find_advice(workspace, before, after)
            warnings = (*approval.warnings, *plan.warnings, *advice)
            result = Outcome(before, after, change.new, warnings, step, change.entry)
    return _amend(workspace, result, request)


def _settle_unit(workspace: Workspace, done: Outcome, *, wanted: bool) -> Outcome:
    """Let the increment's tool work on its unit if that is `wanted`; else a warning names another.

    An error is a warning, since the increment is resumed.
    """
    if done.increment.unit is None:
        return done
    from unlatch.lifecycle.units.current import settle_current  # noqa: PLC0415  (units alone)

    try:
        note: UnlatchError | None = settle_current(workspace, done.increment, wanted=wanted)
    except UnlatchError as error:
        note = error
    return replace(done, warnings=(*done.warnings, note)) if note else done


def _decide(workspace: Workspace, plan: Resume, now: Increment, intent: Intent) -> Plan:
    change = plan.decide(workspace, now, intent)
    plan.request.check(change)
    return change


def resume(workspace: Workspace, wanted: str, request: ResumeRequest) -> Outcome:
    """Resume one increment by name, without a question."""
    return apply_resume(workspace, plan_resume(workspace.manager.read(wanted), request))


def find_advice(
    workspace: Workspace, before: Increment, after: Increment
) -> tuple[UnlatchError, ...]:
    """What a person has to do in a tool's files after a unit left its archive."""
    if not before.archived or after.unit is None:
        return ()
    files = files_of(after)
    steps = files.layout.advice(workspace.paths.root, after.unit, files.texts())
    return tuple(StoreError("unit-advice", step, where=str(files.place)) for step in steps)


def _amend(workspace: Workspace, done: Outcome, request: ResumeRequest) -> Outcome:
    """Change the work of an active increment, unless the reopen did."""
    amendment = request.amendment
    if amendment is None:
        return done
    before = done.increment
    if done.entry is not None:
        return replace(done, scope=change_scope.scope_of(before, done.entry.id))
    if repeated := change_scope.known_amendment(before, amendment):
        return replace(done, repeated=repeated)
    intent = workspace.manager.intent(by=request.by, reason=request.reason, options=request.options)
    after, fresh = change_scope.amend_active(workspace, before, intent, amendment)
    return replace(
        done,
        increment=after,
        step=ResumeStep.AMEND if done.step in ACTIVE_STEPS else done.step,
        fresh=done.fresh | fresh,
        scope=change_scope.scope_of(after, intent.op),
    )


def _join(workspace: Workspace, plan: Resume, error: StoreError) -> Outcome:
    """Join the resume of another process that came between our read and our lock."""
    now = workspace.manager.read(plan.subject.id)
    if now.status is not Status.ACTIVE:
        raise error
    return _joined(plan, now)


def _joined(plan: Resume, now: Increment) -> Outcome:
    step = replace(plan, subject=now, reopening=()).step
    is_lost = _is_unrecorded(plan.request.reason, now)
    return Outcome(now, now, step=step, is_reason_lost=is_lost)


def _is_unrecorded(reason: str | None, now: Increment) -> bool:
    return reason is not None and reason not in known_reasons(now)
