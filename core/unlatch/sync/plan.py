"""Plan what a sync does, and tell reads that are staler than what was seen."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.model.policies import Direction, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import ByItem, identity, link_of, same_item
from unlatch.increments.records.refusals import Refusal, find_refusals
from unlatch.lifecycle.fetch_items import (
    ItemSnapshot,
    Unread,
    fetch_items,
    find_unread,
    group_unread,
)
from unlatch.sync.compare import (
    Compared,
    Decision,
    ReconcileContext,
    Side,
    Verdict,
    decide,
    remote_side,
    remote_sides,
    resolve_conflicts,
)
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace


# What follows from a change of the item.
_BY_ITEM = frozenset({Verdict.PULL, Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT})


def check_stale(compared: Compared) -> Compared:
    """Count an item as not read if its tracker shows it as it was before the last delivery."""
    item = compared.seen.item
    if item is None or compared.verdict not in _BY_ITEM:
        return compared
    from unlatch.delivery.read_ahead import find_stale_read  # noqa: PLC0415  (slow to load)

    error = find_stale_read(compared.increment, compared.link, item)
    if error is None:
        return compared
    return replace(compared, seen=replace(compared.seen, item=None, error=error), decision=None)


_UNKNOWN_USER = "unknown user"
_STATUSES = {Side.OPEN: Status.ACTIVE, Side.DONE: Status.COMPLETED, Side.DROPPED: Status.ABANDONED}


@dataclass(frozen=True, slots=True)
class Move:
    """A change of an increment's status that follows its items."""

    increment: Increment
    to: Status
    origins: tuple[Compared, ...]  # the links whose items have changed
    others: tuple[Link, ...]  # the links whose items follow
    by: str  # who changed them, if the tracker says so
    reason: str
    op: str | None = None  # the earlier pull that it repeats, if any
    left: tuple[Compared, ...] = ()  # the links whose items were closed deliberately, and stay so
    error: UnlatchError | None = None  # why the increment was left as it is
    warnings: tuple[UnlatchError, ...] = ()  # about one that was completed

    @property
    def relabelled(self) -> tuple[Link, ...]:
        """The links whose items were reopened by hand and get the labels of a reopen."""
        origins = self.origins if not self.to.is_finished else ()
        return tuple(compared.link for compared in origins if compared.policy.direction.pushes)


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """The decisions about all links, and the increments that follow their items."""

    links: tuple[Compared, ...] = ()
    moves: tuple[Move, ...] = ()
    unread: tuple[Unread, ...] = ()  # places in files that seem to name items
    excluded: tuple[str, ...] = ()  # for each item that is not compared, its tracker's name
    tries_blocked: bool = False  # whether blocked operations are tried, as for named increments
    retries_refused: bool = False  # whether refused labels are asked for again
    is_named: bool = False  # whether its increments were named

    def having(self, *verdicts: Verdict) -> tuple[Compared, ...]:
        """Return the links with one of these verdicts."""
        return tuple(compared for compared in self.links if compared.verdict in verdicts)

    @property
    def reported(self) -> tuple[Compared, ...]:
        """The links that are not simply in sync."""
        return tuple(
            compared
            for compared in self.links
            if compared.verdict is not Verdict.NOTHING or (compared.boxes and compared.boxes.differ)
        )

    @property
    def missing_labels(self) -> tuple[Compared, ...]:
        """The links whose items lack labels that their tracker refused."""
        return tuple(compared for compared in self.links if compared.refused)

    @property
    def retried(self) -> tuple[Compared, ...]:
        """Those whose labels are asked for again."""
        return self.missing_labels if self.retries_refused else ()

    @property
    def only_pending(self) -> SyncPlan:
        """The part of the plan that is carried out on a branch that is not compared."""
        links = tuple(compared for compared in self.links if compared.pending)
        return SyncPlan(links, tries_blocked=self.tries_blocked)

    def not_checked(self, *, pending: bool) -> Sequence[Unread]:
        """Return the items that could not be read, those of pending operations if `pending`."""
        seen = (compared.seen for compared in self.links if pending or not compared.pending)
        return [*self.unread, *group_unread(seen)]

    @property
    def is_unresolved(self) -> bool:
        """Whether a person has to choose."""
        return bool(self.having(Verdict.ASK, Verdict.CONFLICT))

    @property
    def due(self) -> set[tuple[str, str]]:
        """The items with pending operations that would be tried."""
        return {
            identity(compared.link)
            for compared in self.links
            if any(self.tries_blocked or not operation.is_blocked for operation in compared.pending)
        }

    @property
    def items(self) -> int:
        """The number of items that would be written to, including pending operations."""
        written = self.due | {identity(compared.link) for compared in self.having(Verdict.PUSH)}
        written |= {
            identity(compared.link)
            for compared in self.links
            if compared.boxes and compared.boxes.is_pushed
        }
        written |= {identity(compared.link) for compared in self.retried}
        written |= {
            identity(link) for move in self.moves for link in (*move.others, *move.relabelled)
        }
        return len(written)

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        if self.moves or self.retried:
            return False
        links = self.links
        return not any(link.boxes or link.verdict is not Verdict.NOTHING for link in links)

    @property
    def has_drift(self) -> bool:
        """Whether both sides differ anywhere without a valid reason."""
        verdicts = (Verdict.PUSH, Verdict.PULL, Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT)
        if self.having(*verdicts) or any(compared.pending for compared in self.links):
            return True
        return any(compared.boxes and compared.boxes.differ for compared in self.links)


