"""What commands would do: the same decisions as theirs, followed by reads alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from unlatch.domain.increment import Link
from unlatch.domain.operation import Change, Kind, Operation
from unlatch.domain.status import Status
from unlatch.engine.attempt import Job, wanted_change
from unlatch.engine.draft import draft_of
from unlatch.engine.finish import needed_by
from unlatch.engine.items import Seen, look
from unlatch.engine.resume import Step, next_step
from unlatch.engine.undoing import done_by, entry_undone_by, plan_undo
from unlatch.errors import Rejected
from unlatch.spi import PlannedRequest, is_held_closed
from unlatch.store.manager import check_transition, checked_reason
from unlatch.store.records import overtaken
from unlatch.store.undoing import undoable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Increment
    from unlatch.domain.item import RemoteItem
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace
    from unlatch.errors import UnlatchError

# What stands for the reason in the comment where none has been given yet.
NO_REASON = "(the reason)"


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One operation, and what delivering it would come to.

    Args:
        operation: the operation; one that would be new has an id of its own all the same.
        seen: its item as it is now.
        change: what would be asked of the plugin.
        requests: what would be sent, in order; nothing for an item that could not be read.
        owed: whether it has been owed since before, so that the item would first be asked for its
            marker; where that is found, less is sent.
        error: why it would not be delivered.
    """

    operation: Operation
    seen: Seen
    change: Change
    requests: tuple[PlannedRequest, ...] = ()
    owed: bool = False
    error: UnlatchError | None = None

    @property
    def is_open_ended(self) -> bool:
        """Whether what would be sent shows only on the way."""
        return self.operation.kind is Kind.CREATE


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a command would do.

    Args:
        before: the increment as it is.
        after: the status that it would have.
        items: what its items would be sent, in the order of the operations.
        spared: links whose items stay open, with the unfinished increments that need them.
    """

    before: Increment
    after: Status
    items: tuple[Rehearsed, ...]
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()

    @property
    def requests(self) -> int:
        """How many requests would be sent."""
        return sum(len(item.requests) for item in self.items)

    @property
    def is_exact(self) -> bool:
        """Whether these requests are all of them, and none is left out on the way."""
        return not any(
            item.owed or item.is_open_ended or item.operation.kind is Kind.UPDATE
            for item in self.items
        )


@dataclass(frozen=True, slots=True)
class Act:
    """What was typed besides the increment.

    Args:
        by: who is at work.
        reason: why, or None.
        job: how it would be delivered.
        offline: whether the items would be left for later; then they are not asked now.
    """

    by: str
    reason: str | None = None
    job: Job = field(default_factory=Job)
    offline: bool = False


def rehearse_resume(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    *,
    act: Act,
    reopen_items: bool = False,
) -> Rehearsal:
    """What resuming would do.

    Raises:
        UsageError: the reason is blank or too long.
        UnlatchError: the configuration has mistakes.
    """
    step = next_step(increment)
    owed = increment.pending
    new: tuple[Operation, ...] = ()
    if act.reason is not None and step not in (Step.DELIVER, Step.NOTHING):
        act = replace(act, reason=checked_reason(act.reason))
    if step.needs_reason:
        act = replace(act, reason=act.reason or NO_REASON)
        owed = overtaken(owed, increment.reopens)
        if step is Step.REOPEN or reopen_items:
            new = _new(workspace, Kind.REOPEN, increment.links, act)
    return _rehearsal(workspace, trackers, increment, Status.ACTIVE, act=act, owed=owed, new=new)


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
    spared = tuple(
        (link, needed)
        for link in increment.links
        if (needed := needed_by(workspace, increment, link))
    )
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
) -> Rehearsal:
    due = [one for one in (*owed, *new) if act.job.tracker in (None, one.tracker)]
    links = [_link(increment, operation) for operation in due]
    # Without a look nothing is known of the items, and nothing would be sent.
    seen = {link: Seen(link, link.key) for link in links}
    if not act.offline:
        asked = [link for link, one in zip(links, due, strict=True) if one.kind is not Kind.CREATE]
        seen |= {one.link: one for one in look(trackers, dict.fromkeys(asked))}
    after = replace(increment, status=to)
    items = [
        _rehearsed(workspace, trackers, after, operation, seen=seen[link], job=act.job)
        for operation, link in zip(due, links, strict=True)
    ]
    marked = [replace(item, owed=item.operation in owed) for item in items]
    return Rehearsal(increment, to, tuple(marked))


def _link(increment: Increment, operation: Operation) -> Link:
    for link in increment.links:
        if (link.tracker, link.key) == (operation.tracker, operation.item):
            return link
    url = operation.item if "://" in operation.item else None
    return Link(operation.tracker, operation.item, url)


def _rehearsed(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    operation: Operation,
    *,
    seen: Seen,
    job: Job,
) -> Rehearsed:
    change = wanted_change(operation, increment, workspace.config, job)
    found = Rehearsed(operation, seen, change, error=seen.error)
    if seen.item is None or found.is_open_ended:
        return found
    if operation.kind is Kind.UNDO:
        return _undone(workspace, trackers, increment, found, seen.item)
    draft = draft_of(increment) if operation.kind is Kind.UPDATE else None
    requests = trackers.open(operation.tracker).plan(seen.item, change, draft)
    refused = _held_closed() if is_held_closed(seen.item, change) else None
    return replace(found, requests=requests, error=refused)


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
    requests = trackers.open(operation.tracker).plan(item, taken.change)
    return replace(found, change=taken.change, requests=requests)


def _left(why: str) -> Rejected:
    return Rejected("left-as-it-is", f"it would be left as it is: {why}")


def _held_closed() -> Rejected:
    return Rejected(
        "deliberately-closed",
        "it was closed on purpose, and would stay closed",
        hint="--even-if-not-planned reopens it all the same",
    )
