"""From an operation to the change that a plugin is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.domain.operation import Change, Goal, Kind
from unlatch.domain.status import Status
from unlatch.engine.comment import compose

if TYPE_CHECKING:
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
    if not operation.state or operation.kind not in (Kind.REOPEN, Kind.CLOSE):
        return said
    goal = _goal(operation, increment)
    add, remove = _labels(goal, config.labels)
    return replace(said, goal=goal, add_labels=add, remove_labels=remove)


def _goal(operation: Operation, increment: Increment) -> Goal:
    if operation.kind is Kind.REOPEN:
        return Goal.OPEN
    return Goal.NOT_PLANNED if increment.status is Status.ABANDONED else Goal.COMPLETED


def _labels(goal: Goal, labels: Labels) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels that an item shall have in a state, and those that it shall not."""
    if goal is Goal.OPEN:
        return (labels.reopened,), (labels.completed,)
    return (labels.completed,) if goal is Goal.COMPLETED else (), (labels.reopened,)


def _comment(operation: Operation, increment: Increment, config: CoreConfig) -> Text | None:
    entry = entry_of(operation, increment)
    reason = entry.reason if entry else operation.reason
    if not reason and operation.kind is Kind.UNDO:
        reason = "the last reopen was taken back"
    if not reason:
        return None
    by = entry.reopened_by if entry else operation.by
    headline = _headline(operation, increment)
    at = operation.at
    return compose(config, increment, headline=headline, reason=reason, by=by or "unknown", at=at)


def _headline(operation: Operation, increment: Increment) -> str:
    if operation.kind in _HEADLINES:
        return _HEADLINES[operation.kind]
    finished = {Status.ABANDONED: "Abandoned", Status.COMPLETED: "Completed"}
    return finished.get(increment.status, "Closed")


def entry_of(operation: Operation, increment: Increment) -> ReopenEntry | None:
    """The entry of reopenHistory that an operation stands for, if it does."""
    return next((entry for entry in increment.reopens if entry.id == operation.op), None)
