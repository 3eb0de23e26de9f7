"""Apply a sync plan: record agreements, move increments, and enqueue operations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from shlex import quote

from unlatch.config.choices import CommentStyle
from unlatch.delivery.changes import kind_for
from unlatch.delivery.planning import ask_again
from unlatch.delivery.preview import Previewed, preview_operations
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.changes.ids import pull_id
from unlatch.increments.files.changes.plans import (
    Intent,
    Plan,
    build_operations,
    plan_enqueue,
    plan_reopen,
    plan_transition,
)
from unlatch.increments.files.checkout_notes import familiar_contents, words_of
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.outbox import record_in_sync
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.reopens import ReopenEntry, SyncedItem
from unlatch.increments.model.status import Status
from unlatch.increments.records.pending import OPERATION
from unlatch.lifecycle.activation_guard import ActivationOptions, allow_activation
from unlatch.lifecycle.completion.evidence import evidence_warnings
from unlatch.lifecycle.completion.finish_check import check_finish
from unlatch.project.workspace import Workspace
from unlatch.spi.change import seen_of
from unlatch.spi.operation import DeliveryOptions, Kind, Operation
from unlatch.sync.apply_boxes import apply_boxes, update_for
from unlatch.sync.compare import Compared, Verdict, local_side
from unlatch.sync.plan import Move, SyncPlan, by_increment
from unlatch.values import dataclass


class ChangedMeanwhile(StoreError):
    """The increment was changed since the comparison."""


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    moves: tuple[Move, ...]  # those that failed with their error
    enqueued: frozenset[str]  # the intents of the enqueued operations
    fresh: frozenset[str]  # those that this process has made, and no other can have delivered
    # The increments whose check boxes were left, with the error; None if they changed meanwhile.
    left: Mapping[str, UnlatchError | None]


def preview_sync(run: DeliveryRun, plan: SyncPlan, *, by: str) -> tuple[Previewed, ...]:
    manager = run.workspace.manager
    plans: list[Plan] = []
    for group in by_increment(plan.links):
        pushes = [compared for compared in group if compared.verdict is Verdict.PUSH]
        operations = [op for compared in pushes for op in _operations(manager, compared, by=by)]
        boxes = ((compared, compared.boxes) for compared in group if compared.boxes)
        operations += filter(None, (update_for(run.workspace, *box, by=by) for box in boxes))
        if plan.retries_refused:
            operations += _retries(run.workspace, group, by=by)
        plans.append(plan_enqueue(group[0].increment, *operations))
    for move in plan.moves:
        local = _plan_move(move, manager.intent(by=move.by, reason=move.reason), forced=())
        new = tuple(compared for compared in local.after.pending if compared.op in local.new)
        plans.append(replace(local, after=replace(local.after, pending=new)))
    return tuple(preview for items in preview_operations(run, plans) for preview in items)


def apply_sync_plan(
    workspace: Workspace, plan: SyncPlan, *, by: str, force: bool = False
) -> AppliedPlan:
    """Apply the local part of a plan; the enqueued operations are delivered afterwards.

    A decision is not applied to an increment that was changed since the comparison.
    """
    for group in by_increment(plan.having(Verdict.RECORD)):
        compared = group[0].increment
        bases, is_current = _bases(compared.status, group), partial(_is_unchanged, compared)
        record_in_sync(workspace.manager, compared.id, bases, by=by, is_current=is_current)
    pushed: list[Operation] = []
    for group in by_increment(plan.having(Verdict.PUSH)):
        pushed += _push(workspace, group, by=by)
    fresh = {operation.op for operation in pushed if operation.state}
    enqueued = {operation.op for operation in pushed}
    moves: list[Move] = []
    for move in plan.moves:
        made_moves, ops = _try_move(workspace, move, by=by, force=force)
        moves += made_moves
        enqueued |= ops
        # An earlier pull may have delivered the same operations.
        fresh |= ops - {move.op}
    for group in by_increment(plan.retried):
        retried = {operation.op for operation in _retry(workspace, group, by=by)}
        enqueued |= retried
        fresh |= retried
    left: dict[str, UnlatchError | None] = {}
    for group in by_increment(plan.links):
        try:
            updates = apply_boxes(workspace, group, by=by)
        except UnlatchError as error:
            left[group[0].increment.id] = error
            continue
        if updates is None:
            left[group[0].increment.id] = None
            continue
        enqueued |= updates
        fresh |= updates
    return AppliedPlan(tuple(moves), frozenset(enqueued), frozenset(fresh), left)


def _bases(status: Status, links: Iterable[Compared]) -> dict[Link, Base]:
    return {
        compared.link: Base(
            status.value, compared.seen.item.category.value, compared.seen.item.state
        )
        for compared in links
        if compared.seen.item is not None
    }


def _push(workspace: Workspace, group: Sequence[Compared], *, by: str) -> list[Operation]:
    """Enqueue operations for the items of one increment, in one write.

    If a crash left an item out, it alone would differ, and the increment would follow it.
    """
    pushed: list[Operation] = []

    def plan(before: Increment, _intent: Intent) -> Plan:
        if _is_unchanged(group[0].increment, before):
            for compared in group:
                pushed.extend(_operations(workspace.manager, compared, by=by))
        return plan_enqueue(before, *pushed)

    workspace.manager.apply(group[0].increment.id, plan, by=by)
    return pushed


def _retry(workspace: Workspace, group: Sequence[Compared], *, by: str) -> list[Operation]:
    """Enqueue operations that ask again for refused labels of the items of one increment."""
    retries: list[Operation] = []

    def plan(before: Increment, _intent: Intent) -> Plan:
        if _is_unchanged(group[0].increment, before):
            retries.extend(_retries(workspace, group, by=by))
        return plan_enqueue(before, *retries)

    workspace.manager.apply(group[0].increment.id, plan, by=by)
    return retries


def _retries(workspace: Workspace, group: Iterable[Compared], *, by: str) -> Iterator[Operation]:
    for compared in group:
        if compared.refused is not None:
            yield ask_again(workspace, compared.increment, compared.refused.refusal, by=by)


def _is_unchanged(compared: Increment, now: Increment) -> bool:
    """Whether an increment still is as it was when it was compared."""
    is_same = (now.status, now.pending) == (compared.status, compared.pending)
    return is_same and len(now.reopens) == len(compared.reopens)


def pushed_words(workspace: Workspace, plan: SyncPlan) -> Iterator[Increment]:
    """The increments with words of others in comments that a plan would send, as pending ones."""
    familiar = familiar_contents(workspace.paths.root)
    for group in by_increment(plan.having(Verdict.PUSH)):
        increment = group[0].increment
        words = words_of(increment.data)
        comments = filter(None, map(_comment, group))
        if sent := tuple(comment for comment in comments if words[comment.op] not in familiar):
            data = {**increment.data, "pending": [*map(OPERATION.write, sent)]}
            yield replace(increment, pending=sent, data=data)


def _operations(manager: MetadataManager, compared: Compared, *, by: str) -> Iterator[Operation]:
    """Yield the change of state, and the last reopen's comment if the item lacks it."""
    kind, at = kind_for(compared.increment.status), manager.clock()
    why = compared.decision.why if compared.decision else None
    yield Operation(
        manager.new_id(), kind, compared.link.tracker, compared.link.key, at, by, why=why
    )
    if comment := _comment(compared):
        # An operation of its own: if the item has the comment already, the state still follows.
        yield comment


