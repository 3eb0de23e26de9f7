"""Plans for changes of an increment: its new status, and the operations that follow from it.

One pure function makes each plan: for a dry run from the increment as it was read, and for the
change itself from the increment as it is under its lock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.amendments import plan_amendment
from unlatch.increments.files.reading import completion_keys, times_in
from unlatch.increments.model.increment import Amended, Amendment, Increment, Link, ReopenEntry
from unlatch.increments.model.status import LIFECYCLE, Status, read_status
from unlatch.increments.records.events import (
    Reopened,
    Transitioned,
    Undone,
    amended_event,
    read_events,
    reopened_event,
)
from unlatch.increments.records.links import same_item
from unlatch.increments.records.pending import struck, supersede
from unlatch.spi.operation import AS_CONFIGURED, Attempt, DeliveryOptions, Kind, Operation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from unlatch.worklog.event_log import Event


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
    """Who wants a change, when and why.

    Args:
        op: the ULID of the operations that follow from it.
        exclude: links whose items are left alone.
        source: the item that the change follows, for a pull.
        forced: the ids of the rule violations that were overridden.
    """

    op: str
    at: datetime
    by: str
    reason: str | None = None
    options: DeliveryOptions = AS_CONFIGURED
    exclude: Collection[Link] = ()
    source: str | None = None
    category: str | None = None
    forced: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """The part of it that an event records."""
        return {"id": self.op, "at": self.at, "by": self.by, "reason": self.reason}


class IntentDetails(TypedDict, total=False):
    """The parts of an intent that have defaults, as keywords."""

    options: DeliveryOptions
    exclude: Collection[Link]
    source: str | None
    category: str | None
    forced: tuple[str, ...]


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
        event: None if only the pending operations change.
    """

    before: Increment
    after: Increment
    entry: ReopenEntry | None = None
    undone: tuple[ReopenEntry, ...] = ()
    amended: Amended | None = None
    pin_base: tuple[Link, ...] = ()
    event: Event | None = None

    @property
    def new(self) -> frozenset[str]:
        """The intents that it would add."""
        known = {operation.op for operation in self.before.pending}
        return frozenset(operation.op for operation in self.after.pending) - known


def plan_reopen(
    before: Increment,
    intent: Intent,
    *,
    amendment: Amendment | None = None,
    more: Iterable[Operation] = (),
) -> Plan:
    """Reopen a completed increment; `more` operations follow from the change of its work."""
    if before.status is not Status.COMPLETED:
        raise StoreError(
            "not-completed",
            f"{before.id} is {before.status}; only a completed increment can be reopened",
            hint=f"unlatch show {before.id}",
        )
    times = (before.data[key] for key in times_in(before.data, completion_keys(before.status)))
    entry = ReopenEntry(
        id=intent.op,
        reopened_at=intent.at,
        reason=intent.reason or "",
        previous_status=before.status,
        previous_completed_at=next(filter(None, times), None),
        reopened_by=intent.by,
        category=intent.category,
        source=intent.source,
        forced=intent.forced,
        struck=struck(before.pending),
    )
    if amendment:
        made = Amended(intent.op, intent.at, intent.by, amendment, intent.reason)
        entry = replace(entry, amendment=plan_amendment(before.folder, made).amendment)
    kept = supersede(before.pending, before.reopens)
    # The reason and the author are in the entry.
    new = build_operations(before, Kind.REOPEN, replace(intent, reason=None), by=None)
    reopens, pending = (*before.reopens, entry), (*kept, *new, *more)
    after = replace(before, status=Status.ACTIVE, reopens=reopens, pending=pending)
    pinned = tuple(intent.exclude) if entry.amendment else ()
    return Plan(before, after, entry, pin_base=pinned, event=reopened_event(entry))


def plan_transition(
    before: Increment, to: Status, intent: Intent, *, enqueue: Kind | None = None
) -> Plan:
    """Move an increment along the status table; `enqueue` is the operation for its items."""
    check_transition(before, to, intent.reason)
    pending = before.pending
    pinned: tuple[Link, ...] = ()
    if to.is_finished != before.status.is_finished:
        pending = supersede(pending, before.reopens)
    if enqueue:
        pending = (*pending, *build_operations(before, enqueue, intent, by=intent.by))
    elif before.status.is_finished and not to.is_finished:
        pinned = before.links
    event = Transitioned(origin=before.status, to=to, forced=intent.forced, **intent.facts)
    after = replace(before, status=to, pending=pending)
    return Plan(before, after, pin_base=pinned, event=event)


def plan_undo(before: Increment, intent: Intent) -> Plan:
    """Undo the last reopen, with those that other clones made of the same completion.

    Pending operations of the reopens are withdrawn. Each operation that undoes one takes over the
    note of its last attempt: the item as the reopen found it, and a request that may still take
    effect.
    """
    entries = undoable(before)
    to, ids = entries[-1].previous_status, {entry.id for entry in entries}
    kept = tuple(operation for operation in before.pending if operation.op not in ids)
    made = (_undo_operation(before, entries, link, intent) for link in before.links)
    mark = partial(replace, reverted_at=intent.at, revert=intent.op)
    reopens = tuple(mark(one) if one.id in ids else one for one in before.reopens)
    after = replace(before, status=to, reopens=reopens, pending=(*kept, *made))
    event = Undone(origin=before.status, to=to, reopen=entries[-1].id, **intent.facts)
    return Plan(before, after, undone=tuple(map(mark, entries)), event=event)


