"""Delivering to items that lie elsewhere by now.

An item that its tracker has moved out of reach (GitHub transfers an issue to another repository) is
told of, and followed where that is asked for. One that the tracker served under its new name (Jira
keeps the old key as an alias) has been delivered to; its link takes the new name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.domain.increment import Link
from unlatch.engine.attempt import Attempt
from unlatch.engine.linking import link_of
from unlatch.errors import Moved, UsageError
from unlatch.store.linking import repoint
from unlatch.store.links import same_item

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment
    from unlatch.domain.item import ItemRef
    from unlatch.engine.attempt import Job
    from unlatch.engine.progress import Delivery
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace
    from unlatch.store.attempts import Tried


def follow(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    delivery: Delivery,
    job: Job,
    *,
    tried: Tried | None,
) -> tuple[Delivery, Increment]:
    """Deliver one operation, wherever its item is; the increment comes with its link as it is then.

    Raises:
        TrackerError: it was not delivered, or nobody knows.
        UsageError: `target-not-allowed`, for an item that moved out of the configured targets.
    """
    try:
        done = Attempt(workspace, trackers, increment, delivery, job, tried=tried).run()
    except Moved as moved:
        if not job.follow:
            raise
        to = trackers.recognise(moved.to)
        increment, delivery = _repointed(workspace, trackers, increment, delivery, to=to)
        done = Attempt(workspace, trackers, increment, delivery, job, tried=tried).run()
    return where_found(workspace, trackers, increment, done)


def where_found(
    workspace: Workspace, trackers: Trackers, increment: Increment, done: Delivery
) -> tuple[Delivery, Increment]:
    """A delivery and its increment, with the link re-pointed if the item was found elsewhere."""
    if done.outcome is None:
        return done, increment
    found = done.outcome.after.ref
    if done.ref is None:
        return replace(
            done, ref=found, name=trackers.settings(found.tracker).name(found)
        ), increment
    if _is_elsewhere(trackers, done.ref, found):
        increment, done = _repointed(workspace, trackers, increment, done, to=found)
    return done, increment


def _is_elsewhere(trackers: Trackers, asked: ItemRef, found: ItemRef) -> bool:
    if same_item(_link(asked), _link(found)):
        return False
    try:
        trackers.check_target(found)
    except UsageError:
        return False  # the configuration knows nothing of that place; the old name still works
    return True


def _repointed(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    delivery: Delivery,
    *,
    to: ItemRef,
) -> tuple[Increment, Delivery]:
    operation = delivery.operation
    link, new = link_of(increment, operation), _link(to)
    by = operation.by or "unlatch"
    after = repoint(workspace.manager, increment.id, link, new, by=by)
    moved = replace(operation, item=new.key)
    name = trackers.settings(to.tracker).name(to)
    return after, replace(delivery, operation=moved, ref=to, name=name)


def _link(ref: ItemRef) -> Link:
    return Link(ref.tracker, ref.id, ref.url)
