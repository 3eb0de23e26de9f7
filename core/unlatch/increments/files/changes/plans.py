"""Plans for changes of an increment: its new status, and the operations that follow.

A pure function makes each plan: for a dry run from the increment as read, for the change itself
from the increment under its lock.
"""

from __future__ import annotations

import json
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, TypedDict

from unlatch.errors import PlanOutdated, StoreError, UsageError
from unlatch.increments.files.metadata_file import (
    APPROVED,
    completion_keys,
    spelled_status,
    times_in,
)
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, ReopenCause, ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.increments.records.status_events import Transitioned
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import (
        Amendment,
        AppliedAmendment,
        ReopenCause,
        ReopenEntry,
    )
    from unlatch.spi.operation import DeliveryOptions, Kind, Operation
    from unlatch.worklog.event_log import Event

    class IntentDetails(TypedDict, total=False):
        """The parts of an intent that have defaults, as keywords."""

        options: DeliveryOptions | None
        exclude: Collection[Link]
        source: str | None
        category: str | None
        forced: tuple[str, ...]
        key: str | None
        cause: ReopenCause | None


def revision_of(increment: Increment) -> str:
    """A digest of the content of metadata.json."""
    from unlatch.worklog.digests import sha256  # noqa: PLC0415  (for plans that people check)

    return sha256(json.dumps(increment.data, sort_keys=True, default=str).encode())[:32]


def check_planned(now: Increment, planned: str) -> None:
    """Check that an increment is as it was planned for; PlanOutdated `plan-changed`."""
    if revision_of(now) != planned:
        message = f"{now.id} changed since the plan was made"
        raise PlanOutdated("plan-changed", message, where=now.id, hint="make a new plan")


# The command that moves an increment to a status.
_COMMANDS = {
    Status.ACTIVE: "start",
    Status.PAUSED: "pause",
    Status.READY_FOR_REVIEW: "review",
    Status.BACKLOG: "backlog",
    Status.COMPLETED: "complete",
    Status.ABANDONED: "abandon",
}


