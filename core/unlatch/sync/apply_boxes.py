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
    due = [(compared, boxes) for compared in group if (boxes := compared.boxes) and _is_due(boxes)]
    if not due:
        return frozenset()
    updates = {
        compared.link: update_for(workspace, compared, boxes, by=by) for compared, boxes in due
    }
    records = [
        BoxRecord(compared.link, boxes.base, boxes.marks, updates[compared.link], boxes.before_tick)
        for compared, boxes in due
    ]
    is_current = partial(_is_current, due)
    done = record_boxes(
        workspace.manager, group[0].increment.id, records, by=by, is_current=is_current
    )
    return frozenset(update.op for update in updates.values() if update) if done else None


def leave_boxes(plan: SyncPlan, left: Mapping[str, UnlatchError | None]) -> SyncPlan:
    """The plan with what became of check boxes that were not applied, by increment.

    Those without an error changed meanwhile; the next sync compares them again.
    """
    links = [
        _left(compared, left[compared.increment.id]) if compared.increment.id in left else compared
        for compared in plan.links
    ]
    return replace(plan, links=tuple(links))


def _left(compared: Compared, error: UnlatchError | None) -> Compared:
    if compared.boxes is None or error is None:
        return replace(compared, boxes=None)
    why = f"{error.message} [{error.id}]"
    return replace(
        compared, boxes=ComparedBoxes(compared.boxes.here, (), Verdict.DRIFT, why, error=error)
    )


def update_for(
    workspace: Workspace, compared: Compared, boxes: ComparedBoxes, *, by: str
) -> Operation | None:
    """The update that writes the check boxes into the item's body, if it has to be written."""
    if not boxes.is_pushed:
        return None
    manager, link = workspace.manager, compared.link
    item = link.tracker, link.key
    why = "the check boxes changed in the files"
    return Operation(manager.new_id(), Kind.UPDATE, *item, manager.clock(), by, why=why)


def _is_due(boxes: ComparedBoxes) -> bool:
    return bool(boxes.is_pushed or boxes.marks or boxes.base)


def _is_current(due: Sequence[tuple[Compared, ComparedBoxes]], now: Increment) -> bool:
    """Whether the files and the links are as they were compared."""
    updated = [
        link_of(now, operation) for operation in now.pending if operation.kind is Kind.UPDATE
    ]
    return all(
        any(same_item(compared.link, link) for link in now.links)
        and not any(same_item(compared.link, link) for link in updated)
        and _reads(compared, boxes, now)
        for compared, boxes in due
    )


def _reads(compared: Compared, boxes: ComparedBoxes, now: Increment) -> bool:
    try:
        return local_boxes(now, compared.link)[0] == boxes.here
    except UnlatchError:
        return False
