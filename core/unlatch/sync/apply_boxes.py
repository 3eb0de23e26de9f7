"""Apply the comparison of check boxes: change files, record bases, and enqueue updates."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from unlatch.errors import UnlatchError
from unlatch.increments.files.marking import BoxRecord, record_boxes
from unlatch.increments.model.increment import Increment
from unlatch.increments.records.links import link_of, same_item
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import Kind, Operation
from unlatch.sync.check_boxes import local_boxes
from unlatch.sync.compare import Compared, ComparedBoxes, Verdict
from unlatch.sync.plan import SyncPlan


def apply_boxes(
    workspace: Workspace, group: Sequence[Compared], *, by: str
) -> frozenset[str] | None:
    """Apply the check boxes of one increment; returns the ids of the enqueued updates.

    None: nothing was written, because the files or the links changed since the comparison.
    """
    due = [(one, boxes) for one in group if (boxes := one.boxes) and _is_due(boxes)]
    if not due:
        return frozenset()
    updates = {one.link: update_for(workspace, one, boxes, by=by) for one, boxes in due}
    records = [
        BoxRecord(one.link, boxes.base, boxes.marks, updates[one.link], boxes.before_tick)
        for one, boxes in due
    ]
    is_current = partial(_is_current, due)
    done = record_boxes(
        workspace.manager, group[0].increment.id, records, by=by, is_current=is_current
    )
    return frozenset(one.op for one in updates.values() if one) if done else None


def leave_boxes(plan: SyncPlan, left: Mapping[str, UnlatchError | None]) -> SyncPlan:
    """The plan with what became of check boxes that were not applied, by increment.

    Those without an error changed meanwhile; the next sync compares them again.
    """
    links = [
        _left(one, left[one.increment.id]) if one.increment.id in left else one
        for one in plan.links
    ]
    return replace(plan, links=tuple(links))


def _left(one: Compared, error: UnlatchError | None) -> Compared:
    if one.boxes is None or error is None:
        return replace(one, boxes=None)
    why = f"{error.message} [{error.id}]"
    return replace(one, boxes=ComparedBoxes(one.boxes.here, (), Verdict.DRIFT, why, error=error))


def update_for(
    workspace: Workspace, one: Compared, boxes: ComparedBoxes, *, by: str
) -> Operation | None:
    """The update that writes the check boxes into the item's body, if it has to be written."""
    if not boxes.is_pushed:
        return None
    manager, link = workspace.manager, one.link
    item = link.tracker, link.key
    why = "the check boxes changed in the files"
    return Operation(manager.new_id(), Kind.UPDATE, *item, manager.clock(), by, why=why)


def _is_due(boxes: ComparedBoxes) -> bool:
    return bool(boxes.is_pushed or boxes.marks or boxes.base)


def _is_current(due: Sequence[tuple[Compared, ComparedBoxes]], now: Increment) -> bool:
    """Whether the files and the links are as they were compared."""
    updated = [link_of(now, one) for one in now.pending if one.kind is Kind.UPDATE]
    return all(
        any(same_item(one.link, link) for link in now.links)
        and not any(same_item(one.link, link) for link in updated)
        and _reads(one, boxes, now)
        for one, boxes in due
    )


def _reads(one: Compared, boxes: ComparedBoxes, now: Increment) -> bool:
    try:
        return local_boxes(now, one.link)[0] == boxes.here
    except UnlatchError:
        return False
