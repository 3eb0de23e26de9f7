"""The change that an operation comes to, given its item as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.sync_config import Part
from unlatch.delivery.changes import build_change, within
from unlatch.delivery.permission import writable
from unlatch.delivery.revert import entry_undone_by, plan_revert
from unlatch.errors import Rejected
from unlatch.increments.records.links import link_of
from unlatch.spi import Capability
from unlatch.spi.operation import Change, Goal, Kind, must_move

if TYPE_CHECKING:
    from unlatch.delivery.course import Course
    from unlatch.spi.item import RemoteItem

_STATE_LEFT = "its state is left alone: the configuration does not let it be written (sync.write)"


def said_by(course: Course) -> Change:
    """The change as far as it does not depend on the item, and as far as it is permitted.

    Raises:
        UsageError: `write-not-permitted`, or a new item's user story is not there.
    """
    config = course.run.workspace.config
    parts = writable(config, course.increment, course.operation)
    manifest = course.run.trackers.registry.manifest(course.operation.tracker)
    if Capability.LABELS not in manifest.capabilities:
        parts -= {Part.LABELS}
    said = build_change(course.operation, course.increment, config, course.options)
    return within(replace(said, labels_match_case=manifest.labels_match_case), parts)


def foreseen(course: Course) -> Change:
    """The change as far as it is known before the item is read, so that one request reads it all.

    Raises:
        UsageError: as `said_by`.
    """
    said = said_by(course)
    # Most reopens have opened their item, so that undoing them closes it.
    return replace(said, goal=Goal.COMPLETED) if course.operation.kind is Kind.UNDO else said


def change_for(course: Course, item: RemoteItem) -> Change:
    """The whole change, whatever an earlier attempt did of it.

    Raises:
        UsageError: as `said_by`.
    """
    said, operation = said_by(course), course.operation
    parts = writable(course.run.workspace.config, course.increment, operation)
    if operation.state and Part.STATUS not in parts:
        course.remark(_STATE_LEFT)
    if operation.kind is Kind.UNDO:
        said = within(_revert(course, said, item), parts)
    elif operation.kind is Kind.CLOSE and operation.state and (needed := _needed_by(course)):
        # Others may need it than when that was decided.
        course.remark(f"left open: {', '.join(needed)} needs it")
        said = replace(said, goal=None, add_labels=(), remove_labels=())
    course.asked = said
    return said


def _needed_by(course: Course) -> tuple[str, ...]:
    link = link_of(course.increment, course.operation)
    return course.run.neighbours.needed_by(course.increment, link)


def _revert(course: Course, said: Change, item: RemoteItem) -> Change:
    revert = plan_revert(
        course.increment,
        course.operation,
        item,
        said,
        config=course.run.workspace.config,
        reopen_commented=lambda: _reopen_commented(course, item),
        needed_by=lambda: _needed_by(course),
    )
    course.remark(revert.note, revert.undecided)
    course.undecided = revert.undecided
    return revert.change or Change(said.op, options=said.options)


def _reopen_commented(course: Course, item: RemoteItem) -> bool:
    entry = entry_undone_by(course.increment, course.operation.op)
    return entry is not None and bool(course.plugin.find_comments(item.ref, entry.id))


def refuse_deliberate(item: RemoteItem, change: Change) -> None:
    """Refuse to reopen an item that was closed deliberately, without `even_if_not_planned`.

    Raises:
        Rejected: `deliberately-closed`.
    """
    if change.goal is not Goal.OPEN or not item.deliberate or not must_move(item, change.goal):
        return
    if change.options.even_if_not_planned:
        return
    error = Rejected(
        "deliberately-closed",
        f"the item was closed deliberately ({item.state})",
        where=item.ref.url,
        hint="to reopen it, repeat with --even-if-not-planned",
    )
    error.remedy = "--even-if-not-planned"
    raise error
