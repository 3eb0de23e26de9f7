"""From an operation to the change that a plugin is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.operation import Change, Goal, Kind
from unlatch.domain.status import Status
from unlatch.engine.comment import compose

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.domain.operation import Operation
    from unlatch.domain.text import Text
    from unlatch.store.config import CoreConfig


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
    comment = _comment(operation, increment, config)
    if not operation.state:
        return Change(operation.op, comment=comment)
    goal = _goal(operation, increment)
    labels = config.labels
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = (labels.reopened,)
    if goal is Goal.OPEN:
        add, remove = (labels.reopened,), (labels.completed,)
    elif goal is Goal.COMPLETED:
        add = (labels.completed,)
    return Change(operation.op, goal, comment, add, remove, even_if_deliberate)


def _goal(operation: Operation, increment: Increment) -> Goal:
    if operation.kind is Kind.REOPEN:
        return Goal.OPEN
    return Goal.NOT_PLANNED if increment.status is Status.ABANDONED else Goal.COMPLETED


def _comment(operation: Operation, increment: Increment, config: CoreConfig) -> Text | None:
    entry = entry_of(operation, increment)
    reason = entry.reason if entry else operation.reason
    if not reason:
        return None
    by = entry.reopened_by if entry else operation.by
    headline = _headline(operation, increment)
    at = operation.at
    return compose(config, increment, headline=headline, reason=reason, by=by or "unknown", at=at)


def _headline(operation: Operation, increment: Increment) -> str:
    if operation.kind is Kind.REOPEN:
        return "Reopened"
    return "Abandoned" if increment.status is Status.ABANDONED else "Completed"


def entry_of(operation: Operation, increment: Increment) -> ReopenEntry | None:
    """The entry of reopenHistory that an operation stands for, if it does."""
    return next((entry for entry in increment.reopens if entry.id == operation.op), None)
