"""Decide how to resume an increment, by its status.

The prompt and the dry run show the plan, and `Resume` carries it out, for the increment's state
under its lock.
"""

import json
from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

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
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import Amendment, ReopenCause
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Amended, Delivered, Reopened, read_events
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.status_events import Transitioned
from unlatch.lifecycle.activation_guard import (
    DEFAULT_ACTIVATION,
    ActivationOptions,
    Approval,
    check_activation,
)
from unlatch.lifecycle.items.answered import known_operations, own_id
from unlatch.lifecycle.scoping import change_scope
from unlatch.lifecycle.scoping.amended_items import spared_by, updates_for
from unlatch.project.workspace import Workspace
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind
from unlatch.values import dataclass
from unlatch.worklog.digests import sha256

if TYPE_CHECKING:
    from unlatch.increments.files.changes.plans import IntentDetails
    from unlatch.spi import RemoteItem

# The reason in a preview without one.
NO_REASON = "(the reason)"


class ResumeStep(StrEnum):
    """The effect of resuming an increment."""

    REOPEN = "reopen"
    ACTIVATE = "activate"
    REVIVE = "revive"
    DELIVER = "deliver"
    NOTHING = "nothing"
    AMEND = "amend"
    REOPEN_ITEMS = "reopen-items"


_STEPS = {Status.COMPLETED: ResumeStep.REOPEN, Status.ABANDONED: ResumeStep.REVIVE}
# The effects on an active increment.
ACTIVE_STEPS = (ResumeStep.DELIVER, ResumeStep.NOTHING)


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """The options of a resume.

    Args:
        reason: required if the increment is finished, or items are reopened.
        reopen_items: also reopen the items of an increment that was not completed.
        planned: the digest of the change that was agreed to; another change is refused.
        key: takes the place of the reason in the id of the operations.
        source: the comment that the words of the reason are from, which no briefing repeats.
        cause: what a reopen answers.
        current: make its unit the one that its tool works on; None leaves that open.
        amendment: a change of its work. It shares the intent of a reopen; otherwise it follows the
            change of status.
    """

    by: str
    reason: str | None = None
    reopen_items: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    activation: ActivationOptions = DEFAULT_ACTIVATION
    amendment: Amendment | None = None
    current: bool | None = False
    planned: str | None = None
    key: str | None = None
    source: str | None = None
    cause: ReopenCause | None = None

    def check(self, plan: Plan | None) -> None:
        """Check that a change is the planned one; StoreError `plan-changed`."""
        if self.planned is not None and (plan is None or digest_of(plan) != self.planned):
            message = "the increment or its items changed since the plan was made"
            raise StoreError("plan-changed", message, hint="make a new plan")


@dataclass(frozen=True, slots=True)
class ResumePlan:
    """The plan for resuming an increment.

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
    seen: Mapping[tuple[str, str], "RemoteItem"] = field(default_factory=dict)
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

    def details(self, approval: Approval | None = None) -> "IntentDetails":
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


def digest_of(plan: Plan) -> str:
    """A digest of the status before a change, and of the operations that are pending after it."""
    before, after = plan.before, plan.after
    pending = sorted(
        (operation.tracker, operation.item, operation.kind, operation.state)
        for operation in after.pending
    )
    text = json.dumps([before.id, before.status, after.status, pending])
    return sha256(text.encode())[:32]


def known_reasons(increment: Increment) -> set[str | None]:
    """The reasons since the last reopen: a repeated script passes one of them again."""
    reasons = {operation.reason for operation in increment.pending}
    for event in read_events(increment.folder, increment.reopens):
        if isinstance(event, Reopened):
            reasons.clear()
        if isinstance(event, Reopened | Transitioned | Amended | Delivered):
            reasons.add(event.reason)
    return reasons


def reopened_by_pending(increment: Increment) -> tuple[Link, ...]:
    """The links whose items a pending operation reopens."""
    due = (
        operation
        for operation in increment.pending
        if operation.kind is Kind.REOPEN and operation.state
    )
    return tuple(link_of(increment, operation) for operation in due)
