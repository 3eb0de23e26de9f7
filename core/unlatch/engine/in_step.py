"""Bringing increments and items in step: carrying out what the comparison came to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.domain.increment import Base, SyncedItem
from unlatch.domain.operation import Kind, Manner, Operation
from unlatch.domain.reconcile import Verdict
from unlatch.domain.status import Status
from unlatch.engine.finish import may_finish
from unlatch.engine.intent import kind_for
from unlatch.engine.rehearse import rehearse_seen
from unlatch.errors import UnlatchError
from unlatch.store.outbox import note_in_step, owe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.domain.increment import Increment, Link, ReopenEntry
    from unlatch.engine.reconcile import Compared, Move, SyncPlan
    from unlatch.engine.rehearsal import Act, Rehearsed
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one increment that was to follow its items.

    Args:
        error: why it was left as it is; None if it was moved.
    """

    move: Move
    error: UnlatchError | None = None


def would_send(
    workspace: Workspace, trackers: Trackers, plan: SyncPlan, act: Act
) -> tuple[Rehearsed, ...]:
    """What carrying a plan out would send to each item."""
    found: list[Rehearsed] = []
    for one in plan.links:
        if one.verdict is Verdict.PUSH or one.owed:
            kind = None if one.owed else kind_for(one.increment.status)
            found += rehearse_seen(
                workspace, trackers, one.increment, [one.seen], kind=kind, act=act
            )
    for move in plan.moves:
        after = replace(move.increment, status=move.to)
        seen = [one.seen for one in plan.links if one.link in move.others]
        even = act.job.even_if_deliberate or move.increment.status is Status.ABANDONED
        job = replace(act.job, even_if_deliberate=even)
        told = replace(act, by=move.by, reason=move.reason, job=job)
        kind = kind_for(move.to)
        found += rehearse_seen(workspace, trackers, after, seen, kind=kind, act=told)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Settled:
    """What the local part of a plan came to.

    Args:
        moved: what became of the moves.
        made: the operations that items are owed for it.
        fresh: those of them that no item can have been told of yet.
    """

    moved: tuple[Moved, ...] = ()
    made: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()


def settle(workspace: Workspace, plan: SyncPlan, *, by: str, force: bool = False) -> Settled:
    """Do the local part of a plan: note what agrees, move increments, owe items what follows.

    What the items are owed is delivered afterwards, like anything that is pending.

    Raises:
        StoreError: an increment's files cannot be written.
    """
    _note_agreement(workspace, plan.having(Verdict.RECORD))
    owed = _push(workspace, plan.having(Verdict.PUSH), by=by)
    fresh = {operation.op for operation in owed if operation.state}
    moved: list[Moved] = []
    for move in plan.moves:
        try:
            fresh |= _follow(workspace, move, by=by, force=force)
        except UnlatchError as error:
            moved.append(Moved(move, error))
        else:
            moved.append(Moved(move))
    return Settled(tuple(moved), frozenset({*fresh, *(one.op for one in owed)}), frozenset(fresh))


def _note_agreement(workspace: Workspace, agreed: Iterable[Compared]) -> None:
    for name, group in _by_increment(agreed).items():
        bases = {one.link: base for one in group if (base := _base(one.increment.status, one))}
        note_in_step(workspace.manager, name, bases)


def _by_increment(links: Iterable[Compared]) -> dict[str, list[Compared]]:
    groups: dict[str, list[Compared]] = {}
    for one in links:
        groups.setdefault(one.increment.id, []).append(one)
    return groups


def _base(status: Status, one: Compared) -> Base | None:
    item = one.seen.item
    return Base(status.value, item.category.value, item.state) if item else None


def _push(workspace: Workspace, links: Iterable[Compared], *, by: str) -> list[Operation]:
    """Owe items what their increments have become; those of one increment in one write.

    Were an item left out by a crash, it would be the only news, and the increment would follow it.
    """
    owed: list[Operation] = []
    for name, group in _by_increment(links).items():
        operations = [operation for one in group for operation in _owed(workspace, one, by=by)]
        owe(workspace.manager, name, *operations)
        owed += operations
    return owed


def _owed(workspace: Workspace, one: Compared, *, by: str) -> Iterator[Operation]:
    """What its increment has become, and the reason where the item was not told of it."""
    increment, link = one.increment, one.link
    kind, at = kind_for(increment.status), workspace.clock()
    yield Operation(workspace.new_id(), kind, link.tracker, link.key, at, by)
    if kind is Kind.REOPEN and (entry := _untold(increment, link)):
        # By itself: where it turns out to be told after all, the state is still to follow.
        yield Operation(entry.id, kind, link.tracker, link.key, entry.reopened_at, state=False)


def _untold(increment: Increment, link: Link) -> ReopenEntry | None:
    """The last reopen that counts, if nothing says that the item was told of it."""
    standing = [entry for entry in increment.reopens if entry.reverted_at is None]
    if not standing or increment.status is not Status.ACTIVE:
        return None
    told = {(synced.tracker, synced.item) for synced in standing[-1].synced_to}
    return None if (link.tracker, link.item) in told else standing[-1]


def _follow(workspace: Workspace, move: Move, *, by: str, force: bool) -> set[str]:
    """Move an increment, owe the other items the same, and note the origins as in step."""
    after, op = _moved(workspace, move, by=by, force=force)
    bases = {one.link: base for one in move.origins if (base := _base(after.status, one))}
    reached = [_reached(one) for one in move.origins]
    note_in_step(workspace.manager, after.id, bases, op=op, reached=reached)
    known = {operation.op for operation in move.increment.pending}
    return {operation.op for operation in after.pending} - known


def _reached(one: Compared) -> SyncedItem:
    ref = one.seen.item.ref if one.seen.item else None
    return SyncedItem(one.link.tracker, one.link.item, ref.url if ref else one.link.key)


def _moved(
    workspace: Workspace, move: Move, *, by: str, force: bool
) -> tuple[Increment, str | None]:
    manager = workspace.manager
    origins = [one.link for one in move.origins]
    spare = [*origins, *(link for link in move.increment.links if link not in move.others)]
    source = ", ".join(link.key for link in origins)
    if move.increment.status is Status.COMPLETED:
        after, entry = manager.reopen(
            move.increment.id, move.reason, move.by, source=source, spare=spare
        )
        return after, entry.id
    clearance = may_finish(move.increment, move.to, reason=move.reason, force=force)
    after = manager.transition(
        move.increment.id,
        move.to,
        by=f"{move.by} ({by})" if by != move.by else by,
        reason=move.reason,
        owe=kind_for(move.to),
        spare=spare,
        forced=clearance.forced,
        # Abandoning closed them on purpose, and this undoes just that.
        manner=Manner(even_if_not_planned=move.increment.status is Status.ABANDONED),
    )
    return after, None
