"""Reopen or close items: record what is intended, then deliver it as for increments."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from unlatch.config.choices import Part
from unlatch.delivery.planning import may_write
from unlatch.delivery.preview import Preview
from unlatch.delivery.read_ahead import find_stale_read
from unlatch.delivery.read_items import read_items
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.task import make_task
from unlatch.errors import Moved, NotFound, Rejected, UnlatchError
from unlatch.increments.files.changes.plans import Intent, Plan, plan_reopen, plan_transition
from unlatch.increments.files.new_item import draft_record, find_record, make_record
from unlatch.increments.files.outbox import record_in_sync
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.status import Status
from unlatch.lifecycle.change import Outcome, Place
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.items.answered import (
    ended_operations,
    find_answered,
    known_operations,
    own_id,
    unfinished_attempt,
)
from unlatch.lifecycle.items.beside import PendingBeside, is_pending, pending_reason, strike_opposed
from unlatch.lifecycle.items.places import make_user_items
from unlatch.project.linked import linked_to
from unlatch.spi import Snapshot
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import AS_CONFIGURED, Category, DeliveryOptions, Kind, OperationKey
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef

# The status of a new record before the change. Nobody sees it, and delivery reads the item itself.
_BEFORE = {Kind.REOPEN: Status.COMPLETED, Kind.CLOSE: Status.ACTIVE}
# What trackers say of an item; not that its repository, project or server is not there.
_MISSING, _DELETED = "item-not-found", "item-deleted"
_GOALS = {Kind.REOPEN: Goal.OPEN, Kind.CLOSE: Goal.COMPLETED}


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """What to do with items.

    Args:
        reason: None for a close, to finish an earlier request, or before the prompt.
        key: takes the place of the reason in the id of the operations.
    """

    kind: Kind
    by: str
    reason: str | None = None
    options: DeliveryOptions = AS_CONFIGURED
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The change of one item.

    Args:
        subject: its record, as it is on disk, or as it will be made.
        ref: the item.
        request: what to do with it.
        is_new: whether its record has to be made.
        ended: the operations of its record that had ended before the item was read.
        beside: the increments that the item belongs to, each with those of its own.
        snapshot: the item as the plan read it; None for a pending operation, which is looked up
            before it is sent, and offline.
        answered: the time of the close, or reopen, that the change takes back, by the tracker.
        finishes: whether it finishes what this account began elsewhere: the item is open without
            a comment.
        is_done: whether the item is in the wanted state, so that nothing is to do.
        is_awaited: whether another operation is pending on it, which may change it at any time.
        is_opposed: whether an increment's operation is pending on it that moves it the other way.
        may_move: whether the configuration lets its state be written.
        error: why it could not be read, or needs nothing; the item is left alone.
    """

    subject: Increment
    ref: ItemRef
    request: ItemRequest
    is_new: bool
    ended: frozenset[str] = frozenset()
    beside: tuple[tuple[Increment, frozenset[str]], ...] = ()
    snapshot: Snapshot | None = None
    answered: datetime | None = None
    finishes: bool = False
    is_done: bool = False
    is_awaited: bool = False
    is_opposed: bool = False
    may_move: bool = True
    error: UnlatchError | None = None

    @property
    def items(self) -> tuple[str, ...]:
        """The record's name, unless the item is left alone."""
        return () if self.is_left else (self.subject.id,)

    @property
    def delivery(self) -> DeliveryOptions:
        return self.request.options

    @property
    def link(self) -> Link:
        return self.subject.links[0]

    @property
    def is_left(self) -> bool:
        """Whether the item is left alone."""
        return self.is_done or self.error is not None

    @property
    def needs_reason(self) -> bool:
        """Whether the change cannot be made without a reason, which the request lacks.

        That of an earlier command, which failed, is not posted for this one.
        """
        if self.request.reason is not None or self.is_left:
            return False
        return self.request.kind is Kind.REOPEN or self.pending_reason is not None

    @property
    def pending_reason(self) -> str | None:
        """The reason of an operation of this kind that is pending on the item."""
        return pending_reason(self.subject, self.request.kind)

    def decide(self, before: Increment, intent: Intent) -> Plan:
        """The change for the record's present state: none if it is pending, or was just made."""
        kind = self.request.kind
        if is_pending(self.subject, kind, intent.reason):
            # It was not read for that. Another process may have delivered it since.
            return Plan(before, before)
        item = self.snapshot.item if self.snapshot and self.may_move else None
        is_due = item is not None and must_move(item, _GOALS[kind])
        op = own_id(self.ended, kind, self.ref, intent.text, self.answered, is_due=is_due)
        intent = intent.derived(op)
        if is_pending(before, kind, intent.reason) or intent.op in known_operations(before):
            return Plan(before, before)
        before = replace(before, status=_BEFORE[kind])
        if kind is Kind.REOPEN:
            plan = plan_reopen(before, intent)
        else:
            plan = plan_transition(before, Status.COMPLETED, intent, enqueue=Kind.CLOSE)
        return plan if self.snapshot else replace(plan, unread=plan.unanswered)

    def preview(self, place: Place) -> Preview:
        """The operation that would be recorded."""
        request = self.request
        intent = place.workspace.manager.intent(
            by=request.by, reason=request.reason, options=request.options, key=request.key
        )
        return Preview(self.decide(self.subject, intent), ())

    def apply(self, place: Place) -> Outcome:
        """Record the operation, in a new record if the item has none."""
        workspace, request, options = place.workspace, self.request, self.request.options
        manager = workspace.manager
        if workspace.is_of_user:
            make_user_items()
        if self.is_new:
            make_record(manager, self.subject, by=request.by)
        if self.finishes:
            options = replace(options, comment_anyway=True)
        plan, record = manager.apply(
            self.subject.id,
            self.decide,
            by=request.by,
            reason=request.reason,
            options=options,
            key=request.key,
        )
        if self.is_opposed:
            # After the record: killed in between, a repeated command strikes them.
            strike_opposed(workspace, self.link, request.kind)
        seen: dict[OperationKey, Snapshot] = {}
        if self.snapshot is not None and not self.is_awaited:
            seen = {
                operation.key: self.snapshot
                for operation in record.pending
                if operation.op in plan.new
            }
        return Outcome(self.subject, record, plan.new, seen=seen)

    def entry(self, _outcome: Outcome) -> dict[str, Any]:
        """Whether nothing was to do, and the error of an item that is left alone."""
        return {"done": self.is_done, "error": self.error}