def plan_sync(
    workspace: Workspace,
    trackers: Trackers,
    increments: Iterable[Increment],
    everything: Iterable[Increment],
    *,
    boxes: bool,
) -> SyncPlan:
    """Read all items of `increments` and decide about each; nothing is written.

    Args:
        everything: all increments of the project, which may share items with these.
        boxes: whether to compare check boxes, too.
    """
    everything = tuple(everything)
    linked: ByItem[Increment] = ByItem()
    for increment in everything:
        for link in increment.links:
            linked.add(link, increment)
    # Also of trackers without settings or a plugin, whose items are reported as not checked.
    policy, chosen = workspace.config.sync.policy, tuple(increments)
    every = [(increment, link) for increment in chosen for link in increment.links]
    links = [pair for pair in every if not _is_off(policy(pair[1].tracker))]
    apart = dict.fromkeys(identity(link) for _, link in every if _is_off(policy(link.tracker)))
    excluded = [tracker for tracker, _ in apart]
    unique = dict.fromkeys(link for _, link in links)
    seen = {snapshot.link: snapshot for snapshot in fetch_items(trackers, unique, closely=True)}
    compared = []
    refusals = {increment.id: find_refusals(increment) for increment in chosen}
    for increment, link in links:
        others = [other for other in linked.on(link) if other.id != increment.id]
        comparison = _compare(increment, seen[link], policy(link.tracker), others)
        comparison = check_stale(comparison)
        if comparison.verdict is Verdict.PULL:
            from unlatch.sync.branches import check_branches  # noqa: PLC0415  (slow to load)

            comparison = check_branches(workspace, trackers, comparison, everything)
        comparison = _find_refused(workspace, comparison, refusals[increment.id])
        compared.append(_find_author(trackers, comparison))
    compared = _leave_pending_alone(workspace, compared)
    unread = find_unread(chosen, workspace.registry)
    excluded += [gap.tracker for gap in unread if _is_off(policy(gap.tracker)) for _ in gap.names]
    missed = tuple(gap for gap in unread if not _is_off(policy(gap.tracker)))
    if boxes and any(map(_has_checks, compared)):
        from unlatch.sync.check_boxes import compare_boxes  # noqa: PLC0415  (slow to load)

        groups = (compare_boxes(workspace, group) for group in by_increment(compared))
        compared = list(chain.from_iterable(groups))
    return make_plan(compared, SyncPlan(unread=missed, excluded=tuple(excluded)))


def _has_checks(compared: Compared) -> bool:
    item = compared.seen.item
    return item is not None and item.checks_of(compared.increment.id) is not None


def _is_off(policy: SyncPolicy) -> bool:
    return policy.direction is Direction.OFF


def make_plan(compared: Iterable[Compared], plan: SyncPlan | None = None) -> SyncPlan:
    """Return the plan with these links and decisions, which a person may have changed."""
    resolved = [resolve_conflicts(group) for group in by_increment(compared)]
    moves = tuple(filter(None, map(_plan_move, resolved)))
    left = {id(compared): compared for move in moves for compared in move.left}
    links = tuple(
        _leave(compared) if id(compared) in left else compared for compared in chain(*resolved)
    )
    return replace(plan or SyncPlan(), links=links, moves=moves)


def _leave(compared: Compared) -> Compared:
    """A link whose item was closed deliberately, while another item was reopened."""
    state = compared.seen.item.state if compared.seen.item else ""
    return replace(compared, decision=Decision(Verdict.EXPECTED, f"closed on purpose ({state})"))


def by_increment(links: Iterable[Compared]) -> Sequence[Sequence[Compared]]:
    groups: dict[str, list[Compared]] = defaultdict(list)
    for compared in links:
        groups[compared.increment.id].append(compared)
    return list(groups.values())


