"""The ids of operations: each follows from what it answers, so that every machine finds the same.

An id is computed once and stored. The same reopen, repeated elsewhere, has the same id, so that its
comment is recognized; the same words after a further close have another one (decision 2).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.increments.model.status import read_status
from unlatch.worklog.ids import derived_ulid, following_ulid
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import Amendment
    from unlatch.increments.records.status_events import Moved


# An event's id, or a recorded time, with the moment of it.
_Answered = tuple[str, "datetime"]


def reopen_id(
    before: Increment, text: str | None, amendment: Amendment | None = None
) -> str | None:
    """The id of a reopen, which answers what finished the increment; None if nothing says it.

    Args:
        text: the key, else the reason.
    """
    return _answering(before, text, "reopen", _finishing(before), amendment)


def close_id(before: Increment, text: str | None) -> str | None:
    """The id of a completion, which answers the last reopen, else the creation."""
    return _answering(before, text, "close", _beginning(before))


def pull_id(before: Increment, side: str) -> str | None:
    """The id with which an increment follows its items to a side; None if nothing says it.

    It answers the first change on the trackers since the status last changed here. The reason names
    a person who may be unknown to another checkout, so it is not among the facts.
    """
    answered = _finishing(before) if before.status.is_finished else _beginning(before)
    if answered is None:
        return None
    word, at = answered
    return derived_ulid(at, ["pull", before.id, side, word])


def undo_id(before: Increment, text: str | None, reopen: str) -> str:
    """The id of the undo of a reopen, by the reopen's id."""
    return following_ulid(reopen, ["undo", before.id, text])


def retry_id(before: Increment, refused: str) -> str:
    """The id of the operation that asks again for what was refused to an operation."""
    return following_ulid(refused, ["retry", before.id])


def item_id(
    kind: str, item: Sequence[str], text: str | None, answered: datetime | None
) -> str | None:
    """The id of a reopen or close of an item alone; None if nothing says what it answers.

    Args:
        item: its identity (`records.links.identity`).
        answered: when the tracker says that it was closed, or opened; None if unknown.
    """
    if answered is None:
        return None
    # A tracker may show the time of one close with other fractions in the item and its history.
    second = answered.astimezone(UTC).replace(microsecond=0)
    return derived_ulid(second, [kind, [*item], text, second.isoformat()])


def _answering(
    before: Increment,
    text: str | None,
    kind: str,
    answered: _Answered | None,
    amendment: Amendment | None = None,
) -> str | None:
    if answered is None:
        return None
    word, at = answered
    facts: list[object] = [kind, before.id, text, word]
    if amendment is not None:
        # The same words with other tasks are another change of the work.
        titles = [task.title for task in amendment.tasks]
        facts.append([amendment.change, titles, [*amendment.parts]])
    return derived_ulid(at, facts)


def _finishing(before: Increment) -> _Answered | None:
    """What completed or abandoned an increment: an event, else the recorded time."""
    events = [event for event in _moves(before) if _is_finished(event.to)]
    if events:
        return events[-1].id, events[-1].at
    return _at(before.completed_at)


def _beginning(before: Increment) -> _Answered | None:
    """What made an increment unfinished: its last reopen, else its creation."""
    reopens = [event for event in _moves(before) if _is_finished(event.origin)]
    if reopens := [event for event in reopens if not _is_finished(event.to)]:
        return reopens[-1].id, reopens[-1].at
    return _at(read_stamp(before.data.get("created")))


def _at(moment: datetime | None) -> _Answered | None:
    return None if moment is None else (moment.isoformat(), moment)


def _moves(before: Increment) -> list[Moved]:
    from unlatch.increments.records.events import (  # noqa: PLC0415  (slow to load)
        lost_events,
        read_events,
    )
    from unlatch.increments.records.status_events import Moved  # noqa: PLC0415
    from unlatch.worklog.event_log import in_order  # noqa: PLC0415

    events = read_events(before.folder, before.reopens)
    every = in_order([*events, *lost_events(before, events)])
    return [event for event in every if isinstance(event, Moved)]


def _is_finished(word: str) -> bool:
    status = read_status(word)
    return status is not None and status.is_finished
