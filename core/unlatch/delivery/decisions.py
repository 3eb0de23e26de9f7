"""Find out whether a person decided about an item since an attempt, in the tracker's order.

What an attempt did to the state may be known to nobody: its answer was lost, or it came to another
clone. If the item is not where the operation wants it although its state changed since the attempt
read it, then either the attempt took effect and a person took that back, or a person was faster.
Both are later decisions: the operation ends (DESIGN of the states: docs/reliability.md).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.spi import Capability
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from unlatch.delivery.task import DeliveryTask
    from unlatch.spi import RemoteItem
    from unlatch.spi.history import StateChange
    from unlatch.spi.operation import Operation

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

    The state is sent before the comment, so whoever changed it since has taken that back.
    """
    posted = task.markers[0].created
    # In the second of the comment, the item may be as the operation found it.
    if item.state_since is not None:
        is_later = item.state_since > posted
        return _words(item.state, item.changed_by, "the comment") if is_later else None
    later = [one for one in _changes_after(task, item, posted) if one.at > posted]
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
    return len(later) > 1 and all(one.own for one in later)


def _changes_after(task: DeliveryTask, item: RemoteItem, since: datetime) -> list[StateChange]:
    if not task.supports(Capability.HISTORY):
        return []
    return [one for one in task.plugin.read_history(item.ref).changes if one.at >= since]


def _words(state: str, by: str | None, after: str) -> str:
    return f"its state was changed to {state}{f' by {by}' if by else ''} after {after}"