def _compare(
    increment: Increment, seen: ItemSnapshot, policy: SyncPolicy, others: list[Increment]
) -> Compared:
    link, item = seen.link, seen.item
    pending = tuple(
        operation
        for operation in increment.pending
        if same_item(link_of(increment, operation), link)
    )
    context = ReconcileContext(
        shared=bool(others),
        needed=any(not other.status.is_finished for other in others),
        closed_by=item.closed_by if item else None,
    )
    if pending or item is None:
        return Compared(increment, link, seen, None, pending, policy, context)
    decision = decide(increment.status, link.base, item.category, policy=policy, context=context)
    return Compared(increment, link, seen, decision, (), policy, context)


def _leave_pending_alone(workspace: Workspace, compared: list[Compared]) -> list[Compared]:
    """Leave the items on which an operation is pending that changes them alone."""
    verdicts = (Verdict.PUSH, Verdict.PULL, Verdict.ASK, Verdict.CONFLICT)
    if not any(link.verdict in verdicts for link in compared):
        return compared
    records, _ = workspace.beside.read_all()
    alone = {identity(record.links[0]) for record in records if record.pending and record.links}
    decision = Decision(Verdict.EXPECTED, "an operation on the item alone is pending")
    return [
        replace(link, decision=decision)
        if link.verdict in verdicts and identity(link.link) in alone
        else link
        for link in compared
    ]


def _find_refused(
    workspace: Workspace, compared: Compared, refusals: Sequence[Refusal]
) -> Compared:
    item = compared.seen.item
    if compared.decision is None or item is None or not compared.policy.direction.pushes:
        return compared
    matching = [refusal for refusal in refusals if same_item(refusal.link, compared.link)]
    if not matching:
        return compared
    from unlatch.delivery.planning import refused_labels  # noqa: PLC0415  (slow to load)

    refused = (refused_labels(workspace, compared.increment, refusal, item) for refusal in matching)
    return replace(compared, refused=next(refused, None))


def _find_author(trackers: Trackers, compared: Compared) -> Compared:
    """Add who changed an item that the increment follows, where its answer did not show it."""
    item = compared.seen.item
    if compared.verdict is not Verdict.PULL or item is None or item.changed_by:
        return compared
    with suppress(UnlatchError):
        author = trackers.open(item.ref.tracker).find_author(item.ref)
        return replace(compared, seen=replace(compared.seen, item=replace(item, changed_by=author)))
    return compared


def _plan_move(group: Sequence[Compared]) -> Move | None:
    """Return the change of status with which one increment follows its items."""
    pulled = tuple(compared for compared in group if compared.verdict is Verdict.PULL)
    if not pulled:
        return None
    # The others were reopened by an earlier pull.
    origins = (
        tuple(compared for compared in pulled if not compared.context.unpublished_pull) or pulled
    )
    # Items that were closed in different ways make it done rather than dropped.
    side = next(side for side in Side if side in remote_sides(origins))
    others = tuple(
        compared.link for compared in group if compared not in origins and _follows(compared, side)
    )
    verb = "was" if len(origins) == 1 else "were"
    happened = f"{verb} {'reopened' if side is Side.OPEN else 'closed'}"
    by = next((compared.seen.item.changed_by for compared in origins if compared.seen.item), None)
    reason = f"{', '.join(compared.seen.name for compared in origins)} {happened}"
    reason += f" by {by}" if by else ""
    increment = origins[0].increment
    op = next(filter(None, (compared.context.unpublished_pull for compared in pulled)), None)
    left = tuple(
        compared for compared in group if compared not in origins and _is_left(compared, side)
    )
    return Move(increment, _STATUSES[side], origins, others, by or _UNKNOWN_USER, reason, op, left)


def _is_left(compared: Compared, side: Side) -> bool:
    """Whether an item was closed deliberately since the last sync: no reopen undoes that."""
    item, base = compared.seen.item, compared.link.base
    if side is not Side.OPEN or item is None or not item.deliberate:
        return False
    return base is None or base.remote != item.category.value


def _follows(compared: Compared, side: Side) -> bool:
    """Whether a link's item has to follow the increment to a side."""
    if compared.seen.item is None or not compared.policy.direction.pushes:
        return False
    if compared.context.unpublished_pull:
        return True
    if (side is not Side.OPEN and compared.context.needed) or _is_left(compared, side):
        return False
    return (remote_side(compared.seen.item.category) is Side.OPEN) is not (side is Side.OPEN)
