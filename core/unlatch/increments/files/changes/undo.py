"""Plan an undo: the reopens to take back, and the operations that follow."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from shlex import quote

from unlatch.errors import StoreError
from unlatch.increments.files.changes.ids import undo_id
from unlatch.increments.files.changes.plans import Intent, Plan, build_operation
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import ReopenEntry
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.events import Reopened, Undone, read_events
from unlatch.increments.records.links import same_item
from unlatch.increments.records.status_events import Transitioned
from unlatch.spi.operation import Attempt, Kind, Operation
from unlatch.worklog.times import read_stamp

# The reason of an undo without one.
UNDONE = "the last reopen was taken back"


def plan_undo(before: Increment, intent: Intent) -> Plan:
    """Undo the last reopen, and those of the same completion by other clones.

    Pending operations of the reopens are withdrawn. The undo of an operation takes over its last
    attempt: the item before the reopen, and any request that may still take effect.
    """
    entries = undoable(before)
    intent = intent.derived(undo_id(before, intent.reason, entries[-1].id))
    to, ids = entries[-1].previous_status, {entry.id for entry in entries}
    kept = tuple(operation for operation in before.pending if operation.op not in ids)
    undos = (_undo_operation(before, entries, link, intent) for link in before.links)
    mark = partial(replace, reverted_at=intent.at, revert=intent.op)
    reopens = tuple(mark(entry) if entry.id in ids else entry for entry in before.reopens)
    after = replace(before, status=to, reopens=reopens, pending=(*kept, *undos))
    event = Undone(origin=before.status, to=to, reopen=entries[-1].id, **intent.facts)
    return Plan(before, after, undone=tuple(map(mark, entries)), event=event)


def _undo_operation(
    before: Increment, entries: Sequence[ReopenEntry], link: Link, intent: Intent
) -> Operation:
    # If the reopen struck a close, the undo closes the item in any case.
    kind = Kind.CLOSE if any(link.key in entry.struck for entry in entries) else Kind.UNDO
    reached = (synced.link for entry in entries for synced in entry.synced_to)
    if kind is Kind.CLOSE and any(same_item(link, other) for other in reached):
        # A close without a reason has no comment; the item keeps the comment of the reopen.
        intent = replace(intent, reason=intent.reason or UNDONE)
    attempt = _last_attempt(before, entries, link, intent.at)
    return replace(build_operation(kind, link, intent, intent.by), attempt=attempt)


def _last_attempt(
    before: Increment, entries: Sequence[ReopenEntry], link: Link, at: datetime
) -> Attempt | None:
    """The last attempt to reopen one item, as a note for its undo.

    Of several reopens, one that may still take effect counts; the state is that before the first.
    """
    attempts = [attempt for entry in entries if (attempt := _attempt(before, entry, link, at))]
    if not attempts:
        return None
    seen = [attempt.before for attempt in attempts if attempt.before]
    closed = (item for item in seen if item.category and not item.category.is_open)
    last = next((attempt for attempt in attempts if attempt.is_open), attempts[-1])
    return replace(last, before=next(closed, last.before))


def _attempt(before: Increment, entry: ReopenEntry, link: Link, at: datetime) -> Attempt | None:
    for operation in before.pending:
        if operation.key == (entry.id, link.tracker, link.key):
            return operation.attempt and replace(operation.attempt, number=0, retry_at=None)
    for synced in entry.synced_to:
        if synced.before and same_item(link, synced.link):
            return Attempt(0, at, synced.before, ended=at)
    return None


def undoable(increment: Increment) -> tuple[ReopenEntry, ...]:
    """The reopens that an undo takes back, the oldest first; StoreError `nothing-to-undo`.

    Usually the last one alone; several if clones reopened the same completion and git merged them.
    """
    # Another tool's reopen is left to that tool.
    ours = [entry for entry in increment.reopens if not entry.is_foreign]
    standing = [entry for entry in ours if entry.reverted_at is None]
    if standing and (increment.status is Status.ACTIVE or increment.is_item):
        since = _reopened_since_finish(increment)
        if increment.is_item and standing[-1].id not in since:
            return (standing[-1],)  # its close was withdrawn
        if standing[-1].id in since:
            completed = standing[-1].previous_completed_at
            same = (entry for entry in standing if entry.previous_completed_at == completed)
            return tuple(entry for entry in same if entry.id in since)
        why = "its status has changed since the last one"
    elif standing:
        why = f"it is {increment.status} now, no longer active"
    else:
        why = "its reopens are undone already" if ours else "another tool reopened it"
        why = why if increment.reopens else "it was never reopened"
    raise StoreError(
        "nothing-to-undo",
        f"{increment.name} has no reopen to undo: {why}",
        hint=f"unlatch history {quote(increment.argument)}",
    )


def _reopened_since_finish(increment: Increment) -> set[str]:
    """The ids of the reopens after which the increment was not completed or abandoned again.

    The clock of a reopen may be behind that of the completion which it records.
    """
    ids: set[str] = set()
    completed = {entry.id: read_stamp(entry.previous_completed_at) for entry in increment.reopens}
    for event in read_events(increment.folder, increment.reopens):
        if isinstance(event, Reopened):
            ids.add(event.id)
        elif isinstance(event, Transitioned) and _is_finished(event.to):
            ids = {id_ for id_ in ids if _is_from(completed.get(id_), event.at)}
    return ids


def _is_from(moment: datetime | None, since: datetime) -> bool:
    return moment is not None and moment >= since


def _is_finished(word: str) -> bool:
    status = read_status(word)
    return status is not None and status.is_finished
