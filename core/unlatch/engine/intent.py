"""From an operation to the change that a plugin is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.domain.operation import Change, Goal, Kind
from unlatch.domain.status import Status
from unlatch.engine.comment import compose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.domain.amendment import Amended, Amendment
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.domain.operation import Operation
    from unlatch.domain.text import Text
    from unlatch.store.config import CoreConfig, Labels

_HEADLINES = {Kind.REOPEN: "Reopened", Kind.UPDATE: "Updated", Kind.UNDO: "Reopen undone"}


def change_for(
    operation: Operation,
    increment: Increment,
    config: CoreConfig,
    *,
    even_if_deliberate: bool = False,
) -> Change:
    """What is to be done to the item for `operation`.

    An operation whose state step was overtaken by a later status is its comment alone.
    """
    said = Change(
        operation.op,
        comment=_comment(operation, increment, config),
        even_if_deliberate=even_if_deliberate,
        mentions=config.mentions,
    )
    if operation.kind not in (Kind.REOPEN, Kind.CLOSE):
        return said
    if not operation.state:
        return replace(said, add_labels=_labels_of_work(operation, increment, config.labels))
    goal = _goal(operation, increment)
    add, remove = _labels(goal, config.labels)
    add += _labels_of_work(operation, increment, config.labels)
    if goal is not Goal.OPEN and any(one.change for one in _amendments(increment)):
        remove += (config.labels.scope_change,)
    return replace(said, goal=goal, add_labels=add, remove_labels=remove)


def kind_for(status: Status) -> Kind:
    """What the items of an increment with this status are owed."""
    return Kind.CLOSE if status.is_finished else Kind.REOPEN


def _goal(operation: Operation, increment: Increment) -> Goal:
    if operation.kind is Kind.REOPEN:
        return Goal.OPEN
    return Goal.NOT_PLANNED if increment.status is Status.ABANDONED else Goal.COMPLETED


def _labels(goal: Goal, labels: Labels) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels that an item shall have in a state, and those that it shall not."""
    if goal is Goal.OPEN:
        return (labels.reopened,), (labels.completed,)
    return (labels.completed,) if goal is Goal.COMPLETED else (), (labels.reopened,)


def _labels_of_work(operation: Operation, increment: Increment, labels: Labels) -> tuple[str, ...]:
    """The labels that tell that there is more to do; nothing more once it is finished."""
    amended = amended_by(operation, increment)
    if amended is None or amended.amendment.change is None or increment.status.is_finished:
        return ()
    return (labels.scope_change,) if operation.kind is Kind.REOPEN else ()


def _amendments(increment: Increment) -> Iterator[Amendment]:
    """All that was ever changed about the work, undone or not."""
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
