"""Applying a sync plan: bringing increments and items in sync, as the comparison decided."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.delivery.changes import kind_for
from unlatch.delivery.preview import Previewed, preview_all
from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.outbox import record_in_sync
from unlatch.increments.files.plans import (
    Intent,
    Plan,
    plan_enqueue,
    plan_reopen,
    plan_transition,
)
from unlatch.increments.model.increment import Base, SyncedItem
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions, allow_activation
from unlatch.lifecycle.finish import check_finish
from unlatch.spi.operation import Kind, Operation
from unlatch.spi.options import DeliveryOptions
from unlatch.sync.compare import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.delivery.run import DeliveryRun
    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.project.workspace import Workspace
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import Move, SyncPlan


@dataclass(frozen=True, slots=True)
class Moved:
    """The result for one increment that was to follow its items.

    Args:
        error: why it was left as it is; None if it was moved.
    """

    move: Move
    error: UnlatchError | None = None


def preview_sync(run: DeliveryRun, plan: SyncPlan, *, by: str) -> tuple[Previewed, ...]:
    """What applying a plan would send to each item."""
    manager = run.workspace.manager
    plans: list[Plan] = []
    for group in _by_increment(plan.links).values():
        increment = group[0].increment
        made = [
            next(_operations(manager, one, by=by))
            for one in group
            if one.verdict is Verdict.PUSH and not one.pending
        ]
        local = plan_enqueue(increment, *made)
        if local.operations:
            plans.append(local)
    for move in plan.moves:
        local = _plan_move(move, manager.intent(by=move.by, reason=move.reason), forced=())
        new = tuple(one for one in local.operations if one.op in local.new)
        after = replace(local.after, pending=new)
        plans.append(replace(local, after=after))
    return tuple(one for items in preview_all(run, plans) for one in items)


@dataclass(frozen=True, slots=True)
class Settled:
    """The result of the local part of a plan.

    Args:
        moved: the increments that were to follow their items.
        made: the intents of the operations that were enqueued.
        fresh: those of them that this process has made, and nobody else can have delivered.
    """

    moved: tuple[Moved, ...] = ()
    made: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()


def apply_sync_plan(
    workspace: Workspace, plan: SyncPlan, *, by: str, force: bool = False
) -> Settled:
    """Do the local part of a plan: note what agrees, move increments, enqueue what follows.

    What is enqueued is delivered afterwards, like anything that is pending. A step whose increment
    was changed since the comparison is left out: it was decided for another status.

    Raises:
        StoreError: an increment's files cannot be written.
    """
    _note_agreement(workspace, plan.having(Verdict.RECORD))
    pushed = _push(workspace, plan.having(Verdict.PUSH), by=by)
    fresh = {operation.op for operation in pushed if operation.state}
    moved: list[Moved] = []
    for move in plan.moves:
        try:
            fresh |= _follow(workspace, move, by=by, force=force)
        except UnlatchError as error:
            moved.append(Moved(move, error))
        else:
            moved.append(Moved(move))
    return Settled(tuple(moved), frozenset({*fresh, *(one.op for one in pushed)}), frozenset(fresh))


def _note_agreement(workspace: Workspace, agreed: Iterable[Compared]) -> None:
    for name, group in _by_increment(agreed).items():
        bases = {one.link: base for one in group if (base := _base(one.increment.status, one))}
        compared = group[0].increment
        record_in_sync(workspace.manager, name, bases, is_current=partial(is_as_compared, compared))


def _by_increment(links: Iterable[Compared]) -> dict[str, list[Compared]]:
    groups: dict[str, list[Compared]] = {}
    for one in links:
        groups.setdefault(one.increment.id, []).append(one)
    return groups


def _base(status: Status, one: Compared) -> Base | None:
    item = one.seen.item
    return Base(status.value, item.category.value, item.state) if item else None


def _push(workspace: Workspace, links: Iterable[Compared], *, by: str) -> list[Operation]:
    """Enqueue for items what their increments have become; those of one increment in one write.

    Were an item left out by a crash, it would be the only news, and the increment would follow it.
    """
    pushed: list[Operation] = []
    for name, group in _by_increment(links).items():
        made: list[Operation] = []

        def plan(
            before: Increment,
            _intent: Intent,
            group: list[Compared] = group,
            made: list[Operation] = made,
        ) -> Plan:
            if is_as_compared(before, group[0].increment):
                manager = workspace.manager
                made += [op for one in group for op in _operations(manager, one, by=by)]
            return plan_enqueue(before, *made)

        workspace.manager.apply(name, plan, by=by)
        pushed += made
    return pushed


def is_as_compared(now: Increment, compared: Increment) -> bool:
    """Whether an increment still is what a decision was made for."""
    return (now.status, now.pending, len(now.reopens)) == (
        compared.status,
        compared.pending,
        len(compared.reopens),
    )


def _operations(manager: MetadataManager, one: Compared, *, by: str) -> Iterator[Operation]:
    """What its increment has become, and the reason where the item was not given it."""
    increment, link = one.increment, one.link
    kind, at = kind_for(increment.status), manager.clock()
    yield Operation(manager.new_id(), kind, link.tracker, link.key, at, by)
    if kind is Kind.REOPEN and (entry := _not_commented(increment, link)):
        # By itself: where the comment turns out to be there, the state is still to follow.
        yield Operation(entry.id, kind, link.tracker, link.key, entry.reopened_at, state=False)


def _not_commented(increment: Increment, link: Link) -> ReopenEntry | None:
    """The last reopen that stands, if nothing says that the item has its comment."""
    standing = [entry for entry in increment.reopens if entry.reverted_at is None]
    if not standing or increment.status is not Status.ACTIVE:
        return None
    reached = {(synced.tracker, synced.item) for synced in standing[-1].synced_to}
    return None if (link.tracker, link.item) in reached else standing[-1]


def _follow(workspace: Workspace, move: Move, *, by: str, force: bool) -> set[str]:
    """Move an increment, enqueue the same for its other items, and note the origins as in sync."""
    with _admitted(workspace, move, force=force) as forced:
        made, after = workspace.manager.apply(
            move.increment.id,
            lambda before, intent: _plan_move(_current(move, before), intent, forced=forced),
            by=_name(move, by),
            reason=move.reason,
            unarchive=not move.to.is_finished,
        )
    bases = {one.link: base for one in move.origins if (base := _base(after.status, one))}
    reached = [_reached(one) for one in move.origins]
    op = made.entry.id if made.entry else None
    record_in_sync(
        workspace.manager,
        after.id,
        bases,
        is_current=lambda now: now.status is after.status,
        op=op,
        reached=reached,
    )
    return set(made.new)


def _name(move: Move, by: str) -> str:
    """Who moves it: the one who changed the item; a reopen names nobody else in its entry."""
    is_reopen = move.increment.status is Status.COMPLETED
    return move.by if is_reopen or by == move.by else f"{move.by} ({by})"


def _current(move: Move, before: Increment) -> Move:
    """The move, for its increment as it is now.

    Raises:
        StoreError: `changed-meanwhile`.
    """
    if not is_as_compared(before, move.increment):
        raise StoreError(
            "changed-meanwhile",
            f"{before.id} was changed while it was compared; it is {before.status} now",
            hint=f"unlatch sync {before.id}",
        )
    return replace(move, increment=before)


@contextmanager
def _admitted(workspace: Workspace, move: Move, *, force: bool) -> Iterator[tuple[str, ...]]:
    """The rule violations that are overridden, if the project's rules permit the move at all.

    Raises:
        StoreError: a limit refuses it.
        WorkOpen: it is to be completed, and its files say that work is left.
    """
    if move.to.is_finished:
        clearance = check_finish(move.increment, move.to, reason=move.reason, force=force)
        yield clearance.forced
        return
    # Nobody is there to name a category for what was done on a tracker.
    activation = ActivationOptions(force=force, is_asked=True)
    with allow_activation(workspace, move.increment, activation) as approval:
        yield approval.forced


def _plan_move(move: Move, intent: Intent, *, forced: tuple[str, ...]) -> Plan:
    """What following an item comes to."""
    increment = move.increment
    origins = [one.link for one in move.origins]
    spare = [*origins, *(link for link in increment.links if link not in move.others)]
    # Abandoning closed them on purpose, and this undoes just that.
    even = increment.status is Status.ABANDONED
    intent = replace(intent, exclude=spare, options=DeliveryOptions(even_if_not_planned=even))
    if increment.status is Status.COMPLETED:
        source = ", ".join(link.key for link in origins)
        return plan_reopen(increment, intent, source=source, forced=forced)
    return plan_transition(increment, move.to, intent, enqueue=kind_for(move.to), forced=forced)


def _reached(one: Compared) -> SyncedItem:
    ref = one.seen.item.ref if one.seen.item else None
    return SyncedItem(one.link.tracker, one.link.item, ref.url if ref else one.link.key)