@dataclass(frozen=True, slots=True)
class Intent:
    """The author, time and reason of a change.

    Args:
        op: the ULID of the operations that follow from it.
        options: those of the operations; None as configured.
        exclude: links whose items are left alone.
        source: the item that the change follows, for a pull.
        forced: the ids of the rule violations that were overridden.
        key: takes the place of the reason in the id of the operations (`--key`).
        is_derived: whether the id follows from what the change answers; else it is random.
    """

    op: str
    at: datetime
    by: str
    reason: str | None = None
    options: DeliveryOptions | None = None
    exclude: Collection[Link] = ()
    source: str | None = None
    category: str | None = None
    forced: tuple[str, ...] = ()
    key: str | None = None
    cause: ReopenCause | None = None
    is_derived: bool = False

    @property
    def text(self) -> str | None:
        """What stands for the reason in a derived id."""
        return self.key or self.reason

    def derived(self, op: str | None) -> Intent:
        """The intent with the id that follows from what the change answers, if there is one."""
        return self if op is None else replace(self, op=op, is_derived=True)

    @property
    def delivery(self) -> DeliveryOptions:
        """The options of the operations that follow from it."""
        from unlatch.spi.operation import AS_CONFIGURED  # noqa: PLC0415  (for items alone)

        return self.options or AS_CONFIGURED

    @property
    def facts(self) -> dict[str, Any]:
        """The part of it that an event records."""
        return {"id": self.op, "at": self.at, "by": self.by, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of an increment.

    Args:
        after: the increment after the change, with all operations that are then pending.
        entry: the new entry of reopenHistory, for a reopen.
        undone: the entries that are marked as undone, the oldest first, for an undo.
        amended: the change of the work, where the status stays.
        pin_base: links whose items stay as they are; their base follows the status, so that no
            sync reports drift.
        unanswered: the names of the increment or items for which nothing shows what the operations
            answer, so that their ids are random.
        unread: those of them that could not be read.
        event: None if only the pending operations change.
    """

    before: Increment
    after: Increment
    entry: ReopenEntry | None = None
    undone: tuple[ReopenEntry, ...] = ()
    amended: AppliedAmendment | None = None
    pin_base: tuple[Link, ...] = ()
    unanswered: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    event: Event | None = None

    @property
    def new(self) -> frozenset[str]:
        """The intents that it would add."""
        earlier = {operation.op for operation in self.before.pending}
        return frozenset(operation.op for operation in self.after.pending) - earlier


def plan_reopen(
    before: Increment,
    intent: Intent,
    *,
    amendment: Amendment | None = None,
    more: Iterable[Operation] = (),
) -> Plan:
    """Reopen a completed increment; `more` operations follow from the change of its work."""
    # A move along the status table does not read the documents.
    from unlatch.increments.files.changes.ids import reopen_id  # noqa: PLC0415
    from unlatch.increments.files.work.amendments import count_done, plan_amendment  # noqa: PLC0415
    from unlatch.increments.records.events import reopened_event  # noqa: PLC0415
    from unlatch.increments.records.pending import supersede  # noqa: PLC0415
    from unlatch.spi.operation import Kind  # noqa: PLC0415

    if before.status is not Status.COMPLETED:
        raise StoreError(
            "not-completed",
            f"{before.id} is {before.status}; only a completed increment can be reopened",
            hint=f"unlatch show {quote(before.id)}",
        )
    if not (before.is_item or intent.is_derived):
        intent = intent.derived(reopen_id(before, intent.text, amendment))
    entry = _reopen_entry(before, intent)
    if amendment:
        from unlatch.increments.model.reopens import AppliedAmendment  # noqa: PLC0415  (as above)

        amended = AppliedAmendment(intent.op, intent.at, intent.by, amendment, intent.reason)
        entry = replace(entry, amendment=plan_amendment(before, amended).amendment)
    kept = supersede(before.pending, before.reopens)
    # The reason and the author are in the entry.
    new = build_operations(before, Kind.REOPEN, replace(intent, reason=None), by=None)
    reopens, pending = (*before.reopens, entry), (*kept, *new, *more)
    after = before.with_status(Status.ACTIVE, pending, reopens)
    if not before.is_item:
        entry = replace(entry, done_work=count_done(after))
        after = before.with_status(Status.ACTIVE, pending, (*before.reopens, entry))
    pinned = tuple(intent.exclude) if entry.amendment else ()
    event, unanswered = reopened_event(entry), _unanswered(before, new, intent)
    return Plan(before, after, entry, pin_base=pinned, unanswered=unanswered, event=event)


def _unanswered(
    before: Increment, operations: Collection[Operation], intent: Intent
) -> tuple[str, ...]:
    return (before.name,) if operations and not intent.is_derived else ()


def _reopen_entry(before: Increment, intent: Intent) -> ReopenEntry:
    from unlatch.increments.model.reopens import ReopenEntry  # noqa: PLC0415  (as above)
    from unlatch.increments.records.pending import struck  # noqa: PLC0415  (as above)

    keys = times_in(before.data, completion_keys(before.status))
    key = next((key for key in keys if before.data[key]), None)
    spelled = None if before.is_item or before.unit else spelled_status(before.folder)
    return ReopenEntry(
        id=intent.op,
        reopened_at=intent.at,
        reason=intent.reason or "",
        previous_status=before.status,
        previous_completed_at=before.data[key] if key else None,
        previous_completed_in=key if key == APPROVED else None,
        previous_spec_status=None if spelled == before.status.value else spelled,
        reopened_by=intent.by,
        category=intent.category,
        source=intent.source,
        forced=intent.forced,
        cause=intent.cause,
        struck=struck(before.pending),
    )


def plan_transition(
    before: Increment, to: Status, intent: Intent, *, enqueue: Kind | None = None
) -> Plan:
    """Move an increment along the status table; `enqueue` is the operation for its items."""
    check_transition(before, to, intent.reason)
    pending = before.pending
    pinned: tuple[Link, ...] = ()
    unanswered: tuple[str, ...] = ()
    if to.is_finished != before.status.is_finished:
        from unlatch.increments.records.pending import supersede  # noqa: PLC0415  (as above)

        pending = supersede(pending, before.reopens)
    if enqueue:
        intent = _derived(before, to, intent)
        new = build_operations(before, enqueue, intent, by=intent.by)
        pending, unanswered = (*pending, *new), _unanswered(before, new, intent)
    elif before.status.is_finished and not to.is_finished:
        pinned = before.links
    event = Transitioned(origin=before.status, to=to, forced=intent.forced, **intent.facts)
    after = before.with_status(to, pending)
    return Plan(before, after, pin_base=pinned, unanswered=unanswered, event=event)


def _derived(before: Increment, to: Status, intent: Intent) -> Intent:
    """The intent with the id that follows from what it answers."""
    from unlatch.increments.files.changes.ids import close_id, reopen_id  # noqa: PLC0415

    if before.is_item or intent.is_derived:
        return intent
    op = close_id if to.is_finished else reopen_id
    return intent.derived(op(before, intent.text))


def plan_amend(before: Increment, amended: AppliedAmendment, *operations: Operation) -> Plan:
    """Change the work of an increment whose status stays; StoreError if that is not allowed."""
    from unlatch.increments.files.work.amendments import plan_amendment  # noqa: PLC0415
    from unlatch.increments.records.events import amended_event  # noqa: PLC0415

    amended_work = plan_amendment(before, amended)
    pending, amendments = (*before.pending, *operations), (*before.amendments, amended_work)
    after = replace(before, pending=pending, amendments=amendments)
    return Plan(before, after, amended=amended_work, event=amended_event(amended_work))


def plan_enqueue(before: Increment, *operations: Operation, unanswered: Iterable[str] = ()) -> Plan:
    """Enqueue operations without a change of status; `unanswered` as in `Plan`."""
    after = replace(before, pending=(*before.pending, *operations))
    return Plan(before, after, unanswered=tuple(unanswered))


def build_operations(
    before: Increment, kind: Kind, intent: Intent, *, by: str | None
) -> tuple[Operation, ...]:
    """An operation for each item that the intent does not exclude."""
    from unlatch.increments.records.links import same_item  # noqa: PLC0415  (for items alone)

    return tuple(
        build_operation(kind, link, intent, by)
        for link in before.links
        if not any(same_item(link, other) for other in intent.exclude)
    )


def build_operation(kind: Kind, link: Link, intent: Intent, by: str | None) -> Operation:
    from unlatch.spi.operation import Operation  # noqa: PLC0415  (as above)

    item = link.tracker, link.key
    return Operation(intent.op, kind, *item, intent.at, by, intent.reason, options=intent.delivery)


def _command_towards(status: Status, to: Status) -> str:
    """The command that makes the first of the fewest moves to a status."""
    if status.is_finished:
        return "resume"
    seen, ways = (
        {status},
        [(next_status, next_status) for next_status in _COMMANDS if status.can_become(next_status)],
    )
    for now, first in ways:
        if now is to:
            return _COMMANDS[first]
        seen.add(now)
        ways += [
            (status, first) for status in _COMMANDS if now.can_become(status) and status not in seen
        ]
    return _COMMANDS[ways[0][1]]


def check_transition(before: Increment, to: Status, reason: str | None) -> None:
    """Raise `transition-refused`, or `reason-missing` where leaving a status needs one."""
    if not before.status.can_become(to):
        verb = _command_towards(before.status, to)
        hint = f"unlatch {verb} {quote(before.id)}"
        message = f"{before.id} is {before.status} and cannot become {to}"
        raise StoreError("transition-refused", message, where=str(before.folder), hint=hint)
    if before.status.is_finished and not reason:
        message = f"{before.id} is {before.status}; resuming it needs a reason"
        hint = f"unlatch resume {quote(before.id)} --reason TEXT"
        raise UsageError("reason-missing", message, hint=hint)
