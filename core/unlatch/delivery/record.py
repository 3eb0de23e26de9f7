"""Record attempts and deliveries in metadata.json."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from unlatch.delivery.changes import compute_effect
from unlatch.delivery.states import Event, State, advance, classify_error
from unlatch.delivery.task import DeliveryTask, Effect
from unlatch.errors import Limited, StoreError, TrackerError, UnlatchError
from unlatch.increments.files import outbox
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.reopens import SyncedItem
from unlatch.spi.change import Change, Goal, Outcome, seen_of
from unlatch.spi.item import RemoteItem
from unlatch.spi.operation import Category, Kind, Operation, SeenItem

# After these events an attempt is noted as failed; after the first three it counts.
_COUNTED = frozenset({Event.NEEDS_PERSON, Event.REFUSED, Event.REFUSED_TOO_OFTEN})
_NOTED = _COUNTED | {Event.LIMITED, Event.NOT_SENT, Event.UNCLEAR}


def note_attempts(tasks: Sequence[DeliveryTask]) -> list[Event | None]:
    """Note attempts for operations of one increment before they are sent.

    Returns:
        For each, the event that keeps it from being sent, or None.
    """
    notes = {task.operation: seen_before(task) for task in tasks}
    noted = outbox.note_attempts(tasks[0].manager, tasks[0].increment.id, notes)
    return [_take_note(task, noted.get(task.operation)) for task in tasks]


def _take_note(task: DeliveryTask, now: Operation | None) -> Event | None:
    if now is None:
        task.remark("it was undone or unlinked meanwhile")
        return Event.GONE
    task.noted = task.written = now.state is task.operation.state
    task.operation = now
    if task.noted:
        return None
    # A later change of status struck its state part: nothing was sent, and it is planned again.
    task.increment = task.manager.read(task.increment.id)
    return Event.NOT_TAKEN


def seen_before(task: DeliveryTask) -> SeenItem | None:
    """Return the item as read, unless some of the operation was done before.

    A marker without an attempt of ours is from another clone.
    """
    return None if task.snapshot is None or task.markers else seen_of(task.snapshot.item)


def keep_effect(task: DeliveryTask, outcome: Outcome) -> Effect:
    """Keep the effect so far, compared with the item before the first attempt."""
    attempt = task.operation.attempt
    before = attempt.before if attempt and task.operation.kind is not Kind.UNDO else None
    if task.evidence.sends > 1 or (attempt and attempt.number > 1):
        # An earlier send of this operation may have written the text.
        outcome = replace(outcome, unchanged=False)
    if task.markers and outcome.account is None:
        outcome = replace(outcome, account=task.markers[0].author)
    task.effect = compute_effect(
        task.operation.kind,
        task.change or Change(task.operation.op),
        before or seen_before(task),
        outcome,
        commented=bool(task.markers) or outcome.commented,
    )
    return task.effect


def record_delivery(task: DeliveryTask, effect: Effect) -> None:
    """Take a delivered operation out of `pending`, and record its item as it is now."""
    operation, after = task.operation, effect.after
    place, base = (after.ref.tracker, after.ref.id, after.ref.url), _base(task, after)
    seen = (effect.before, seen_of(after))
    is_create = operation.kind is Kind.CREATE
    outbox.record_delivery(
        task.manager,
        task.increment.id,
        operation,
        reached=SyncedItem(*place, *seen, effect.labels_added, effect.labels_removed),
        base=base,
        result=effect.result,
        commented=effect.commented,
        refused=effect.refused,
        account=effect.account,
        link=Link(*place, base, story=operation.story) if is_create else None,
        boxes=task.boxes,
    )
    task.error = None


def _base(task: DeliveryTask, after: RemoteItem) -> Base | None:
    """Return both sides, if they are in sync or differ on purpose."""
    status = task.increment.status
    is_on_purpose = task.is_kept_open and after.category.is_open
    if after.category.is_open is status.is_finished and not is_on_purpose:
        return None
    return Base(status.value, after.category.value, after.state, task.boxes)


def decided_base(task: DeliveryTask, goal: Goal) -> Base:
    """Both sides as the operation left them, so that a later decision on the item is a change."""
    category = Category.DOING if goal is Goal.OPEN else Category.DONE
    if goal is Goal.NOT_PLANNED:
        category = Category.DROPPED
    return Base(task.increment.status.value, category.value, category.value)


def record_failure(task: DeliveryTask, error: UnlatchError) -> None:
    """Continue from an error; it is noted first, if the files can be written."""
    task.error = error
    if isinstance(error, TrackerError) and error.done is not None:
        keep_effect(task, error.done)
    attempt, evidence, now = task.operation.attempt, task.evidence, task.run.workspace.clock()
    refusals = (attempt.number if attempt else 0) + (not task.noted)
    event = classify_error(
        error, evidence.state, sent=task.noted, sends=evidence.sends, refusals=refusals
    )
    seconds = error.retry_after if isinstance(error, Limited) else None
    retry_at = None if seconds is None else now + timedelta(seconds=seconds)
    task.evidence = replace(advance(evidence, event), now=now, cause=error.id, retry_at=retry_at)
    if event is Event.UNCLEAR:
        task.run.mark_unknown(task.link)
    # What was not even sent leaves no note.
    is_sent = task.noted or not (isinstance(error, TrackerError) and error.withheld)
    if is_sent and event in _NOTED and _is_news(task, error, event):
        _close_attempt(task, error, event, was_unknown=evidence.state is State.UNKNOWN)
    task.noted, task.snapshot = False, None


def _is_news(task: DeliveryTask, error: UnlatchError, event: Event) -> bool:
    """Whether the note on disk differs: a file is not changed without need."""
    is_freed = task.operation.is_blocked and task.evidence.state is not State.BLOCKED
    attempt = None if task.noted or event in _COUNTED else task.operation.attempt
    return is_freed or attempt is None or attempt.is_open or attempt.cause != error.id


def _close_attempt(
    task: DeliveryTask, error: UnlatchError, event: Event, *, was_unknown: bool
) -> None:
    failure = outbox.Failure(
        cause=error.id,
        counts=event in _COUNTED,
        in_doubt=was_unknown or event is Event.UNCLEAR,
        retry_at=task.evidence.retry_at,
        remedy=error.remedy if isinstance(error, TrackerError) else None,
        # A proxy may answer 429 after the tracker has acted, so a limit proves nothing.
        untouched=event is not Event.LIMITED and _is_untouched(task),
        unblock=task.evidence.state is not State.BLOCKED,
    )
    try:
        closed = outbox.close_attempt(task.manager, task.increment.id, task.operation, failure)
    except StoreError:
        return  # the note stays open: the outcome counts as unknown
    task.operation = closed or task.operation


def _is_untouched(task: DeliveryTask) -> bool:
    """Whether the item is known to be as it was before the first attempt."""
    attempt, snapshot, effect = task.operation.attempt, task.snapshot, task.effect
    if attempt is None or snapshot is None or attempt.before != seen_of(snapshot.item):
        return False
    return effect is None or (effect.after == snapshot.item and not effect.commented)
