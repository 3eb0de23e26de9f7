"""Tick tasks and criteria in an increment's files, and record the check boxes of its items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.files.work.files import files_of
from unlatch.increments.records.events import Synced
from unlatch.increments.records.link_edits import write_base
from unlatch.increments.records.links import same_item
from unlatch.increments.records.pending import set_pending
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.layouts.interface import Texts
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Boxes, Link
    from unlatch.spi.operation import Operation
    from unlatch.worklog.event_log import Event


@dataclass(frozen=True, slots=True)
class BoxRecord:
    """What is recorded about the check boxes of one item.

    Args:
        boxes: the new base; None to keep it.
        marks: the tasks and criteria that changed on the item, and whether they are ticked there.
        update: the operation that writes the item's body, if it has to be written.
        before_tick: what stood in open boxes before they were ticked, by the ids of tasks.
    """

    link: Link
    boxes: Boxes | None
    marks: Mapping[str, bool]
    update: Operation | None
    before_tick: Mapping[str, str]


def mark_work(
    increment: Increment,
    texts: Texts,
    marks: Mapping[str, bool],
    before_tick: Mapping[str, str] = NO_MARKS,
) -> Texts:
    """The documents of an increment with tasks and criteria ticked or unticked, by its layout.

    Raises:
        UsageError: `item-unknown`, an id is not there; `item-ambiguous`, it occurs more than once.
    """
    layout = files_of(increment).layout
    former = {key.casefold(): mark for key, mark in before_tick.items()}
    for done in (True, False):
        if ids := [id_ for id_, wanted in marks.items() if wanted is done]:
            more = {"marks": former} if former and not done else {}
            texts = layout.mark(texts, ids, done=done, **more)
    return texts


def would_reopen(increment: Increment, texts: Texts) -> bool:
    """Whether a finished unit of another tool would count as open with these documents."""
    files = files_of(increment)
    if files.unit is None or not increment.status.is_finished:
        return False
    evidence = files.layout.evidence(files.unit, texts)
    return evidence is not None and not evidence.status.is_finished


def record_boxes(
    manager: MetadataManager,
    wanted: str,
    records: Sequence[BoxRecord],
    *,
    by: str,
    is_current: Callable[[Increment], bool],
) -> bool:
    """Tick what changed on the items, record the bases, and enqueue the updates, in one step.

    The files come first: after a crash in between, both sides agree.

    Args:
        is_current: whether an increment is unchanged since the comparison; else nothing is written.

    Returns:
        Whether the increment was unchanged.
    """
    done = False

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        nonlocal done
        if not is_current(before):
            return []
        _write_marks(before, records)
        facts = [_record(manager, before, data, record, by) for record in records]
        updates = (record.update for record in records if record.update is not None)
        set_pending(data, (*before.pending, *updates))
        done = True
        return [event for events in facts for event in events]

    manager.change(wanted, edit)
    return done


def _write_marks(increment: Increment, records: Sequence[BoxRecord]) -> None:
    files = files_of(increment)
    before = files.checked_texts()
    marks = {key: done for record in records for key, done in record.marks.items()}
    before_tick = {key: mark for record in records for key, mark in record.before_tick.items()}
    after = mark_work(increment, before, marks, before_tick)
    for name in files.names:
        if after[name] != before[name]:
            files.write(name, after[name].encode())


def _record(
    manager: MetadataManager, before: Increment, data: dict[str, Any], record: BoxRecord, by: str
) -> list[Event]:
    if record.boxes is None:
        return []
    events: list[Event] = []
    for own in before.links:
        if own.base is not None and same_item(own, record.link):
            base = replace(own.base, boxes=record.boxes)
            write_base(data, own, base, manager.shapes.links[own.tracker])
            ticked = tuple(key for key, done in record.marks.items() if done)
            unticked = tuple(key for key, done in record.marks.items() if not done)
            facts = manager.event_facts(by)
            event = Synced(
                tracker=own.tracker, item=own.key, ticked=ticked, unticked=unticked, **facts
            )
            events.append(event)
    return events
