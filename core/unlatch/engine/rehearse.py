"""What commands would do: the same decisions as theirs, followed by reads alone."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.domain.increment import Link
from unlatch.domain.operation import Change, Kind, Operation
from unlatch.domain.status import Status
from unlatch.engine.attempt import wanted_change, within
from unlatch.engine.draft import draft_of
from unlatch.engine.finish import needed_links
from unlatch.engine.items import Seen, look
from unlatch.engine.linking import link_of, story_of
from unlatch.engine.permission import refusal, writable
from unlatch.engine.rehearsal import Act, Rehearsal, Rehearsed
from unlatch.engine.resume import Step, next_step
from unlatch.engine.scope import Scope, foreseen, is_known, owed_for, scope_of
from unlatch.engine.undoing import done_by, entry_undone_by, plan_undo
from unlatch.errors import Rejected, UnlatchError
from unlatch.spi import Capability, is_held_closed
from unlatch.store.manager import check_transition, checked_reason
from unlatch.store.records import overtaken
from unlatch.store.undoing import undoable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.domain.amendment import Amendment
    from unlatch.domain.increment import Increment
    from unlatch.domain.item import RemoteItem
    from unlatch.engine.attempt import Job
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace
    from unlatch.spi import Draft

# What stands for the reason in the comment where none has been given yet.
NO_REASON = "(the reason)"
_NOTHING_SEEN: Mapping[Link, Seen] = MappingProxyType({})


def rehearse_resume(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    *,
    act: Act,
    reopen_items: bool = False,
    amendment: Amendment | None = None,
    seen: Mapping[Link, Seen] | None = None,
) -> Rehearsal:
    """What resuming would do.

    Args:
        amendment: what is to be changed about the increment's work.
        seen: items that were read already.

    Raises:
        UsageError: the reason is blank or too long.
        StoreError: a document that is to be changed cannot be read.
        UnlatchError: the configuration has mistakes.
    """
    step = next_step(increment)
    owed = increment.pending
    new: tuple[Operation, ...] = ()
    scope: Scope | None = None
    if act.reason is not None and step not in (Step.DELIVER, Step.NOTHING):
        act = replace(act, reason=checked_reason(act.reason))
    if step.needs_reason:
        act = replace(act, reason=act.reason or NO_REASON)
        owed = overtaken(owed, increment.reopens)
        if step is Step.REOPEN or reopen_items:
            new = _new(workspace, Kind.REOPEN, increment.links, act)
    if amendment is not None and (step is Step.REOPEN or not is_known(increment, amendment)):
        made = foreseen(workspace, increment, amendment, by=act.by, reason=act.reason)
        is_reopen = step is Step.REOPEN
        more = owed_for(workspace, increment, made, is_reopen=is_reopen)
        new = more if is_reopen else (*new, *more)
        increment = replace(increment, amendments=(*increment.amendments, made))
        scope = scope_of(increment, made)
    found = _rehearsal(
        workspace, trackers, increment, Status.ACTIVE, act=act, owed=owed, new=new, known=seen or {}
    )
    return replace(found, scope=scope)


def rehearse_finish(
    workspace: Workspace, trackers: Trackers, wanted: str, to: Status, *, act: Act
) -> Rehearsal:
    """What completing or abandoning would do.

    Raises:
        StoreError: the status table does not allow it.
        UsageError: the increment is unknown, or the reason is blank or too long.
        UnlatchError: the configuration has mistakes.
    """
    increment = workspace.manager.read(wanted)
    act = replace(act, reason=None if act.reason is None else checked_reason(act.reason))
    check_transition(increment, to, act.reason)
    spared = needed_links(workspace, increment)
    kept = [link for link, _ in spared]
    owed = increment.pending
    if not increment.status.is_finished:
        owed = overtaken(owed, increment.reopens)
    links = [link for link in increment.links if link not in kept]
    new = _new(workspace, Kind.CLOSE, links, act)
    found = _rehearsal(workspace, trackers, increment, to, act=act, owed=owed, new=new)
    return replace(found, spared=spared)


def rehearse_undo(
    workspace: Workspace, trackers: Trackers, increment: Increment, *, act: Act
) -> Rehearsal:
    """What undoing the last reopen would do.

    Raises:
        StoreError: there is none to undo.
        UnlatchError: the configuration has mistakes.
    """
    entry = undoable(increment)
    new = _new(workspace, Kind.UNDO, increment.links, act)
    marked = replace(entry, revert=new[0].op) if new else entry
    reopens = tuple(marked if one is entry else one for one in increment.reopens)
    owed = tuple(one for one in increment.pending if one.op != entry.id)
    undone = replace(increment, reopens=reopens)
    return _rehearsal(
        workspace, trackers, undone, entry.previous_status, act=act, owed=owed, new=new
    )


def rehearse_operations(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    kind: Kind,
    *,
    links: Iterable[Link],
    act: Act,
) -> Rehearsal:
    """What operations of one kind would do to the items of `links`.

    Raises:
        UnlatchError: the configuration has mistakes.
    """
    new = _new(workspace, kind, links, act)
    to, owed = increment.status, increment.pending
    return _rehearsal(workspace, trackers, increment, to, act=act, owed=owed, new=new)


def rehearse_create(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    *,
    target: str,
    stories: Iterable[str | None],
    act: Act,
) -> Rehearsal:
    """What making items would send.

    Raises:
        UsageError: there is no such user story.
        UnlatchError: the configuration has mistakes.
    """
    tracker = act.job.tracker or ""
    one = _new(workspace, Kind.CREATE, [Link(tracker, target)], act)[0]
    new = tuple(replace(one, op=workspace.new_id(), story=story) for story in stories)
    # What is owed already is told by a sync that is rehearsed.
    return _rehearsal(workspace, trackers, increment, increment.status, act=act, owed=(), new=new)


def rehearse_owed(
    workspace: Workspace, trackers: Trackers, increment: Increment, *, act: Act
) -> Rehearsal:
    """What delivering what is owed would send.

    Raises:
        UnlatchError: the configuration has mistakes.
    """
    to, owed = increment.status, increment.pending
    return _rehearsal(workspace, trackers, increment, to, act=act, owed=owed, new=())


def rehearse_seen(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    seen: Iterable[Seen],
    *,
    kind: Kind | None,
    act: Act,
) -> tuple[Rehearsed, ...]:
    """What items that were read a moment ago would be sent.

    Args:
        kind: what would be done to them; None for what they are owed already.
    """
    known = {one.link: one for one in seen}
    operations = (
        _new(workspace, kind, known, act)
        if kind
        else tuple(one for one in increment.pending if link_of(increment, one) in known)
    )
    return tuple(
        replace(
            _rehearsed(
                workspace,
                trackers,
                increment,
                operation,
                seen=known[link_of(increment, operation)],
                job=act.job,
                offline=False,
            ),
            owed=kind is None,
        )
        for operation in operations
    )


def _new(
    workspace: Workspace, kind: Kind, links: Iterable[Link], act: Act
) -> tuple[Operation, ...]:
    op, now = workspace.new_id(), workspace.clock()
    return tuple(
        Operation(op, kind, link.tracker, link.key, now, act.by, act.reason) for link in links
    )


def _rehearsal(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    to: Status,
    *,
    act: Act,
    owed: tuple[Operation, ...],
    new: tuple[Operation, ...],
    known: Mapping[Link, Seen] = _NOTHING_SEEN,
) -> Rehearsal:
    due = [one for one in (*owed, *new) if act.job.tracker in (None, one.tracker)]
    links = [link_of(increment, operation) for operation in due]
    # Without a look nothing is known of the items, and nothing would be sent.
    seen = {link: Seen(link, link.key) for link in links}
    if not act.offline:
        asked = [link for link, one in zip(links, due, strict=True) if one.kind is not Kind.CREATE]
        unseen = dict.fromkeys(link for link in asked if link not in known)
        seen |= {**known, **{one.link: one for one in look(trackers, unseen)}}
    after = replace(increment, status=to)
    items = [
        _rehearsed(
            workspace,
            trackers,
            after,
            operation,
            seen=seen[link],
            job=act.job,
            offline=act.offline,
        )
        for operation, link in zip(due, links, strict=True)
    ]
    marked = [replace(item, owed=item.operation in owed) for item in items]
    return Rehearsal(increment, to, tuple(marked))


def _rehearsed(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    operation: Operation,
    *,
    seen: Seen,
    job: Job,
    offline: bool,
) -> Rehearsed:
    change = wanted_change(operation, increment, workspace.config, job)
    parts = writable(workspace.config, increment, operation)
    found = Rehearsed(operation, seen, change, error=refusal(operation, parts) or seen.error)
    if refusal(operation, parts):
        return found
    is_create = operation.kind is Kind.CREATE
    if offline or (seen.item is None and not is_create):
        return found
    if operation.kind is Kind.UNDO and seen.item is not None:
        return _undone(workspace, trackers, increment, found, seen.item)
    drafts = operation.kind in (Kind.CREATE, Kind.UPDATE)
    story = story_of(increment, operation)
    draft = draft_of(increment, operation.tracker, story) if drafts else None
    try:
        requests = trackers.open(operation.tracker).plan(seen.item, change, draft)
    except UnlatchError as error:
        return replace(found, error=error)
    found = replace(found, requests=requests)
    if seen.item is not None and is_held_closed(seen.item, change):
        return replace(found, error=_held_closed())
    return replace(found, error=_disapproval(trackers, found, draft))


def _disapproval(trackers: Trackers, found: Rehearsed, draft: Draft | None) -> UnlatchError | None:
    """Why the tracker would refuse the plan, where it can be asked."""
    tracker = found.operation.tracker
    if Capability.APPROVE not in trackers.manifest(tracker).capabilities or not found.requests:
        return None
    try:
        trackers.open(tracker).approve(found.seen.item, found.change, draft)
    except UnlatchError as error:
        return error
    return None


def _undone(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    found: Rehearsed,
    item: RemoteItem,
) -> Rehearsed:
    operation = found.operation
    entry = entry_undone_by(increment, operation.op)
    done = done_by(increment, entry, item, operation.item) if entry else None
    if done is None:
        why = "it is not recorded that the reopen got there"
        return replace(found, change=Change(operation.op), error=_left(why))
    taken = plan_undo(workspace, increment, done, item, found.change)
    if taken.change is None:
        return replace(found, change=Change(operation.op), error=_left(taken.note or ""))
    change = within(taken.change, writable(workspace.config, increment, operation))
    requests = trackers.open(operation.tracker).plan(item, change)
    return replace(found, change=change, requests=requests)


def _left(why: str) -> Rejected:
    return Rejected("left-as-it-is", f"it would be left as it is: {why}")


def _held_closed() -> Rejected:
    return Rejected(
        "deliberately-closed",
        "it was closed on purpose, and would stay closed",
        hint="--even-if-not-planned reopens it all the same",
    )
