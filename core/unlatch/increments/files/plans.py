"""What a change of an increment comes to: its new status, and the operations that follow from it.

A plan is decided by one pure function, for a dry run from the increment as it was read, and for the
change itself under its lock from the increment as it is then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.amendments import amended_entry
from unlatch.increments.files.reading import COMPLETED_KEYS
from unlatch.increments.model.increment import Increment, ReopenEntry
from unlatch.increments.model.status import LIFECYCLE, Status
from unlatch.increments.records.links import same_item
from unlatch.increments.records.records import struck, supersede
from unlatch.spi.operation import Attempt, Kind, Operation
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from unlatch.increments.model.amendment import Amendment
    from unlatch.increments.model.increment import Link
    from unlatch.worklog.event_log import Event


@dataclass(frozen=True, slots=True)
class Intent:
    """Who wants a change, when and why.

    Args:
        op: the ULID of the operations that follow from it.
        options: how they are to be delivered.
        exclude: links whose items are left alone.
    """

    op: str
    at: datetime
    by: str
    reason: str | None = None
    options: DeliveryOptions = AS_CONFIGURED
    exclude: Collection[Link] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change of an increment comes to.

    Args:
        before: the increment as it is.
        after: the increment as it would be, with everything that would be pending.
        entry: the new entry of reopenHistory, for a reopen.
        undone: the entry that is marked as undone, for an undo.
        pin_base: links whose items stay as they are, so that no sync takes that for drift.
        event: the line for events.jsonl; None if nothing changes but what is pending.
    """

    before: Increment
    after: Increment
    entry: ReopenEntry | None = None
    undone: ReopenEntry | None = None
    pin_base: tuple[Link, ...] = ()
    event: Event | None = None

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations that would be pending."""
        return self.after.pending

    @property
    def new(self) -> frozenset[str]:
        """The intents that it would add."""
        known = {operation.op for operation in self.before.pending}
        return frozenset(operation.op for operation in self.after.pending) - known


def plan_reopen(
    before: Increment,
    intent: Intent,
    *,
    source: str | None = None,
    category: str | None = None,
    forced: tuple[str, ...] = (),
    amendment: Amendment | None = None,
    more: Iterable[Operation] = (),
) -> Plan:
    """Reopening a completed increment.

    Args:
        source: the item that it follows, for a pull.
        category: the kind of reason that it is.
        forced: the ids of the rule violations that were overridden.
        amendment: what is changed about the work.
        more: further operations that follow from it.

    Raises:
        StoreError: `not-completed`, or as `plan_amendment`.
        UsageError: as `plan_amendment`.
    """
    from unlatch.increments.records.events import reopened_event  # noqa: PLC0415  (reading needs none)

    if before.status is not Status.COMPLETED:
        raise StoreError(
            "not-completed",
            f"{before.id} is {before.status}; only a completed increment can be reopened",
            hint=f"unlatch show {before.id}",
        )
    entry = ReopenEntry(
        id=intent.op,
        reopened_at=intent.at,
        reason=intent.reason or "",
        previous_status=before.status,
        previous_completed_at=completed_text(before.data),
        reopened_by=intent.by,
        category=category,
        source=source,
        forced=forced,
        struck=struck(before.pending),
    )
    if amendment:
        entry = amended_entry(before, entry, amendment)
    kept = supersede(before.pending, before.reopens)
    # The reason and the author are in the entry.
    made = build_operations(before, Kind.REOPEN, replace(intent, reason=None), by=None)
    after = replace(
        before,
        status=Status.ACTIVE,
        reopens=(*before.reopens, entry),
        pending=(*kept, *made, *more),
    )
    apart = tuple(intent.exclude) if entry.amendment and entry.amendment.parts else ()
    return Plan(before, after, entry, pin_base=apart, event=reopened_event(entry))


def plan_transition(
    before: Increment,
    to: Status,
    intent: Intent,
    *,
    enqueue: Kind | None = None,
    forced: tuple[str, ...] = (),
) -> Plan:
    """Moving an increment along the status table.

    Args:
        enqueue: the kind of operation for its items; None to leave them alone.
        forced: the ids of the rule violations that were overridden.

    Raises:
        StoreError: `transition-refused`, naming the moves that are open.
        UsageError: `reason-missing` where leaving a finished status needs one.
    """
    from unlatch.increments.records.events import Transitioned  # noqa: PLC0415  (reading needs none)

    check_transition(before, to, intent.reason)
    pending = before.pending
    if to.is_finished != before.status.is_finished:
        pending = supersede(pending, before.reopens)
    apart: tuple[Link, ...] = ()
    if enqueue:
        pending = (*pending, *build_operations(before, enqueue, intent, by=intent.by))
    elif before.status.is_finished and not to.is_finished:
        apart = before.links
    event = Transitioned(
        id=intent.op,
        at=intent.at,
        by=intent.by,
        origin=before.status,
        to=to,
        reason=intent.reason,
        forced=forced,
    )
    after = replace(before, status=to, pending=pending)
    return Plan(before, after, pin_base=apart, event=event)


def plan_undo(before: Increment, intent: Intent) -> Plan:
    """Undoing the last reopen.

    What is left of the reopen itself is withdrawn. The operation that undoes it takes over the
    note of its last attempt, and with it what the reopen found and whether something that was
    sent may still take effect.

    Raises:
        StoreError: `nothing-to-undo`.
    """
    from unlatch.increments.records.events import Undone  # noqa: PLC0415  (reading needs none)

    entry = undoable(before)
    kept = tuple(operation for operation in before.pending if operation.op != entry.id)
    made = tuple(_undoing(before, entry, link, intent) for link in before.links)
    marked = replace(entry, reverted_at=intent.at, revert=intent.op)
    reopens = tuple(marked if one is entry else one for one in before.reopens)
    after = replace(before, status=entry.previous_status, reopens=reopens, pending=(*kept, *made))
    event = Undone(
        id=intent.op,
        at=intent.at,
        by=intent.by,
        origin=before.status,
        to=entry.previous_status,
        reason=intent.reason,
        reopen=entry.id,
    )
    return Plan(before, after, undone=marked, event=event)


def _undoing(before: Increment, entry: ReopenEntry, link: Link, intent: Intent) -> Operation:
    """The operation that undoes a reopen of one item.

    Where the reopen struck a close, the item is to be closed, however the reopen found it.
    """
    is_struck = link.key in entry.struck
    made = Operation(
        intent.op,
        Kind.CLOSE if is_struck else Kind.UNDO,
        link.tracker,
        link.key,
        intent.at,
        intent.by,
        intent.reason,
        options=intent.options,
    )
    return replace(made, attempt=_taken_over(before, entry, link, intent.at))


def plan_enqueue(before: Increment, *made: Operation) -> Plan:
    """Operations that no change of status is behind."""
    return Plan(before, replace(before, pending=(*before.pending, *made)))


def build_operations(
    before: Increment, kind: Kind, intent: Intent, *, by: str | None
) -> tuple[Operation, ...]:
    """An operation for each item, the spared ones left out."""
    return tuple(
        Operation(
            intent.op,
            kind,
            link.tracker,
            link.key,
            intent.at,
            by,
            intent.reason,
            options=intent.options,
        )
        for link in before.links
        if not any(same_item(link, other) for other in intent.exclude)
    )


def undoable(increment: Increment) -> ReopenEntry:
    """The reopen that undo would take back: the last one, if nothing happened since.

    Raises:
        StoreError: `nothing-to-undo`.
    """
    standing = [entry for entry in increment.reopens if entry.reverted_at is None]
    if not standing:
        why = "it was never reopened" if not increment.reopens else "its reopens are undone already"
    elif increment.status is not Status.ACTIVE:
        why = f"it is {increment.status} now, no longer active"
    else:
        return standing[-1]
    raise StoreError(
        "nothing-to-undo",
        f"{increment.id} has no reopen to undo: {why}",
        hint=f"unlatch history {increment.id}",
    )


def completed_text(data: Mapping[str, Any]) -> str | None:
    """When an increment was completed, as its file spells it."""
    for key in times_in(data, COMPLETED_KEYS):
        if data[key]:
            return str(data[key])
    return None


def times_in(data: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, ...]:
    """The keys under which a time stands."""
    # A number or a truth value under such a name is another program's field.
    return tuple(key for key in keys if key in data and isinstance(data[key], str | None))


def _taken_over(before: Increment, entry: ReopenEntry, link: Link, at: datetime) -> Attempt | None:
    """What is known of the reopen of one item, as a note of the undo's own."""
    for operation in before.pending:
        if (operation.op, operation.tracker, operation.item) == (entry.id, link.tracker, link.key):
            return operation.attempt and replace(operation.attempt, number=0, retry_at=None)
    for synced in entry.synced_to:
        if synced.before and same_item(link, synced.link):
            return Attempt(0, at, synced.before, ended=at)
    return None


def check_transition(before: Increment, to: Status, reason: str | None) -> None:
    """Make sure that an increment may be moved to a status, for that reason.

    Raises:
        StoreError: `transition-refused`, naming the moves that are open.
        UsageError: `reason-missing` where leaving a finished status needs one.
    """
    if not LIFECYCLE.can_move(before.status, to):
        moves = (
            f"unlatch resume {before.id}"
            if before.status in LIFECYCLE.reopened
            else f"from {before.status} it can become "
            f"{', '.join(sorted(LIFECYCLE.moves[before.status]))}"
        )
        raise StoreError(
            "transition-refused",
            f"{before.id} is {before.status} and cannot become {to}",
            where=str(before.folder),
            hint=moves,
        )
    if LIFECYCLE.needs_reason(before.status) and not reason:
        raise UsageError(
            "reason-missing",
            f"{before.id} is {before.status}; resuming it needs a reason",
            hint="--reason TEXT says why",
        )
