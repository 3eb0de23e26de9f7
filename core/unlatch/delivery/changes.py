"""From an operation to the change that a plugin is asked for, and the parts of it that are left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.config import CommentStyle
from unlatch.config.sync_config import Part
from unlatch.delivery.comment import compose
from unlatch.delivery.draft import draft_of
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import story_of
from unlatch.spi.operation import Change, Goal, Kind, must_move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.config.config import CoreConfig, Labels
    from unlatch.increments.model.amendment import Amended, Amendment
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.item import RemoteItem
    from unlatch.spi.operation import Operation
    from unlatch.spi.options import DeliveryOptions
    from unlatch.spi.text import Text

_HEADLINES = {Kind.REOPEN: "Reopened", Kind.UPDATE: "Updated", Kind.UNDO: "Reopen undone"}
_WITH_DRAFT = (Kind.CREATE, Kind.UPDATE)


def build_change(
    operation: Operation, increment: Increment, config: CoreConfig, options: DeliveryOptions
) -> Change:
    """What is to be done to the item for `operation`.

    An operation whose state part was struck is its comment alone.

    Args:
        options: what was asked for, now or with the operation.

    Raises:
        UsageError: `item-unknown`, if a new item's user story is not there.
    """
    if options.comment is not None:
        config = config.model_copy(update={"comment": CommentStyle(options.comment)})
    amended = next((one for one in increment.amended if one.id == operation.op), None)
    said = Change(
        operation.op,
        comment=_comment(operation, increment, config, amended),
        mentions=config.mentions,
        options=options,
    )
    if operation.kind in _WITH_DRAFT:
        story = story_of(increment, operation)
        return replace(said, draft=draft_of(increment, operation.tracker, story))
    if operation.kind is Kind.UNDO:
        return said
    return _moved(said, operation, increment, config.labels, amended)


def _moved(
    said: Change,
    operation: Operation,
    increment: Increment,
    labels: Labels,
    amended: Amended | None,
) -> Change:
    """A reopen or a close, with the state to reach and the labels that go with it."""
    goal: Goal | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    is_finished = increment.status.is_finished
    if operation.kind is Kind.REOPEN:
        if operation.state:
            goal, add, remove = Goal.OPEN, (labels.reopened,), (labels.completed,)
        if amended and amended.amendment.change is not None and not is_finished:
            add += (labels.scope_change,)
    elif operation.state:
        is_dropped = increment.status is Status.ABANDONED
        goal = Goal.NOT_PLANNED if is_dropped else Goal.COMPLETED
        add, remove = () if is_dropped else (labels.completed,), (labels.reopened,)
        if any(one.change for one in _amendments(increment)):
            remove += (labels.scope_change,)
    return replace(said, goal=goal, add_labels=add, remove_labels=remove)


def _amendments(increment: Increment) -> Iterator[Amendment]:
    """Everything that was ever changed about the work, undone or not."""
    yield from (entry.amendment for entry in increment.reopens if entry.amendment)
    yield from (amended.amendment for amended in increment.amendments)


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
    is_reached = change.goal is None or not must_move(item, change.goal)
    add, remove = labels_left(change, item.labels)
    return replace(
        change,
        goal=None if is_reached else change.goal,
        comment=None if commented else change.comment,
        add_labels=add,
        remove_labels=remove,
    )


def labels_left(change: Change, labels: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a change still has to add to these labels, and to remove from them."""
    key = change.label_key
    there = {key(label) for label in labels}
    return (
        tuple(one for one in change.add_labels if key(one) not in there),
        tuple(one for one in change.remove_labels if key(one) in there),
    )


def is_empty(change: Change) -> bool:
    """Whether nothing is left to do."""
    parts = (change.goal, change.comment, change.draft)
    return parts == (None, None, None) and not (change.add_labels or change.remove_labels)


def kind_for(status: Status) -> Kind:
    """The kind of operation that brings items to where an increment with this status is."""
    return Kind.CLOSE if status.is_finished else Kind.REOPEN


def _comment(
    operation: Operation, increment: Increment, config: CoreConfig, amended: Amended | None
) -> Text | None:
    entry = next((one for one in increment.reopens if one.id == operation.op), None)
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
