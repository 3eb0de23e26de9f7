"""The types of events of an increment, beside those of `status_events`.

Each type is one class; reader, writer and JSON Schema come from it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.reopens import Amendment, AppliedAmendment, ReopenCause, ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.increments.records.pending import CAUSE, SEEN, read_seen
from unlatch.increments.records.status_events import LOG, UNWRITTEN, Signed
from unlatch.worklog.event_log import Event, in_order
from unlatch.worklog.record import (
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    ULID,
    WORD,
    WORDS,
    Type,
    key,
    record,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.spi.operation import Operation, SeenItem

# As STATUS.
_KIND, _RESULT = (Type(name, text) for name in ("Kind", "Result"))
_CAUSES = Type("Causes", CAUSE.read_all, CAUSE.write_all, blank=())
_SEEN_ITEM = Type("SeenItem", read_seen, SEEN.write)


@LOG.event("reopened")
@record
class Reopened(Signed):
    """A completed increment was reopened; the id is that of the entry in reopenHistory."""

    reason: str = key(TEXT)
    category: str | None = key(WORD, default=None)
    forced: tuple[str, ...] = key(WORDS, default=())
    change: str | None = key(WORD, "scopeChange", default=None)
    tasks: tuple[str, ...] = key(WORDS, default=())
    parts: tuple[str, ...] = key(WORDS, default=())


@LOG.event("amended")
@record
class Amended(Event):
    """The work was changed, and the status stayed."""

    reason: str | None = key(TEXT, default=None)
    change: str | None = key(WORD, "scopeChange", default=None)
    tasks: tuple[str, ...] = key(WORDS, default=())
    parts: tuple[str, ...] = key(WORDS, default=())


@LOG.event("broken")
@record
class Broken(Event):
    """Causes beside that of the last reopen, or that came back; `returns` counts how often."""

    causes: tuple[ReopenCause, ...] = key(_CAUSES)
    returns: int = key(NUMBER, default=0)


@LOG.event("undone")
@record
class Undone(Signed):
    """A reopen was undone."""

    reopen: str = key(ULID)
    reason: str | None = key(TEXT, default=None)


@record
class EventOnItem(Event):
    """An event about one item; `item` is its address, else its id."""

    tracker: str = key(TEXT)
    item: str = key(TEXT)


@LOG.event("delivered")
@record
class Delivered(EventOnItem):
    """An operation reached its item."""

    op: str = key(ULID)
    kind: str = key(_KIND)
    result: str = key(_RESULT)
    commented: bool = key(FLAG)
    reason: str | None = key(TEXT, default=None)
    # Before the first write, and after the last one.
    before: SeenItem | None = key(_SEEN_ITEM, default=None)
    after: SeenItem | None = key(_SEEN_ITEM, default=None)
    # Changed by this operation, not by people in between.
    labels_added: tuple[str, ...] = key(TEXTS, "labelsAdded", default=())
    labels_removed: tuple[str, ...] = key(TEXTS, "labelsRemoved", default=())
    # Labels that the tracker refused for good.
    labels_refused: tuple[str, ...] = key(TEXTS, "labelsRefused", default=())
    # The account that posted the comment, by the name that the tracker shows.
    account: str | None = key(TEXT, default=None)
    # The operation whose refused labels this one asked for again.
    retries: str | None = key(ULID, default=None)


@LOG.event("parked")
@record
class Parked(EventOnItem):
    """An operation is blocked until a person acts."""

    op: str = key(ULID)
    cause: str = key(TEXT)


@LOG.event("withdrawn")
@record
class Withdrawn(EventOnItem):
    """An operation that ended without effect, because of a later decision of a person."""

    op: str = key(ULID)
    kind: str = key(_KIND)
    why: str = key(TEXT)


@LOG.event("linked")
@record
class Linked(EventOnItem):
    """An item was linked to the increment."""


@LOG.event("unlinked")
@record
class Unlinked(EventOnItem):
    """An item was unlinked."""


@LOG.event("guards")
@record
class GuardsChanged(Event):
    """Tests that guard the work were linked, or unlinked."""

    linked: tuple[str, ...] = key(TEXTS, default=())
    unlinked: tuple[str, ...] = key(TEXTS, default=())


@LOG.event("synced")
@record
class Synced(EventOnItem):
    """Both sides were compared and recorded as in sync."""

    # The ids of tasks and criteria whose check boxes were changed on the item.
    ticked: tuple[str, ...] = key(TEXTS, default=())
    unticked: tuple[str, ...] = key(TEXTS, default=())
    # The address of the comment for which the item alone was changed, so that they differ.
    asked: str | None = key(TEXT, default=None)


@LOG.event("repointed")
@record
class Repointed(EventOnItem):
    """A link follows its item to another place."""

    origin: str = key(TEXT, "from")


def reopened_event(entry: ReopenEntry) -> Reopened:
    """The event of a reopen, derived from its entry in reopenHistory."""
    return Reopened(
        id=entry.id,
        at=entry.reopened_at,
        by=entry.reopened_by,
        origin=entry.previous_status,
        to=Status.ACTIVE,
        reason=entry.reason,
        category=entry.category,
        forced=entry.forced,
        **_work(entry.amendment or Amendment()),
    )


def amended_event(done: AppliedAmendment) -> Amended:
    """The event of an amendment, derived from its record."""
    return Amended(id=done.id, at=done.at, by=done.by, reason=done.reason, **_work(done.amendment))


def lost_events(increment: Increment, events: Sequence[Event]) -> list[Event]:
    """The events that metadata.json implies or keeps, and `events` lack, as after a full disk."""
    ids = {event.id for event in events}
    undone = {
        reopen.revert: reopen
        for reopen in increment.reopens
        if reopen.revert and reopen.reverted_at
    }
    implied = (
        *map(reopened_event, (reopen for reopen in increment.reopens if not reopen.is_foreign)),
        *map(amended_event, increment.amendments),
        *(_undone_event(increment, entry, events) for entry in undone.values()),
        *filter(None, map(_kept_event, _kept(increment.data))),
    )
    return [event for event in implied if event.id not in ids]


def keep_events(data: dict[str, Any], events: Iterable[Event]) -> None:
    """Put events into the content of metadata.json, unless it implies them."""
    kept, implied = _kept(data), Reopened | Undone | Amended
    entries = [LOG.entry(event) for event in events if not isinstance(event, implied)]
    if new := [entry for entry in entries if entry not in kept]:
        data[UNWRITTEN] = [*kept, *new]


def drop_written(data: dict[str, Any], events: Iterable[Event]) -> None:
    """Remove the kept events that are in `events`; anything that is not an event stays."""
    kept, ids = _kept(data), {event.id for event in events}
    parsed = map(_kept_event, kept)
    left = [
        raw for raw, event in zip(kept, parsed, strict=True) if not event or event.id not in ids
    ]
    if not left:
        data.pop(UNWRITTEN, None)
    elif left != kept:
        data[UNWRITTEN] = left


def _kept(data: Mapping[str, Any]) -> list[Any]:
    """What `unwrittenEvents` has; a value that is not a list counts as its only entry."""
    kept = data.get(UNWRITTEN, [])
    return kept if isinstance(kept, list) else [kept]


def _kept_event(entry: Any) -> Event | None:
    return LOG.parse(json.dumps(entry))


def _undone_event(increment: Increment, entry: ReopenEntry, events: Iterable[Event]) -> Undone:
    """The event of an undo; the person and the reason are only in its operations."""
    sources: list[Operation | Delivered] = [
        source for source in events if isinstance(source, Delivered)
    ]
    sources += increment.pending
    by, reason = next(
        ((source.by, source.reason) for source in sources if source.op == entry.revert),
        (None, None),
    )
    return Undone(
        id=entry.revert or "",
        at=entry.reverted_at or entry.reopened_at,
        by=by or "unknown",
        origin=Status.ACTIVE,
        to=entry.previous_status,
        reopen=entry.id,
        reason=reason,
    )


def _work(amendment: Amendment) -> dict[str, Any]:
    return {"change": amendment.change, "tasks": amendment.ids, "parts": amendment.parts}


def read_events(folder: Path, reopens: Iterable[ReopenEntry] = ()) -> list[Event]:
    """The events of an increment by time, each once; a reopen without a line is derived."""
    events = LOG.read(folder)
    ids = {event.id for event in events}
    derived = (reopened_event(entry) for entry in reopens if entry.id not in ids)
    return in_order([*events, *derived])
