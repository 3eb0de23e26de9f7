"""Read the items of operations, follow those that moved, and find what a person decided.

An item that its tracker moved out of reach (GitHub transfers an issue to another repository) is
followed if the options say so. One that the tracker serves under a new name (Jira keeps the old key
as an alias) is delivered to; its link takes the new name.

What an attempt did to the state may be known to nobody: its answer was lost, or it came to another
clone. If the item is not where the operation wants it although its state changed since the attempt
read it, then either the attempt took effect and a person took that back, or a person was faster.
Both are later decisions: the operation ends (DESIGN of the states: docs/reliability.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from unlatch.delivery.planning import expected_change
from unlatch.delivery.task import DeliveryTask
from unlatch.errors import Moved, UnlatchError, unexpected
from unlatch.increments.files.linking import repoint
from unlatch.increments.files.outbox import withdraw
from unlatch.increments.model.link import Link
from unlatch.increments.records.links import same_item
from unlatch.spi import Capability, Snapshot
from unlatch.spi.operation import Kind, Operation
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import RemoteItem
    from unlatch.spi.history import StateChange
    from unlatch.spi.item import ItemRef


Answer = Snapshot | UnlatchError
_Read = Callable[[], Mapping[DeliveryTask, Answer]]
# The id of what another operation on the same item does.
SAME_ITEM = "same-item"
# Fewer items than these are read one by one, in parallel.
_MIN_TOGETHER = 3


class Withdrawn(Exception):
    """Another operation on the same item replaces this one."""


def read_item(task: DeliveryTask) -> Snapshot:
    """Read an item before a change; one that was moved is followed if the options say so.

    If it is in the place of another link now, it raises `Withdrawn`.
    """
    ref = task.ref or task.locate()
    try:
        task.snapshot = task.plugin.read(ref, expected_change(task))
    except Moved as moved:
        task.snapshot = task.plugin.read(_follow(task, moved), expected_change(task))
    else:
        if has_new_name(task, task.snapshot.item.ref):
            _leave_to_twin(task, task.snapshot.item.ref)
    return task.snapshot


def _follow(task: DeliveryTask, moved: Moved) -> ItemRef:
    to = task.run.trackers.recognise(moved.to)
    _leave_to_twin(task, to)
    if _twin(task, to) is None and not task.options.follow:
        raise moved
    if not task.run.dry_run:
        repoint_link(task, to)
    return task.locate(to)


def _leave_to_twin(task: DeliveryTask, to: ItemRef) -> None:
    """Withdraw an operation that another link of the same item has as well."""
    twin = _twin(task, to)
    if twin is None or not _is_served_by(task, twin):
        return
    if not task.run.dry_run:
        withdraw(task.manager, task.increment.id, task.operation)
        _repoint(task, to)
    raise Withdrawn(f"it is the same item as {twin.key}, which is linked as well")


def _twin(task: DeliveryTask, to: ItemRef) -> Link | None:
    """Return another link of the increment to the place where an item is now."""
    own, there = task.link, as_link(to)
    return next(
        (link for link in task.increment.links if link != own and same_item(link, there)), None
    )


def _is_served_by(task: DeliveryTask, twin: Link) -> bool:
    """Whether another link of the same item has the same operation pending or delivered."""
    increment, op = task.increment, task.operation.op
    if any(operation.key == (op, twin.tracker, twin.key) for operation in increment.pending):
        return True
    reached = (item for entry in increment.reopens if entry.id == op for item in entry.synced_to)
    return any(same_item(item.link, twin) for item in reached)


def repoint_link(task: DeliveryTask, to: ItemRef) -> None:
    """Point the link of an operation, and all pending operations on its item, to another place."""
    there = _twin(task, to) or as_link(to)
    task.increment = _repoint(task, to)
    task.operation = replace(task.operation, item=there.key)


def _repoint(task: DeliveryTask, to: ItemRef) -> Increment:
    by = task.operation.by or "unlatch"
    return repoint(task.manager, task.increment.id, task.link, as_link(to), by=by)


def has_new_name(task: DeliveryTask, ref: ItemRef) -> bool:
    """Whether an item was served under a new name, in a place that the configuration knows."""
    if task.ref is None or same_item(as_link(task.ref), as_link(ref)):
        return False
    return task.run.trackers.allows(ref)  # otherwise the old name still works


def as_link(ref: ItemRef) -> Link:
    return Link(ref.tracker, ref.id, ref.url)


def read_items(tasks: Sequence[DeliveryTask], *, planning: bool = False) -> list[Answer]:
    """Read the items of operations, in few requests where the tracker can; in the same order.

    Args:
        planning: count the requests for the delivery of operations that are not recorded yet.
    """
    groups: dict[object, list[DeliveryTask]] = defaultdict(list)
    for task in tasks:
        groups[task.operation.tracker, task.operation.kind, task.operation.state].append(task)
    reads: dict[DeliveryTask, _Read] = {}
    for group in groups.values():
        if len(group) >= _MIN_TOGETHER and group[0].supports(Capability.STATUS_OF_MANY):
            reads[group[0]] = partial(_read_together, group)
        else:
            reads |= {task: partial(_read_one, task) for task in group}
    if planning:
        reads = {task: partial(_plan, task, read) for task, read in reads.items()}
    # Requests are counted for the caller, whichever thread sends them.
    jobs = {task: partial(copy_context().run, read) for task, read in reads.items()}
    answers: dict[DeliveryTask, Answer] = {}
    for _, part in run_parallel(jobs):
        answers |= part
    return [answers[task] for task in tasks]


def _plan(task: DeliveryTask, read: _Read) -> Mapping[DeliveryTask, Answer]:
    with task.run.trackers.planning(task.link):
        return read()


def _read_one(task: DeliveryTask) -> Mapping[DeliveryTask, Answer]:
    try:
        return {task: read_item(task)}
    except Withdrawn as withdrawn:
        return {task: UnlatchError(SAME_ITEM, str(withdrawn))}
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return {task: unexpected(error)}


def _read_together(tasks: Iterable[DeliveryTask]) -> Mapping[DeliveryTask, Answer]:
    answers: dict[DeliveryTask, Answer] = {}
    refs: dict[DeliveryTask, ItemRef] = {}
    for task in tasks:
        try:
            refs[task] = task.locate()
        except UnlatchError as error:
            answers[task] = error
    if not refs:
        return answers
    first = next(iter(refs))
    try:
        answers_by_ref = first.plugin.read_many(
            list(dict.fromkeys(refs.values())), expected_change(first)
        )
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return answers | dict.fromkeys(refs, unexpected(error))
    for task, ref in refs.items():
        answer = answers_by_ref[ref]
        if isinstance(answer, Snapshot) and has_new_name(task, answer.item.ref):
            answers |= _read_one(task)
            continue
        answers[task] = answer
        task.snapshot = answer if isinstance(answer, Snapshot) else None
    return answers


# GitHub's times have whole seconds; two times of one change may differ by less.
_RESOLUTION = timedelta(seconds=1)


def later_decision(task: DeliveryTask, item: RemoteItem) -> str | None:
    """Who changed the state after the operation did, or while it tried; in words, None if nobody.

    Only for an item that is not in the wanted state. A tracker that does not tell when a state
    changed, and has no history, gives no reason to withdraw anything.

    Raises:
        UnlatchError: the history cannot be read.
    """
    if task.markers and (decision := _after_comment(task, item)):
        return decision
    attempt, since = task.operation.attempt, _state_since(task.operation)
    if attempt is None or since is None:
        return None
    if attempt.before and item.revision is not None and item.revision == attempt.before.revision:
        return None
    if item.state_since is not None:
        is_later = item.state_since != since
        return _words(item.state, item.changed_by, "the last attempt") if is_later else None
    later = _changes_after(task, item, since + _RESOLUTION)
    return _words(item.state, later[-1].by, "the last attempt") if later else None


def _state_since(operation: Operation) -> datetime | None:
    """When the state had last changed, as the operation's own first attempt read it."""
    attempt = operation.attempt
    if attempt is None:
        return None
    # An undo takes over the attempt of the reopen, which changed the state itself.
    if operation.kind is Kind.UNDO:
        return attempt.since
    return attempt.before.since if attempt.before else None


