"""What an error means for an operation, and the note that is kept about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.delivery.record import keep
from unlatch.delivery.states import Event, State, advance, event_of
from unlatch.errors import Limited, StoreError, TrackerError
from unlatch.increments.files.outbox import close_attempt
from unlatch.increments.records.links import link_of
from unlatch.spi.operation import seen_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.delivery.course import Course
    from unlatch.errors import UnlatchError

# How an attempt that did not deliver is noted; of an event that is missing nothing is.
_NOTES: Mapping[Event, Mapping[str, bool]] = MappingProxyType(
    {
        Event.LIMITED: {"counts": False},
        Event.NOT_SENT: {"counts": False},
        Event.NEEDS_PERSON: {"counts": True},
        Event.REFUSED: {"counts": True},
        Event.REFUSED_TOO_OFTEN: {"counts": True},
        Event.UNCLEAR: {"counts": False, "in_doubt": True},
    }
)


def failed(course: Course, error: UnlatchError) -> None:
    """Go on from an error; it is noted first, where that can be written."""
    course.error = error
    if isinstance(error, TrackerError) and error.done is not None:
        keep(course, error.done)
    attempt = course.operation.attempt
    number = attempt.number if attempt else 0
    was_unknown = course.evidence.state is State.UNKNOWN
    event = event_of(
        error,
        course.evidence.state,
        sent=course.noted,
        sends=course.evidence.sends,
        refusals=number + (not course.noted),
    )
    seconds = error.retry_after if isinstance(error, Limited) else None
    now = course.run.workspace.clock()
    retry_at = None if seconds is None else now + timedelta(seconds=seconds)
    course.evidence = replace(
        advance(course.evidence, event), now=now, cause=error.id, retry_at=retry_at
    )
    if event is Event.UNCLEAR:
        course.run.doubt(link_of(course.increment, course.operation))
    if event in _NOTES and _is_news(course, error, event):
        how = {**_NOTES[event], **({"in_doubt": True} if was_unknown else {})}
        # A proxy may answer 429 of what the tracker has done, so a limit proves nothing.
        untouched = event is not Event.LIMITED and _is_untouched(course)
        _note_failure(course, error, retry_at=retry_at, untouched=untouched, **how)
    course.noted, course.snapshot = False, None


def _is_news(course: Course, error: UnlatchError, event: Event) -> bool:
    """Whether the note on disk does not say so already: a file is not changed for nothing."""
    attempt = course.operation.attempt
    if course.noted or attempt is None or attempt.is_open or _NOTES[event]["counts"]:
        return True
    return attempt.cause != error.id


def _note_failure(course: Course, error: UnlatchError, **how: Any) -> None:
    manager = course.run.workspace.manager
    try:
        now = close_attempt(
            manager,
            course.increment.id,
            course.operation,
            cause=error.id,
            remedy=error.remedy if isinstance(error, TrackerError) else None,
            **how,
        )
    except StoreError:
        return  # it stays as it was noted, which is the careful reading
    if now is not None:
        course.operation = now


def _is_untouched(course: Course) -> bool:
    """Whether the item is known to be as it was before the first attempt."""
    attempt, snapshot = course.operation.attempt, course.snapshot
    if attempt is None or snapshot is None or attempt.before != seen_of(snapshot.item):
        return False
    done = course.outcome
    return done is None or (done.after == snapshot.item and not done.commented)
