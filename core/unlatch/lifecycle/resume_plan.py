"""The request to resume an increment, and what it changes."""

import json
from enum import StrEnum

from unlatch.errors import StoreError
from unlatch.increments.files.changes.plans import Plan
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import Amendment, ReopenCause
from unlatch.increments.records.events import Amended, Delivered, Reopened, read_events
from unlatch.increments.records.links import link_of
from unlatch.increments.records.status_events import Transitioned
from unlatch.lifecycle.activation_guard import DEFAULT_ACTIVATION, ActivationOptions
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind
from unlatch.values import dataclass
from unlatch.worklog.digests import sha256

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
