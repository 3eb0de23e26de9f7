"""Find out whether a person decided about an item since an attempt, in the tracker's order.

What an attempt did to the state may be known to nobody: its answer was lost, or it came to another
clone. If the item is not where the operation wants it although its state changed since the attempt
read it, then either the attempt took effect and a person took that back, or a person was faster.
Both are later decisions: the operation ends (DESIGN of the states: docs/reliability.md).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.increments.records.pending import has_begun
from unlatch.spi import Capability
from unlatch.spi.change import seen_of

if TYPE_CHECKING:
    from unlatch.delivery.task import DeliveryTask
    from unlatch.spi import RemoteItem

# GitHub's times have whole seconds; two times of one change may differ by less.
_RESOLUTION = timedelta(seconds=1)


def later_decision(task: DeliveryTask, item: RemoteItem) -> str | None:
    """Who changed the state since the first attempt read it, in words; None if nobody did.

    Only for an item that is not in the wanted state. A tracker that does not tell when a state
    changed, and has no history, gives no reason to withdraw anything.

    Raises:
        UnlatchError: the history cannot be read.
    """
    attempt = task.operation.attempt
    if attempt is None or attempt.before is None or not has_begun(task.operation):
        return None
    before, now = attempt.before, seen_of(item)
    is_same = item.revision is not None and item.revision == before.revision
    if before.since is None or is_same:
        return None
    if item.state_since is not None:
        is_later = now.since != before.since
        return _words(item.state, item.changed_by) if is_later else None
    if not task.supports(Capability.HISTORY):
        return None
    history = task.plugin.read_history(item.ref).changes
    later = [change for change in history if change.at - before.since >= _RESOLUTION]
    return _words(item.state, later[-1].by) if later else None


def _words(state: str, by: str | None) -> str:
    return f"its state was changed to {state}{f' by {by}' if by else ''} after the last attempt"