def _comment(compared: Compared) -> Operation | None:
    entry = _uncommented(compared.increment, compared.link)
    if entry is None:
        return None
    item = compared.link.tracker, compared.link.key
    return Operation(entry.id, Kind.REOPEN, *item, entry.reopened_at, state=False)


def _uncommented(increment: Increment, link: Link) -> ReopenEntry | None:
    """Return the last valid reopen, unless the item is recorded to have its comment."""
    valid = [entry for entry in increment.reopens if entry.reverted_at is None]
    if not valid or increment.status is not Status.ACTIVE:
        return None
    reached = {(synced.tracker, synced.item) for synced in valid[-1].synced_to}
    return None if (link.tracker, link.item) in reached else valid[-1]


def _try_move(
    workspace: Workspace, move: Move, *, by: str, force: bool
) -> tuple[list[Move], frozenset[str]]:
    """Move an increment; the move to report, if any, and the intents of its operations."""
    try:
        is_completed = move.to is Status.COMPLETED
        warnings = evidence_warnings(workspace, move.increment) if is_completed else ()
        return [replace(move, warnings=warnings)], _move(workspace, move, by=by, force=force)
    except ChangedMeanwhile as error:
        # Another run for the same event may have made the same move.
        is_there = workspace.manager.read(move.increment.id).status is move.to
        return [] if is_there else [replace(move, error=error)], frozenset()
    except UnlatchError as error:
        return [replace(move, error=error)], frozenset()


