"""Comparing increments with their items, all of them at once, and saying what would follow."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.model.status import Status
from unlatch.increments.model.sync_policy import Direction, Policy
from unlatch.increments.records.links import identity, link_of, same_item
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.sync.compare import Compared, ReconcileContext, Side, Verdict, decide, side_there
from unlatch.sync.conflicts import agreed, sides_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import RemoteItem

_UNTOLD = "somebody"


@dataclass(frozen=True, slots=True)
class Move:
    """A change of an increment's status that follows its items.

    Args:
        origins: the links whose items have changed; nothing is sent to these.
        others: the links whose items follow.
        by: who changed them, as the tracker tells.
        reason: what happened, in words.
    """

    increment: Increment
    to: Status
    origins: tuple[Compared, ...]
    others: tuple[Link, ...]
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What bringing both sides in step would do.

    Args:
        links: every link that was looked at.
        moves: increments that follow their items.
    """

    links: tuple[Compared, ...]
    moves: tuple[Move, ...]

    def having(self, *verdicts: Verdict) -> tuple[Compared, ...]:
        """The links with one of these verdicts."""
        return tuple(one for one in self.links if one.verdict in verdicts)

    @property
    def told(self) -> tuple[Compared, ...]:
        """The links that there is anything to say of."""
        return tuple(one for one in self.links if one.verdict is not Verdict.NOTHING)

    @property
    def is_unresolved(self) -> bool:
        """Whether somebody has to choose, and has not."""
        return bool(self.having(Verdict.ASK, Verdict.CONFLICT))

    @property
    def items(self) -> int:
        """How many items would be written to, those with pending operations included."""
        written = {identity(one.link) for one in self.having(Verdict.PUSH)}
        written |= {identity(one.link) for one in self.links if one.pending}
        written |= {identity(link) for move in self.moves for link in move.others}
        return len(written)

    @property
    def is_adrift(self) -> bool:
        """Whether the two sides differ anywhere without a good reason."""
        verdicts = (Verdict.PUSH, Verdict.PULL, Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT)
        return bool(self.having(*verdicts)) or any(one.pending for one in self.links)


def compare(
    workspace: Workspace,
    trackers: Trackers,
    increments: Iterable[Increment],
    everything: Iterable[Increment],
) -> SyncPlan:
    """Look at all items of `increments` and decide about each; nothing is written.

    Args:
        everything: all increments of the project, which may share items with these.
    """
    everything = tuple(everything)
    ties = _ties(everything)
    policies = {name: workspace.config.sync.policy(name) for name in workspace.settings}
    links = [
        (increment, link)
        for increment in increments
        for link in increment.links
        if link.tracker in policies and policies[link.tracker].direction is not Direction.OFF
    ]
    seen = {
        one.link: one
        for one in fetch_items(trackers, dict.fromkeys(link for _, link in links), closely=True)
    }
    compared = []
    for increment, link in links:
        others = [one for one in ties[identity(link)] if one.id != increment.id]
        policy = policies[link.tracker]
        one = _compared(increment, seen[link], policy, others=others)
        compared.append(_adopted(trackers, one, everything))
    return planned(compared)


def planned(compared: Iterable[Compared]) -> SyncPlan:
    """The plan for links that were decided about, perhaps by somebody who was asked."""
    of: dict[str, list[Compared]] = defaultdict(list)
    links = tuple(compared)
    for one in links:
        of[one.increment.id].append(one)
    groups = {name: agreed(group) for name, group in of.items()}
    ordered = {name: iter(group) for name, group in groups.items()}
    moves = (_move(group) for group in groups.values())
    return SyncPlan(
        tuple(next(ordered[one.increment.id]) for one in links),
        tuple(move for move in moves if move is not None),
    )


def _ties(everything: Iterable[Increment]) -> Mapping[tuple[str, str], list[Increment]]:
    ties: dict[tuple[str, str], list[Increment]] = defaultdict(list)
    for increment in everything:
        for link in increment.links:
            ties[identity(link)].append(increment)
    return ties


def _compared(
    increment: Increment, seen: ItemSnapshot, policy: Policy, *, others: list[Increment]
) -> Compared:
    link, item = seen.link, seen.item
    pending = sum(same_item(link_of(increment, one), link) for one in increment.pending)
    given = ReconcileContext(
        shared=bool(others),
        needed=any(not one.status.is_finished for one in others),
        closed_by=item.closed_by if item else None,
    )
    if pending or item is None:
        return Compared(increment, link, seen, None, pending, policy, given)
    decision = decide(increment.status, link.base, item.category, policy=policy, given=given)
    return Compared(increment, link, seen, decision, 0, policy, given)


def _adopted(trackers: Trackers, one: Compared, everything: Iterable[Increment]) -> Compared:
    """The link of an item that was reopened, with the reopen of ours that did it, if one did."""
    item = one.seen.item
    if one.verdict is not Verdict.PULL or item is None or not item.category.is_open:
        return one
    try:
        op = _unknown_reopen(trackers, one.increment, item, everything)
    except UnlatchError as error:
        return replace(one, seen=replace(one.seen, error=error), decision=None)
    given = replace(one.given, reopened_elsewhere=op)
    status, base = one.increment.status, one.link.base
    decision = decide(status, base, item.category, policy=one.policy, given=given)
    return replace(one, decision=decision, given=given)


def _unknown_reopen(
    trackers: Trackers, increment: Increment, item: RemoteItem, everything: Iterable[Increment]
) -> str | None:
    """An operation of ours that the item was told and that these files do not know."""
    told = trackers.open(item.ref.tracker).find_ops(item.ref)
    left = set(told) - known_operations(increment)
    # The item may have been another increment's before.
    for other in everything if left else ():
        left -= known_operations(other)
    return next((op for op in told if op in left), None)


def known_operations(increment: Increment) -> frozenset[str]:
    """Every operation that an increment's files tell of."""
    from unlatch.increments.records.events import Delivered, Parked, read_events  # noqa: PLC0415

    known = {entry.id for entry in increment.reopens}
    known |= {entry.revert for entry in increment.reopens if entry.revert}
    known |= {operation.op for operation in increment.pending}
    for event in read_events(increment.folder):
        known.add(event.id)
        if isinstance(event, Delivered | Parked):
            known.add(event.op)
    return frozenset(known)


def _move(group: list[Compared]) -> Move | None:
    """What the items of one increment make of it."""
    origins = tuple(one for one in group if one.verdict is Verdict.PULL)
    if not origins:
        return None
    sides = sides_of(origins)
    # Closed in different ways, it is done rather than dropped.
    side = next(one for one in (Side.OPEN, Side.DONE, Side.DROPPED) if one in sides)
    to = {Side.OPEN: Status.ACTIVE, Side.DONE: Status.COMPLETED, Side.DROPPED: Status.ABANDONED}
    others = tuple(one.link for one in group if _follows(one, side))
    happened = "Reopened" if side is Side.OPEN else "Closed"
    by = next((one.seen.item.changed_by for one in origins if one.seen.item), None)
    where = ", ".join(one.seen.name for one in origins)
    reason = f"{happened} on {where}" + (f" by {by}" if by else "")
    return Move(origins[0].increment, to[side], origins, others, by or _UNTOLD, reason)


def _follows(one: Compared, side: Side) -> bool:
    """Whether a link's item is to follow where its increment goes."""
    if one.verdict is Verdict.PULL or one.seen.item is None or not one.policy.direction.pushes:
        return False
    if side is not Side.OPEN and one.given.needed:
        return False
    return (side_there(one.seen.item.category) is Side.OPEN) is not (side is Side.OPEN)