def locate_items(
    trackers: Trackers, words: Sequence[str], *, offline: bool = False
) -> list[ItemRef]:
    """The items with these addresses and names.

    An operation on a host that is not trusted could never be delivered, so none is recorded.

    Args:
        offline: ask no tracker whether it knows a target by a former name.

    Raises:
        UnlatchError: a word names no item, or the host of one is not trusted.
    """
    refs = [trackers.item(word, ask_former=not offline, alone=True) for word in words]
    for name in dict.fromkeys(ref.tracker for ref in refs):
        trackers.check_trust(name)
    return list(dict.fromkeys(refs))


def find_increments(
    workspace: Workspace, trackers: Trackers, refs: Sequence[ItemRef], *, offline: bool = False
) -> list[list[Increment]]:
    """The increments of a project that each of the items belongs to, as `linked_to`."""
    increments, _ = workspace.beside.read_all()
    return [linked_to(trackers, increments, ref, offline=offline) for ref in refs]


def note_alone(
    workspace: Workspace,
    increment: Increment,
    ref: ItemRef,
    category: Category,
    *,
    by: str,
    url: str,
) -> None:
    """Note that an item of an increment was changed alone, so that no sync follows the item.

    Args:
        category: the item's new state.
        by: who asked for it.
        url: of their comment.
    """
    base = Base(increment.status.value, category.value, category.value)
    bases = {Link(ref.tracker, ref.id, ref.url): base}
    record_in_sync(workspace.beside, increment.id, bases, by=by, asked=url)


def find_item_record(workspace: Workspace, ref: ItemRef) -> Increment | None:
    return find_record(workspace.manager, Link(ref.tracker, ref.id, ref.url))


def record_name(workspace: Workspace, trackers: Trackers, ref: ItemRef) -> str:
    """The name of the folder for an item's record."""
    link, name = Link(ref.tracker, ref.id, ref.url), trackers.settings(ref.tracker).name(ref)
    return draft_record(workspace.manager, link, name, _BEFORE[Kind.REOPEN]).id


def find_records(
    workspace: Workspace, trackers: Trackers, refs: Sequence[ItemRef]
) -> list[tuple[ItemSnapshot, Increment | None]]:
    """The items as they are now, each with its record if it has one."""
    records = [find_item_record(workspace, ref) for ref in refs]
    links = [
        record.links[0] if record else Link(ref.tracker, ref.id, ref.url)
        for ref, record in zip(refs, records, strict=True)
    ]
    return list(zip(fetch_items(trackers, links), records, strict=True))