def _move(workspace: Workspace, move: Move, *, by: str, force: bool) -> frozenset[str]:
    """Move an increment, enqueue the same for its other items, and record the origins' base."""
    is_reopen = move.increment.status is Status.COMPLETED
    with _allow_move(workspace, move, force=force) as forced:
        plan, after = workspace.manager.apply(
            move.increment.id,
            lambda before, intent: _plan_move(_current(move, before), intent, forced=forced),
            # The entry of a reopen names the person who changed the item.
            by=move.by if is_reopen or by == move.by else f"{move.by} ({by})",
            reason=move.reason,
            unarchive=not move.to.is_finished,
        )
    record_in_sync(
        workspace.manager,
        after.id,
        _bases(after.status, [*move.origins, *move.left]),
        by=by,
        is_current=lambda now: now.status is after.status,
        op=plan.entry.id if plan.entry else None,
        # Delivery records the others with their labels.
        reached=[_reached(origin) for origin in move.origins if origin.link not in move.relabelled],
    )
    return plan.new


def _current(move: Move, before: Increment) -> Move:
    """Return the move for its increment as it is now, if that is unchanged."""
    if not _is_unchanged(move.increment, before):
        raise ChangedMeanwhile(
            "changed-meanwhile",
            f"{before.id} changed during the comparison; it is {before.status} now",
            hint=f"unlatch sync {quote(before.id)}",
        )
    return replace(move, increment=before)


@contextmanager
def _allow_move(workspace: Workspace, move: Move, *, force: bool) -> Iterator[tuple[str, ...]]:
    """Hold the permission for a move; yields the rule violations that are overridden."""
    if move.to.is_finished:
        yield check_finish(move.increment, move.to, reason=move.reason, force=force).forced
        return
    # A change on a tracker cannot name a category.
    activation = ActivationOptions(force=force, is_asked=True)
    with allow_activation(workspace, move.increment, activation) as approval:
        yield approval.forced


def _plan_move(move: Move, intent: Intent, *, forced: tuple[str, ...]) -> Plan:
    increment = move.increment
    origins = [origin.link for origin in move.origins]
    exclude = [*origins, *(link for link in increment.links if link not in move.others)]
    # Abandoning closed them deliberately, and this undoes exactly that.
    options = DeliveryOptions(even_if_not_planned=increment.status is Status.ABANDONED)
    op = pull_id(increment, local_side(move.to)) or intent.op
    intent = replace(intent, op=op, is_derived=True, exclude=exclude, options=options)
    intent = replace(intent, forced=forced)
    relabelling = _relabel(move, intent)
    if increment.status is Status.COMPLETED:
        intent = replace(intent, source=", ".join(link.key for link in origins))
        return plan_reopen(increment, intent, more=relabelling)
    plan = plan_transition(increment, move.to, intent, enqueue=kind_for(move.to))
    pending = (*plan.after.pending, *relabelling)
    return replace(plan, after=replace(plan.after, pending=pending))


def _relabel(move: Move, intent: Intent) -> tuple[Operation, ...]:
    """Operations for the labels of the items that were reopened by hand.

    Without a comment: the items' author knows the change.
    """
    silent = replace(intent.delivery, comment=CommentStyle.NONE.value)
    intent = replace(intent, exclude=(), options=silent)
    reopened = replace(move.increment, links=move.relabelled)
    return build_operations(reopened, Kind.REOPEN, intent, by=intent.by)


def _reached(compared: Compared) -> SyncedItem:
    link, item = compared.link, compared.seen.item
    if item is None:
        return SyncedItem(link.tracker, link.item, link.key)
    seen = seen_of(item)
    return SyncedItem(link.tracker, link.item, item.ref.url, before=seen, after=seen)
