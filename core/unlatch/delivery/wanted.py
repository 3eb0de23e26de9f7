"""The change that an operation comes to, given its item as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.delivery.changes import build_change, within
from unlatch.delivery.permission import left_out, refusal, writable
from unlatch.delivery.revert import entry_undone_by, plan_revert
from unlatch.domain.operation import Change, Goal, Kind, must_move
from unlatch.errors import Rejected
from unlatch.spi import Capability
from unlatch.store.links import link_of

if TYPE_CHECKING:
    from unlatch.delivery.course import Course
    from unlatch.domain.item import RemoteItem


def said_by(course: Course) -> Change:
    """The change as far as it does not depend on the item.

    Raises:
        UsageError: `write-not-permitted`, or a new item's user story is not there.
    """
    config = course.run.workspace.config
    parts = writable(config, course.increment, course.operation)
    if refused := refusal(course.operation, parts):
        raise refused
    said = build_change(course.operation, course.increment, config, course.options)
    manifest = course.run.trackers.manifest(course.operation.tracker)
    said = replace(said, labels_match_case=manifest.labels_match_case)
    if Capability.LABELS in manifest.capabilities:
        return said
    return replace(said, add_labels=(), remove_labels=())


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
    said = said_by(course)
    parts = writable(course.run.workspace.config, course.increment, course.operation)
    course.remark(*left_out(course.operation, parts))
    if course.operation.kind is Kind.UNDO:
        said = within(_revert(course, said, item), parts)
    elif needed := _needed_by(course):
        course.remark(f"left open: {', '.join(needed)} needs it")
        said = replace(said, goal=None, add_labels=(), remove_labels=())
    course.asked = said
    return said


def _needed_by(course: Course) -> tuple[str, ...]:
    """Who needs an item that is to be closed; others may than when that was decided."""
    operation = course.operation
    if operation.kind is not Kind.CLOSE or not operation.state:
        return ()
    link = link_of(course.increment, operation)
    return course.run.neighbours.needed_by(course.increment, link)


def _revert(course: Course, said: Change, item: RemoteItem) -> Change:
    revert = plan_revert(
        course.increment,
        course.operation,
        item,
        said,
        config=course.run.workspace.config,
        reopen_commented=lambda: _reopen_commented(course, item),
        needed_by=lambda: course.run.neighbours.needed_by(
            course.increment, link_of(course.increment, course.operation)
        ),
    )
    course.remark(revert.note, revert.undecided)
    course.undecided = revert.undecided
    return revert.change or Change(said.op, options=said.options)


def _reopen_commented(course: Course, item: RemoteItem) -> bool:
    entry = entry_undone_by(course.increment, course.operation.op)
    return entry is not None and bool(course.plugin.find_comments(item.ref, entry.id))


def refuse_deliberate(item: RemoteItem, change: Change) -> None:
    """Refuse to reopen an item that was closed deliberately, unless that is asked for.

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
