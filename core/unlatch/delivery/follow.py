"""Items that are elsewhere now.

An item that its tracker has moved out of reach (GitHub transfers an issue to another repository) is
followed where that is asked for. One that the tracker served under its new name (Jira keeps the old
key as an alias) was delivered to; its link takes the new name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.files.linking import repoint
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.links import link_of, same_item

if TYPE_CHECKING:
    from unlatch.delivery.run import Run
    from unlatch.spi.item import ItemRef
    from unlatch.spi.operation import Operation


def point_to(
    run: Run, increment: Increment, operation: Operation, to: ItemRef
) -> tuple[Increment, Operation]:
    """Let the link of an operation, and all that is pending for its item, mean another place."""
    link, new = link_of(increment, operation), as_link(to)
    other = twin(increment, operation, to)
    after = repoint(run.workspace.manager, increment.id, link, new, by=operation.by or "unlatch")
    return after, replace(operation, item=(other or new).key)


def is_served_by_twin(increment: Increment, operation: Operation, other: Link) -> bool:
    """Whether another link of the same item has this intent's operation, or had it delivered."""
    own = (operation.op, other.tracker, other.key)
    if any(one.key == own for one in increment.pending):
        return True
    entry = next((one for one in increment.reopens if one.id == operation.op), None)
    return entry is not None and any(same_item(one.link, other) for one in entry.synced_to)


def is_elsewhere(run: Run, asked: ItemRef, found: ItemRef) -> bool:
    """Whether an item was served under a new name, in a place that the configuration knows."""
    if same_item(as_link(asked), as_link(found)):
        return False
    try:
        run.trackers.check_target(found)
    except UsageError:
        return False  # the old name still works
    return True


def twin(increment: Increment, operation: Operation, to: ItemRef) -> Link | None:
    """Another link of the increment that means the place where an operation's item is now."""
    own = link_of(increment, operation)
    there = as_link(to)
    return next((one for one in increment.links if one != own and same_item(one, there)), None)


def as_link(ref: ItemRef) -> Link:
    """A link to an item."""
    return Link(ref.tracker, ref.id, ref.url)
