"""Verify the history of increments."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.former import recorded_ids
from unlatch.increments.records.events import Delivered
from unlatch.increments.records.links import identity
from unlatch.increments.records.status_events import LOG, Transitioned
from unlatch.lifecycle.items.outcome import ReopenOutcome, outcome_of
from unlatch.spi.text import op_posted
from unlatch_audit.verify.claims import Claim, claims_of, with_told
from unlatch_audit.verify.compare import compare, unknown_ops, unknown_ops_of_item
from unlatch_audit.verify.evidence import Evidence, Identity, read_evidence
from unlatch_audit.verify.records import check_entry, orphans
from unlatch_audit.verify.results import (
    Check,
    Part,
    Verdict,
    VerifiedEntry,
    VerifiedIncrement,
    differs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.event_log import Event


def _in_order(entries: Iterable[VerifiedEntry], events: Sequence[Event]) -> list[VerifiedEntry]:
    """By time, in one second by the log, since ids tell no order; the files as a whole are last."""
    place: dict[str, int] = {}
    for number, event in enumerate(events):
        # An operation of an item alone has no event of its own, only its deliveries.
        for id_ in (event.id, event.op if isinstance(event, Delivered) else None):
            place.setdefault(id_ or event.id, number)

    def key(entry: VerifiedEntry) -> tuple[float, float, str]:
        at = entry.at.timestamp() if entry.at else inf
        return (at, place.get(entry.id, inf), entry.id)

    return sorted(entries, key=key)


def verify_history(
    workspace: Workspace, trackers: Trackers, increments: Sequence[Increment]
) -> list[VerifiedIncrement]:
    """Compare the history of increments with itself and with their items; writes nothing."""
    events, unread = _read_events(increments)
    sound = [increment for increment in increments if increment.id in events]
    claims = {
        increment.id: [
            with_told(workspace, claim) for claim in claims_of(increment, events[increment.id])
        ]
        for increment in sound
    }
    links = [claim.link for group in claims.values() for claim in group]
    # Also those that no entry names any more.
    links += [link for increment in sound for link in increment.links]
    ops = [(claim.link, claim.op) for group in claims.values() for claim in group]
    evidence = read_evidence(trackers, links, ops)
    folders = frozenset(folder.name for folder in workspace.manager.collection.folders())
    template = workspace.config.comment_template
    has_reason = template is None or "{reason}" in template

    def verify(increment: Increment) -> tuple[VerifiedEntry, ...]:
        if increment.id in unread:
            return (_of_files(_unchecked(unread[increment.id])),)
        entries = _verify(
            increment, events[increment.id], claims[increment.id], evidence, has_reason=has_reason
        )
        if workspace.is_of_user:  # items of which other people's records are elsewhere
            return tuple(_in_order(entries, events[increment.id]))
        unknown = _unknown(increment, events[increment.id], claims[increment.id], evidence, folders)
        return tuple(_in_order((*entries, *unknown), events[increment.id]))

    return [
        VerifiedIncrement(increment.id, verify(increment), increment.name)
        for increment in increments
    ]


def _read_events(
    increments: Sequence[Increment],
) -> tuple[dict[str, list[Event]], dict[str, StoreError]]:
    """The events of the increments, and the errors of those that cannot be read."""
    events: dict[str, list[Event]] = {}
    unread: dict[str, StoreError] = {}
    for increment in increments:
        try:
            events[increment.id] = LOG.read(increment.folder)
        except StoreError as error:
            unread[increment.id] = error
    return events, unread


def _unchecked(error: StoreError) -> Check:
    return Check(Part.RECORD, Verdict.UNCHECKED, error.id, error.message)


def _of_files(*checks: Check) -> VerifiedEntry:
    return VerifiedEntry("", "file", None, None, checks)


def _verify(
    increment: Increment,
    events: Sequence[Event],
    claims: Sequence[Claim],
    evidence: Mapping[Identity, Evidence],
    *,
    has_reason: bool,
) -> Iterator[VerifiedEntry]:
    lost = _check_lines(increment)
    order = {identity(link): number for number, link in enumerate(increment.links)}
    remote = compare(claims, evidence, order, has_reason=has_reason)
    if lost:
        yield _of_files(*lost)
    for entry in increment.reopens:
        checks = (*check_entry(increment, entry, events), *remote.pop(entry.id, ()))
        is_alone = increment.is_item and entry.reverted_at is None
        is_withdrawn = is_alone and outcome_of(increment, entry) is ReopenOutcome.WITHDRAWN
        kind = "withdrawn" if is_withdrawn else "reopened"
        yield VerifiedEntry(entry.id, kind, entry.reopened_at, entry.reopened_by, checks)
    for op, (event, check) in orphans(increment, events).items():
        checks = (check, *remote.pop(op, ()))
        yield VerifiedEntry(op, LOG.word(event), event.at, event.by, checks)
    for op, check in _unrecorded(increment, events, claims, evidence):
        remote.setdefault(op, []).append(check)
    yield from _others(events, claims, remote)


def _others(
    events: Sequence[Event], claims: Sequence[Claim], remote: Mapping[str, Sequence[Check]]
) -> Iterator[VerifiedEntry]:
    """The operations that are no reopens of the increment."""
    by_op = {event.id: event for event in events}
    for op, checks in remote.items():
        if event := by_op.get(op):
            yield VerifiedEntry(op, LOG.word(event), event.at, event.by, tuple(checks))
        else:
            first = next(claim for claim in claims if claim.op == op)
            yield VerifiedEntry(op, first.kind, first.at, first.by, tuple(checks))


def _check_lines(increment: Increment) -> list[Check]:
    checks = []
    if lost := LOG.lost_lines(increment.folder):
        text = f"{lost} lines of events.jsonl cannot be read"
        checks.append(differs(Part.RECORD, "lines-unreadable", text))
    for id_ in LOG.contradictions(increment.folder):
        text = f"events.jsonl has two different lines of the event {id_}"
        checks.append(differs(Part.RECORD, "event-repeated", text))
    return checks


def _unrecorded(
    increment: Increment,
    events: Sequence[Event],
    claims: Sequence[Claim],
    evidence: Mapping[Identity, Evidence],
) -> Iterator[tuple[str, Check]]:
    """Items with a comment of a change of status whose delivery to them is not recorded."""
    # Until then the operation is pending, or it left with the link.
    claimed = {(claim.op, identity(claim.link)) for claim in claims}
    pending = {operation.op for operation in increment.pending}
    changes = {event.id for event in events if isinstance(event, Transitioned)} - pending
    for link in increment.links:
        seen = evidence[identity(link)]
        for comment in seen.comments:
            op = op_posted(comment.text)
            if (
                op in changes
                and comment.counts is not False
                and (op, identity(link)) not in claimed
            ):
                text = "the item has the comment; events.jsonl has no delivery to it"
                check = differs(Part.RECORD, "delivery-missing", text)
                yield (
                    op,
                    replace(check, tracker=link.tracker, item=seen.name, author=comment.author),
                )


def _unknown(
    increment: Increment,
    events: Sequence[Event],
    claims: Sequence[Claim],
    evidence: Mapping[Identity, Evidence],
    folders: frozenset[str],
) -> Iterator[VerifiedEntry]:
    """Operations that posted comments for the increment or item, and that its files lack."""
    ids = {event.id for event in events} | {entry.id for entry in increment.reopens}
    ids |= {entry.id for entry in increment.amended}
    ids |= {event.op for event in events if isinstance(event, Delivered)}
    ids |= {operation.op for operation in increment.pending}
    links = {identity(link): link for link in (*(claim.link for claim in claims), *increment.links)}
    seen = [(link.tracker, evidence[key]) for key, link in links.items()]
    if increment.is_item:
        unknown = unknown_ops_of_item(frozenset(ids), seen)
    else:
        names = (recorded_ids(increment.folder) - folders) | {increment.id}
        unknown = unknown_ops(names, folders - names, frozenset(ids), seen)
    for op, comments in unknown.items():
        elsewhere = "lost, on another branch, or made outside of the project"
        text = f"a comment of an operation that the files do not have: {elsewhere}"
        check = differs(Part.RECORD, "operation-unknown", text)
        checks = [
            replace(check, tracker=tracker, item=place.name, author=comment.author)
            for tracker, place, comment in comments
        ]
        yield VerifiedEntry(op, "unknown", None, None, tuple(checks))
