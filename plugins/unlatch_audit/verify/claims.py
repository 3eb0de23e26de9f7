"""What the local records say that operations did to items."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from unlatch.delivery.content import anonymous_reason
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import AlsoBy, ReopenEntry, SyncedItem
from unlatch.increments.records.events import Delivered, Repointed, Undone
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.status_events import Transitioned
from unlatch.project.workspace import Workspace
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind
from unlatch.values import dataclass
from unlatch.worklog.event_log import Event

_MOVES = (Result.REOPENED, Result.CLOSED)


@dataclass(frozen=True, slots=True)
class Claim:
    """The recorded effect of one operation on one item.

    Args:
        commented: whether it posted a comment; None if only `syncedTo` names the item.
        state: the state that it brought the item to; None if it changed no state.
        turn: deliveries with the same turn brought the item to the state together.
        signed_at: the time that its comment states; None if no entry records it.
        is_silent: whether its entry has no reason, so that it posts no comment.
        also: who made the same reopen in other checkouts, and when: a comment may name them.
        told: the reason without the name of who asked on another tracker, as a comment may have it.
    """

    op: str
    kind: str
    link: Link
    at: datetime
    by: str
    reason: str | None
    commented: bool | None
    state: str | None
    turn: str | None
    signed_at: datetime | None = None
    is_silent: bool = False
    also: tuple[AlsoBy, ...] = ()
    told: str | None = None


def with_told(workspace: Workspace, claim: Claim) -> Claim:
    """A claim with the words that its comment may have instead of who asked elsewhere."""
    told = anonymous_reason(workspace, claim.link.tracker, claim.reason)
    if told is None:
        return claim
    reason, by = told
    times = (claim.signed_at, *(also.at for also in claim.also))
    return replace(
        claim, told=reason, also=(*claim.also, *(AlsoBy(by, at) for at in times if at is not None))
    )


def claims_of(increment: Increment, events: Sequence[Event]) -> list[Claim]:
    """The claims of an increment, each operation once for each item, the oldest first."""
    moved: dict[tuple[str, str], str] = {}
    entries = {entry.id: entry for entry in increment.reopens}
    changes = {event.id: event for event in events if isinstance(event, Transitioned | Undone)}
    by_key: dict[tuple[str, str, str], Claim] = {}
    for event in events:
        if isinstance(event, Repointed):
            moved[event.tracker, event.origin] = event.item
        elif isinstance(event, Delivered):
            claim = _claimed(increment, event, entries.get(event.op), changes.get(event.op))
            key = (claim.op, *identity(claim.link))
            # Two clones may have delivered it at once.
            by_key[key] = _united(by_key[key], claim) if key in by_key else claim
    for entry in increment.reopens:
        for synced in entry.synced_to:
            key = (entry.id, *identity(synced.link))
            by_key.setdefault(key, _from_entry(entry, synced))
    return [replace(claim, link=_present(claim.link, moved)) for claim in by_key.values()]


def _claimed(
    increment: Increment,
    event: Delivered,
    entry: ReopenEntry | None,
    change: Transitioned | Undone | None,
) -> Claim:
    state = event.after.state if event.after and event.result in _MOVES else None
    by, reason, signed_at = event.by, event.reason, None
    if entry:
        by, reason, signed_at = entry.reopened_by, entry.reason, entry.reopened_at
    elif change:
        by, reason, signed_at = change.by, change.reason, change.at
    return Claim(
        event.op,
        event.kind,
        link_of(increment, event),
        event.at,
        by,
        reason,
        # The marker of a create is in the item's body.
        event.commented and event.kind != Kind.CREATE,
        state,
        # Reopens of one completion by two clones reopened an item once.
        entry.previous_completed_at if entry else None,
        signed_at,
        isinstance(change, Transitioned) and not change.reason,
        entry.also_by if entry else (),
    )


def _united(claim: Claim, other: Claim) -> Claim:
    commented = bool(claim.commented or other.commented)
    return replace(claim, commented=commented, state=claim.state or other.state)


def _from_entry(entry: ReopenEntry, synced: SyncedItem) -> Claim:
    """The claim of an item that only `syncedTo` names: also one that people had reopened."""
    is_origin = is_origin_of(entry, synced.link)
    was_closed = synced.before and synced.before.category and not synced.before.category.is_open
    return Claim(
        entry.id,
        Kind.REOPEN,
        synced.link,
        entry.reopened_at,
        entry.reopened_by,
        entry.reason,
        False if is_origin else None,
        synced.after.state if synced.after and (is_origin or was_closed) else None,
        entry.previous_completed_at,
        entry.reopened_at,
    )


def is_origin_of(entry: ReopenEntry, link: Link) -> bool:
    """Whether a reopen followed an item that people had reopened."""
    return entry.source is not None and link.key in entry.source.split(", ")


def _present(link: Link, moved: Mapping[tuple[str, str], str]) -> Link:
    """The link at the item's last known place."""
    for _ in moved:
        place = moved.get((link.tracker, link.key))
        if place is None:
            break
        link = Link(link.tracker, place.rstrip("/").rpartition("/")[2], place)
    return link
