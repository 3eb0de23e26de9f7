"""Changes of increments as their commands make them, without rules, prompts or delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.files.changes.plans import plan_reopen, plan_transition
from unlatch.increments.files.changes.undo import plan_undo

if TYPE_CHECKING:
    from typing import Unpack

    from unlatch.increments.files.changes.plans import Intent, IntentDetails, Plan
    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.increments.model.status import Status
    from unlatch.spi.operation import Kind


def reopen(
    manager: MetadataManager, wanted: str, reason: str, by: str, **details: Unpack[IntentDetails]
) -> tuple[Increment, ReopenEntry]:
    made, after = manager.apply(
        wanted, plan_reopen, by=by, reason=reason, unarchive=True, **details
    )
    assert made.entry is not None
    return after, made.entry


def undo(
    manager: MetadataManager, wanted: str, *, by: str, reason: str | None = None
) -> tuple[Increment, ReopenEntry]:
    made, after = manager.apply(wanted, plan_undo, by=by, reason=reason)
    return after, made.undone[-1]


def transition(
    manager: MetadataManager,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    enqueue: Kind | None = None,
    **details: Unpack[IntentDetails],
) -> Increment:
    def plan(before: Increment, intent: Intent) -> Plan:
        return plan_transition(before, to, intent, enqueue=enqueue)

    is_open = not to.is_finished
    return manager.apply(wanted, plan, by=by, reason=reason, unarchive=is_open, **details)[1]