def _undo_operation(
    before: Increment, entries: Sequence[ReopenEntry], link: Link, intent: Intent
) -> Operation:
    # Where a reopen struck a close, the item is to be closed, however the reopen found it.
    kind = Kind.CLOSE if any(link.key in one.struck for one in entries) else Kind.UNDO
    attempt = _last_attempt(before, entries, link, intent.at)
    return replace(_operation(kind, link, intent, intent.by), attempt=attempt)


def _last_attempt(
    before: Increment, entries: Sequence[ReopenEntry], link: Link, at: datetime
) -> Attempt | None:
    """The last attempt to reopen one item, as a note for its undo.

    Of several reopens it is one that may still take effect; the state is the one before the first.
    """
    found = [one for entry in entries if (one := _attempt(before, entry, link, at))]
    if not found:
        return None
    seen = [one.before for one in found if one.before]
    closed = (one for one in seen if one.category and not one.category.is_open)
    last = next((one for one in found if one.is_open), found[-1])
    return replace(last, before=next(closed, last.before))


def _attempt(before: Increment, entry: ReopenEntry, link: Link, at: datetime) -> Attempt | None:
    for operation in before.pending:
        if operation.key == (entry.id, link.tracker, link.key):
            return operation.attempt and replace(operation.attempt, number=0, retry_at=None)
    for synced in entry.synced_to:
        if synced.before and same_item(link, synced.link):
            return Attempt(0, at, synced.before, ended=at)
    return None


def plan_amend(before: Increment, amended: Amended, *operations: Operation) -> Plan:
    """Change the work of an increment whose status stays; raises as `plan_amendment`."""
    made = plan_amendment(before.folder, amended)
    pending, amendments = (*before.pending, *operations), (*before.amendments, made)
    after = replace(before, pending=pending, amendments=amendments)
    return Plan(before, after, amended=made, event=amended_event(made))


def plan_enqueue(before: Increment, *made: Operation) -> Plan:
    """Enqueue operations without a change of status."""
    return Plan(before, replace(before, pending=(*before.pending, *made)))


def build_operations(
    before: Increment, kind: Kind, intent: Intent, *, by: str | None
) -> tuple[Operation, ...]:
    """An operation for each item that the intent does not exclude."""
    return tuple(
        _operation(kind, link, intent, by)
        for link in before.links
        if not any(same_item(link, other) for other in intent.exclude)
    )


def _operation(kind: Kind, link: Link, intent: Intent, by: str | None) -> Operation:
    item = link.tracker, link.key
    return Operation(intent.op, kind, *item, intent.at, by, intent.reason, options=intent.options)


def undoable(increment: Increment) -> tuple[ReopenEntry, ...]:
    """The reopens that undo takes back, the oldest first; StoreError `nothing-to-undo`.

    Usually the last one alone: several if clones reopened one completion, and git merged them.
    """
    standing = [entry for entry in increment.reopens if entry.reverted_at is None]
    if standing and increment.status is Status.ACTIVE:
        since = _reopened_since_finish(increment)
        if standing[-1].id in since:
            completed = standing[-1].previous_completed_at
            same = (one for one in standing if one.previous_completed_at == completed)
            return tuple(one for one in same if one.id in since)
        why = "its status has changed since the last one"
    elif standing:
        why = f"it is {increment.status} now, no longer active"
    else:
        why = "its reopens are undone already" if increment.reopens else "it was never reopened"
    raise StoreError(
        "nothing-to-undo",
        f"{increment.id} has no reopen to undo: {why}",
        hint=f"unlatch history {increment.id}",
    )


def _reopened_since_finish(increment: Increment) -> set[str]:
    """The ids of the reopens after which the increment was not completed or abandoned again."""
    found: set[str] = set()
    for event in read_events(increment.folder, increment.reopens):
        if isinstance(event, Reopened):
            found.add(event.id)
        elif isinstance(event, Transitioned) and _is_finished(event.to):
            found.clear()
    return found


def _is_finished(word: str) -> bool:
    status = read_status(word)
    return status is not None and status.is_finished


def check_transition(before: Increment, to: Status, reason: str | None) -> None:
    """Raise `transition-refused`, or `reason-missing` where leaving a status needs one."""
    if not before.status.can_become(to):
        moves = sorted(LIFECYCLE.moves[before.status] & _COMMANDS.keys())
        hint = " or ".join(f"unlatch {_COMMANDS[move]} {before.id}" for move in moves)
        if before.status.is_finished:
            hint = f"unlatch resume {before.id}"
        message = f"{before.id} is {before.status} and cannot become {to}"
        raise StoreError("transition-refused", message, where=str(before.folder), hint=hint)
    if before.status.is_finished and not reason:
        message = f"{before.id} is {before.status}; resuming it needs a reason"
        raise UsageError("reason-missing", message, hint="--reason TEXT says why")
