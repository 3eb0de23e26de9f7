"""From an operation to the change that a plugin is asked for, and the parts of it that are left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.delivery.comment import compose
from unlatch.delivery.draft import draft_of
from unlatch.delivery.permission import writable
from unlatch.domain.operation import Change, Goal, Kind, must_move
from unlatch.domain.status import Status
from unlatch.store.config import CommentStyle
from unlatch.store.links import story_of
from unlatch.store.sync_config import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.domain.amendment import Amended, Amendment
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.domain.item import RemoteItem
    from unlatch.domain.operation import Operation
    from unlatch.domain.options import DeliveryOptions
    from unlatch.domain.text import Text
    from unlatch.store.config import CoreConfig, Labels

_HEADLINES = {Kind.REOPEN: "Reopened", Kind.UPDATE: "Updated", Kind.UNDO: "Reopen undone"}
_WITH_DRAFT = (Kind.CREATE, Kind.UPDATE)


def build_change(
    operation: Operation, increment: Increment, config: CoreConfig, options: DeliveryOptions
) -> Change:
    """What is to be done to the item for `operation`, as far as the configuration permits.

    An operation whose state part was struck is its comment alone.

    Args:
        options: what was asked for, now or with the operation.

    Raises:
        UsageError: `item-unknown`, if a new item's user story is not there.
    """
    if options.comment is not None:
        config = config.model_copy(update={"comment": CommentStyle(options.comment)})
    said = Change(
        operation.op,
        comment=_comment(operation, increment, config),
        mentions=config.mentions,
        options=options,
    )
    if operation.kind in _WITH_DRAFT:
        story = story_of(increment, operation)
        said = replace(said, draft=draft_of(increment, operation.tracker, story))
    elif operation.kind is not Kind.UNDO:
        said = _moved(said, operation, increment, config.labels)
    return within(said, writable(config, increment, operation))


def _moved(said: Change, operation: Operation, increment: Increment, labels: Labels) -> Change:
    if not operation.state:
        return replace(said, add_labels=_labels_of_work(operation, increment, labels))
    goal = _goal(operation, increment)
    add, remove = _labels(goal, labels)
    add += _labels_of_work(operation, increment, labels)
    if goal is not Goal.OPEN and any(one.change for one in _amendments(increment)):
        remove += (labels.scope_change,)
    return replace(said, goal=goal, add_labels=add, remove_labels=remove)


def within(change: Change, parts: frozenset[Part]) -> Change:
    """What is left of a change where only these parts of an item may be written."""
    if Part.STATUS not in parts:
        change = replace(change, goal=None)
    if Part.COMMENT not in parts:
        change = replace(change, comment=None)
    if Part.LABELS not in parts:
        change = replace(change, add_labels=(), remove_labels=())
    return change


def left_of(change: Change, item: RemoteItem, *, commented: bool) -> Change:
    """The parts of a change that an item does not show yet.

    Args:
        commented: whether its comment is there.
    """
    key = change.label_key
    there = {key(label) for label in item.labels}
    is_reached = change.goal is None or not must_move(item, change.goal)
    return replace(
        change,
        goal=None if is_reached else change.goal,
        comment=None if commented else change.comment,
        add_labels=tuple(one for one in change.add_labels if key(one) not in there),
        remove_labels=tuple(one for one in change.remove_labels if key(one) in there),
    )


def is_empty(change: Change) -> bool:
    """Whether nothing is left to do."""
    parts = (change.goal, change.comment, change.draft)
    return parts == (None, None, None) and not (change.add_labels or change.remove_labels)


def kind_for(status: Status) -> Kind:
    """The kind of operation that brings items to where an increment with this status is."""
    return Kind.CLOSE if status.is_finished else Kind.REOPEN


def _goal(operation: Operation, increment: Increment) -> Goal:
    if operation.kind is Kind.REOPEN:
        return Goal.OPEN
    return Goal.NOT_PLANNED if increment.status is Status.ABANDONED else Goal.COMPLETED


def _labels(goal: Goal, labels: Labels) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels to add in a state, and those to remove."""
    if goal is Goal.OPEN:
        return (labels.reopened,), (labels.completed,)
    return (labels.completed,) if goal is Goal.COMPLETED else (), (labels.reopened,)


def _labels_of_work(operation: Operation, increment: Increment, labels: Labels) -> tuple[str, ...]:
    """The labels that say that there is more to do; none once the increment is finished."""
    amended = amended_by(operation, increment)
    if amended is None or amended.amendment.change is None or increment.status.is_finished:
        return ()
    return (labels.scope_change,) if operation.kind is Kind.REOPEN else ()


def _amendments(increment: Increment) -> Iterator[Amendment]:
    """Everything that was ever changed about the work, undone or not."""
    yield from (entry.amendment for entry in increment.reopens if entry.amendment)
    yield from (amended.amendment for amended in increment.amendments)


def amended_by(operation: Operation, increment: Increment) -> Amended | None:
    """What an operation's intent changed about the work, if it did."""
    return next((one for one in increment.amended if one.id == operation.op), None)


def _comment(operation: Operation, increment: Increment, config: CoreConfig) -> Text | None:
    entry = entry_of(operation, increment)
    amended = amended_by(operation, increment)
    reason = entry.reason if entry else operation.reason
    if not reason and operation.kind is Kind.UNDO:
        reason = "the last reopen was taken back"
    if not reason:
        return None
    by = entry.reopened_by if entry else operation.by
    return compose(
        config,
        increment,
        headline=_headline(operation, increment, amended),
        reason=reason,
        by=by or "unknown",
        at=operation.at,
        amended=amended,
    )


def _headline(operation: Operation, increment: Increment, amended: Amended | None) -> str:
    if amended and amended.amendment.change:
        return "Reopened with scope change" if operation.state else "Scope changed"
    if operation.kind in _HEADLINES:
        return _HEADLINES[operation.kind]
    finished = {Status.ABANDONED: "Abandoned", Status.COMPLETED: "Completed"}
    return finished.get(increment.status, "Closed")


def entry_of(operation: Operation, increment: Increment) -> ReopenEntry | None:
    """The entry of reopenHistory that an operation stands for, if it does."""
    return next((entry for entry in increment.reopens if entry.id == operation.op), None)
