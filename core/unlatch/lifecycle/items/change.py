"""Reopen or close items: record what is intended, then deliver it as for increments."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.files.new_item import draft_record, find_record, make_record
from unlatch.increments.files.plans import Plan, plan_reopen, plan_transition
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Delivered, read_events
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.project.linked import linked_to
from unlatch.spi.delivery_options import AS_CONFIGURED, DeliveryOptions
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.files.plans import Intent
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef

# The status of a new record before the change. Nobody sees it, and delivery reads the item itself.
_BEFORE = {Kind.REOPEN: Status.COMPLETED, Kind.CLOSE: Status.ACTIVE}


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """What to do with items; `reason` may be None for a close, or to finish an earlier request."""

    kind: Kind
    by: str
    reason: str | None = None
    options: DeliveryOptions = AS_CONFIGURED


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The change of one item.

    Args:
        record: as it is on disk, or as it will be made.
        is_new: whether its record has to be made.
        done: the operation that last did the same for the same reason.
        is_done: whether the item is still as that operation left it, so that nothing is to do.
        error: why this could not be read; the item is left alone.
    """

    record: Increment
    is_new: bool
    done: str | None = None
    is_done: bool = False
    error: UnlatchError | None = None

    @property
    def link(self) -> Link:
        return self.record.links[0]

    @property
    def is_left(self) -> bool:
        """Whether the item is left alone."""
        return self.is_done or self.error is not None

    def decide(self, before: Increment, intent: Intent, kind: Kind) -> Plan:
        """The change for the record's present state: none if it is pending, or was just made."""
        done = _last_done(before, kind, intent.reason)
        if _is_pending(before, kind, intent.reason) or done not in (None, self.done):
            return Plan(before, before)
        before = replace(before, status=_BEFORE[kind])
        if kind is Kind.REOPEN:
            return plan_reopen(before, intent)
        return plan_transition(before, Status.COMPLETED, intent, enqueue=Kind.CLOSE)


def locate_items(
    trackers: Trackers, words: Sequence[str], *, offline: bool = False
) -> list[ItemRef]:
    """The items with these addresses and names.

    An operation on a host that is not trusted could never be delivered, so none is recorded.

    Args:
        offline: ask no tracker whether it knows a target by a former name.

    Raises:
        UnlatchError: as `Trackers.item` and `check_trust`.
    """
    refs = [trackers.item(one, ask_former=not offline) for one in words]
    for name in dict.fromkeys(ref.tracker for ref in refs):
        trackers.check_trust(name)
    return list(dict.fromkeys(refs))


def find_increments(
    workspace: Workspace, trackers: Trackers, refs: Sequence[ItemRef], *, offline: bool = False
) -> list[list[Increment]]:
    """The increments of a project that each of the items belongs to, as `linked_to`."""
    increments, _ = workspace.beside.read_all()
    return [linked_to(trackers, increments, ref, offline=offline) for ref in refs]


def find_item_record(workspace: Workspace, ref: ItemRef) -> Increment | None:
    return find_record(workspace.manager, Link(ref.tracker, ref.id, ref.url))


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
    workspace: Workspace, trackers: Trackers, refs: Sequence[ItemRef], request: ItemRequest
) -> list[ItemPlan]:
    """Plan a change of items; those that were changed so before are read.

    Raises:
        UsageError: `reason-missing`.
        StoreError: a record cannot be read.
    """
    plans = [_plan(workspace, trackers, ref, request) for ref in refs]
    links = [one.link for one in plans if one.done is not None]
    seen = {one.link: one for one in fetch_items(trackers, links)} if links else {}
    return [_checked(one, seen[one.link], request) if one.link in seen else one for one in plans]


def _plan(workspace: Workspace, trackers: Trackers, ref: ItemRef, request: ItemRequest) -> ItemPlan:
    kind, link = request.kind, Link(ref.tracker, ref.id, ref.url)
    record = find_record(workspace.manager, link)
    is_pending = record is not None and _is_pending(record, kind, request.reason)
    if kind is Kind.REOPEN and request.reason is None and not is_pending:
        name = trackers.settings(ref.tracker).name(ref)
        message = f"reopening {name} needs a reason"
        raise UsageError("reason-missing", message)
    if record is None:
        name = trackers.settings(ref.tracker).name(ref)
        return ItemPlan(draft_record(workspace.manager, link, name, _BEFORE[kind]), is_new=True)
    done = None if record.pending else _last_done(record, kind, request.reason)
    return ItemPlan(record, is_new=False, done=done)


def _checked(plan: ItemPlan, seen: ItemSnapshot, request: ItemRequest) -> ItemPlan:
    if seen.item is None:
        return replace(plan, error=seen.error)
    is_done = seen.item.category.is_open is (request.kind is Kind.REOPEN)
    return replace(plan, is_done=is_done)


def preview_items(
    workspace: Workspace, plans: Sequence[ItemPlan], request: ItemRequest
) -> list[Plan]:
    """The plans of the items that would be changed; nothing is written."""
    intent = workspace.manager.intent(by=request.by, reason=request.reason, options=request.options)
    return [one.decide(one.record, intent, request.kind) for one in plans if not one.is_left]


def record_items(
    workspace: Workspace, plans: Sequence[ItemPlan], request: ItemRequest
) -> tuple[list[Increment], frozenset[str]]:
    """Record the operations on items, before anything is sent.

    Returns:
        The records of the items to be changed, and the operations that this process has made.
    """
    manager, fresh, records = workspace.manager, frozenset[str](), []
    for plan in plans:
        if plan.is_left:
            continue
        if plan.is_new:
            make_record(manager, plan.record, by=request.by)
        made, record = manager.apply(
            plan.record.id,
            partial(plan.decide, kind=request.kind),
            by=request.by,
            reason=request.reason,
            options=request.options,
        )
        fresh |= made.new
        records.append(record)
    return records, fresh


def _is_pending(record: Increment, kind: Kind, reason: str | None) -> bool:
    """Whether an operation for this reason is pending; without a reason, any of its kind."""
    reasons = {one.id: one.reason for one in record.reopens}
    return any(
        one.kind is kind and one.state and reason in (None, one.reason or reasons.get(one.op))
        for one in record.pending
    )


def _last_done(record: Increment, kind: Kind, reason: str | None) -> str | None:
    """The last operation on an item, if it was of this kind and for this reason."""
    delivered = [one for one in read_events(record.folder) if isinstance(one, Delivered)]
    last = delivered[-1] if delivered else None
    return last.op if last and (last.kind, last.reason) == (kind, reason) else None