def _after_comment(task: DeliveryTask, item: RemoteItem) -> str | None:
    """The decision that came after the operation's comment, which any clone may have posted.

    unlatch changes the state before it comments, so another program or person changed it later.
    """
    posted = task.markers[0].created
    # In the second of the comment, the item may be as the operation found it.
    if item.state_since is not None:
        is_later = item.state_since > posted
        return _words(item.state, item.changed_by, "the comment") if is_later else None
    later = [change for change in _changes_after(task, item, posted) if change.at > posted]
    return _words(item.state, later[-1].by, "the comment") if later else None


def own_decision(task: DeliveryTask, item: RemoteItem) -> str | None:
    """The later decision of this account on another machine, which came during a write.

    A rule of the tracker that moves an item back has an account of its own.
    """
    since = _state_since(task.operation)
    if since is None:
        return None
    later = _changes_after(task, item, since + _RESOLUTION)
    # The first of them is that of the write itself.
    return _words(item.state, later[-1].by, "the last attempt") if _are_own(later) else None


def _are_own(later: Sequence[StateChange]) -> bool:
    return len(later) > 1 and all(change.own for change in later)


def _changes_after(task: DeliveryTask, item: RemoteItem, since: datetime) -> list[StateChange]:
    if not task.supports(Capability.HISTORY):
        return []
    return [change for change in task.plugin.read_history(item.ref).changes if change.at >= since]


def _words(state: str, by: str | None, after: str) -> str:
    return f"its state was changed to {state}{f' by {by}' if by else ''} after {after}"