def plan_items(
    workspace: Workspace,
    trackers: Trackers,
    refs: Sequence[ItemRef],
    request: ItemRequest,
    *,
    offline: bool = False,
) -> list[ItemPlan]:
    """Plan a change of items, each as it is now; nothing is written.

    Args:
        offline: read no item; a repeated change is recognized by the tracker's answer later.

    Raises:
        StoreError: a record cannot be read.
        Rejected: a tracker will never take the change of an item, such as a merged pull request.
        NotFound: the tracker shows that an item does not exist.
    """
    beside = PendingBeside.of(workspace)
    plans = [_plan(workspace, trackers, ref, request, beside) for ref in refs]
    if offline:
        return plans
    new = [plan for plan in plans if not (plan.is_left or _is_repeated(plan, request))]
    seen = _read(workspace, trackers, new, request)
    return [
        _checked(trackers, plan, seen[plan.link], request) if plan.link in seen else plan
        for plan in plans
    ]


def _is_repeated(plan: ItemPlan, request: ItemRequest) -> bool:
    return is_pending(plan.subject, request.kind, request.reason)


def _plan(
    workspace: Workspace,
    trackers: Trackers,
    ref: ItemRef,
    request: ItemRequest,
    beside: PendingBeside,
) -> ItemPlan:
    link, kind = Link(ref.tracker, ref.id, ref.url), request.kind
    record, is_new = find_record(workspace.manager, link), False
    if record is None:
        name = trackers.settings(ref.tracker).name(ref)
        record, is_new = draft_record(workspace.manager, link, name, _BEFORE[kind]), True
    return ItemPlan(
        record,
        ref,
        request,
        is_new,
        ended_operations(record),
        tuple((increment, ended_operations(increment)) for increment in beside.linked(link)),
        is_awaited=bool(beside.on(link) or record.pending),
        is_opposed=bool(beside.opposed(link, kind)),
        may_move=may_write(workspace, record, link, Part.STATUS),
        error=beside.same(link, kind, request.reason),
    )


def _read(
    workspace: Workspace, trackers: Trackers, plans: Sequence[ItemPlan], request: ItemRequest
) -> Mapping[Link, Snapshot | UnlatchError]:
    """Read items with all that their change will need."""
    intent = workspace.manager.intent(by=request.by, reason=request.reason, options=request.options)
    # Nobody can have sent what is only planned.
    ops = [workspace.new_id() for _ in plans]
    run = DeliveryRun(workspace, trackers, request.options, frozenset(ops), dry_run=True)
    tasks = []
    for plan, op in zip(plans, ops, strict=True):
        planned = plan.decide(plan.subject, replace(intent, op=op))
        tasks += [make_task(run, planned.after, new) for new in planned.after.pending]
    answers = dict(zip(tasks, read_items(tasks, planning=True), strict=True))
    return {task.increment.links[0]: answer for task, answer in answers.items()}


def _checked(
    trackers: Trackers, plan: ItemPlan, seen: Snapshot | UnlatchError, request: ItemRequest
) -> ItemPlan:
    if _is_refused(seen) or _is_missing(seen, plan.ref, trackers):
        raise seen
    if not isinstance(seen, Snapshot):
        # Delivery records what may succeed later, and reports it.
        return plan
    item, opens = seen.item, request.kind is Kind.REOPEN
    for record, ended in ((plan.subject, plan.ended), *plan.beside):
        if stale := find_stale_read(record, plan.link, item, ended=ended):
            return replace(plan, error=stale)
    plan = replace(plan, snapshot=seen)
    is_due = must_move(item, _GOALS[request.kind])
    if is_due or request.options.comment_anyway or plan.subject.pending or plan.is_opposed:
        return replace(plan, answered=find_answered(trackers, item, request.kind))
    # What an increment of this checkout has begun, it finishes itself.
    may_finish = opens and not plan.is_awaited
    try:
        answered = unfinished_attempt(trackers, item) if may_finish else None
    except UnlatchError as error:
        return replace(plan, error=error)
    is_unfinished = answered is not None
    return replace(plan, answered=answered, finishes=is_unfinished, is_done=not is_unfinished)


def _is_refused(seen: Snapshot | UnlatchError) -> TypeGuard[Rejected]:
    """Whether a tracker says why it never takes the change; a status without words says nothing."""
    return isinstance(seen, Rejected) and seen.id != "tracker-rejected"


def _is_missing(
    seen: Snapshot | UnlatchError, ref: ItemRef, trackers: Trackers
) -> TypeGuard[NotFound]:
    """Whether an item does not exist; one that is not found may only be hidden."""
    if not isinstance(seen, NotFound) or isinstance(seen, Moved):
        return False
    if seen.id != _MISSING:
        return seen.id == _DELETED
    with suppress(UnlatchError):
        return trackers.open(ref.tracker).sees_place(ref)
    return False
