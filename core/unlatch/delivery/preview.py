"""Preview a plan: the same decisions as a delivery, followed by reads alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.delivery.changes import is_empty, remaining_change
from unlatch.delivery.planning import (
    permitted_change,
    plan_change,
    reason_to_leave,
    refuse_deliberate,
)
from unlatch.delivery.read_items import SAME_ITEM, read_items
from unlatch.delivery.revert import is_undo_of_unsent
from unlatch.delivery.task import DeliveryTask, make_task
from unlatch.errors import Rejected, UnlatchError
from unlatch.spi import Capability, PlannedRequest, Snapshot
from unlatch.spi.change import Change
from unlatch.spi.operation import Kind, Operation
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.delivery.run import DeliveryRun
    from unlatch.increments.files.changes.plans import Plan
    from unlatch.increments.model.link import Link
    from unlatch.spi.item import RemoteItem

# The id of what a run would tell as a success, as it does SAME_ITEM.
_LEFT = "left-as-it-is"


@dataclass(frozen=True, slots=True)
class Previewed:
    """One operation, and the requests that delivering it would send."""

    operation: Operation  # a new one has an id of its own all the same
    link: Link
    name: str
    change: Change
    item: RemoteItem | None = None  # as it is now; None if it was not read
    requests: tuple[PlannedRequest, ...] = ()
    # It is pending already: delivery would first search the item for its marker.
    was_pending: bool = False
    error: UnlatchError | None = None  # why it would not be delivered

    @property
    def is_unread(self) -> bool:
        """Whether the item could not be read, so that nothing is known about it."""
        is_known = self.item is not None or self.operation.kind is Kind.CREATE
        return self.error is not None and not is_known and self.error.id != SAME_ITEM

    @property
    def is_refused(self) -> bool:
        """Whether the operation would stay pending, because a part of it is refused."""
        is_success = self.error is None or self.error.id in (_LEFT, SAME_ITEM)
        return not (is_success or self.is_unread)


@dataclass(frozen=True, slots=True)
class Preview:
    plan: Plan  # the changes to the increment
    items: tuple[Previewed, ...]
    # Links whose items stay open, with the unfinished increments that need them.
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    warnings: tuple[UnlatchError, ...] = ()  # rule violations that would not refuse it
    scope: Any = None  # the changes to the increment's work, if any

    @property
    def requests(self) -> int:
        return sum(len(item.requests) for item in self.items)

    @property
    def is_exact(self) -> bool:
        """Whether exactly these requests would be sent."""
        return not any(
            item.was_pending or item.operation.kind is Kind.UPDATE for item in self.items
        )


def preview_operations(
    run: DeliveryRun, plans: Sequence[Plan], *, offline: bool = False
) -> list[tuple[Previewed, ...]]:
    """Preview the delivery of everything that plans leave pending; items are read together."""
    new = frozenset().union(*(plan.new for plan in plans))
    run = replace(run, fresh=new, dry_run=True)
    planned = [
        [
            make_task(run, plan.after, operation, offline=offline)
            for operation in plan.after.pending
            if run.will_attempt(operation)
        ]
        for plan in plans
    ]
    tasks = [task for group in planned for task in group if task.operation.kind is not Kind.CREATE]
    answers = {} if offline else dict(zip(tasks, read_items(tasks), strict=True))
    pending = {operation.key for plan in plans for operation in plan.before.pending}

    def preview(task: DeliveryTask) -> Previewed:
        previewed = _unread(task) if offline else _preview_task(task, answers.get(task))
        return replace(previewed, was_pending=previewed.operation.key in pending)

    return [tuple(map(preview, group)) for group in planned]


def _preview_task(task: DeliveryTask, snapshot: Snapshot | UnlatchError | None) -> Previewed:
    previewed = _unread(task)
    if isinstance(snapshot, UnlatchError):
        item = task.snapshot.item if snapshot.id == SAME_ITEM and task.snapshot else None
        return replace(previewed, item=item, error=previewed.error or snapshot)
    if snapshot is None:
        return _list_requests(task, previewed, None, previewed.change)
    previewed = replace(previewed, item=snapshot.item)
    if previewed.error is not None:
        return previewed
    try:
        change = plan_change(task, snapshot.item)
        refuse_deliberate(snapshot.item, change)
    except UnlatchError as error:
        # The requests up to the one whose answer the change is refused for.
        reads = Change(previewed.change.op, options=previewed.change.options)
        return replace(previewed, error=error, requests=task.plugin.plan(snapshot, reads))
    previewed = replace(previewed, change=change, error=_unchanged(task, change, snapshot.item))
    left = remaining_change(change, snapshot.item, commented=False)
    return _list_requests(task, previewed, snapshot, left)


def _unread(task: DeliveryTask) -> Previewed:
    previewed = Previewed(task.operation, task.link, task.name, Change(task.operation.op))
    try:
        change = permitted_change(task)
    except UnlatchError as error:
        return replace(previewed, error=error)
    # As far as this clone knows, nobody saw the reopen.
    is_silent = is_undo_of_unsent(task) and not task.operation.reason
    return replace(previewed, change=replace(change, comment=None) if is_silent else change)


def _unchanged(task: DeliveryTask, change: Change, item: RemoteItem) -> UnlatchError | None:
    """Return why the item would be left alone, if it would."""
    left = reason_to_leave(task, item)
    if not is_empty(change) or not (left or task.operation.kind is Kind.UNDO):
        return None
    why = left or "; ".join(task.notes) or "the reopen did nothing there"
    return Rejected(_LEFT, f"it would be left as it is: {why}")


def _list_requests(
    task: DeliveryTask, previewed: Previewed, snapshot: Snapshot | None, change: Change
) -> Previewed:
    if previewed.error is not None:
        return previewed
    try:
        previewed = replace(previewed, requests=task.plugin.plan(snapshot, change))
        if previewed.requests and task.supports(Capability.APPROVE):
            task.plugin.approve(snapshot, change)
    except UnlatchError as error:
        return replace(previewed, error=error)
    return previewed
