"""Checks of the amendments that a layout writes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.testing.layouts.shapes import TEXTS, TITLES, line_endings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.documents.spec_and_tasks import Task
    from unlatch.increments.layouts.interface import Layout, Texts
    from unlatch.increments.model.unit import Unit

_TOTAL = re.compile(r"(?<=[\r\n]total_tasks: )[0-9]+")
_ID, _NEXT = "01M8ZZZZZZZZZZZZZZZZZZZZZ0", "01M8ZZZZZZZZZZZZZZZZZZZZZ1"
_AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
_TASKS = tuple(NewTask(title) for title in TITLES)
_TOLD = tuple(NewTask("A task with a text", description=text) for text in TEXTS)


def check_amend(layout: Layout, unit: Unit, texts: Texts, *, parts: Sequence[str]) -> None:
    """Check that an amendment appends its tasks once and changes nothing else, for any titles.

    Args:
        parts: the ids of done tasks.
    """
    first = _check_append(layout, unit, texts, _applied(_ID, _TASKS))
    _check_append(layout, unit, first, _applied(_NEXT, _TOLD))
    _check_append(layout, unit, texts, _applied(_ID, ()))
    _check_parts(layout, unit, texts, parts)


def _applied(id: str, tasks: tuple[NewTask, ...], parts: Sequence[str] = ()) -> AppliedAmendment:
    change = f"More work: {TEXTS[-1]}" if not parts else None
    amendment = Amendment(change, tasks, tuple(parts))
    return AppliedAmendment(id, _AT, "Dana Demo", amendment, TEXTS[-1])


def _check_append(layout: Layout, unit: Unit, texts: Texts, amended: AppliedAmendment) -> Texts:
    asked = amended.amendment.tasks
    after, ids = layout.amend(texts, amended)
    where = f"{unit.key}: the amendment"
    assert len(ids) == len(asked), f"{where} of {len(asked)} tasks has the ids {ids}"
    _check_texts_stay(texts, after, where)
    before, work = layout.read(texts), layout.read(after)
    _check_ids(unit, before.tasks, ids)
    old, new = before.tasks, work.tasks
    added = [task for task in new if task.id in ids]
    assert _shown(old) == _shown([task for task in new if task.id not in ids]), (
        f"{where} adds, or changes, a task"
    )
    assert list(ids) == [task.id for task in added], f"{where} adds {[task.id for task in added]}"
    for task in added:
        is_open = not (task.done or task.discarded or task.optional)
        assert is_open, f"{where}: the new task {task.id} is not open: {task}"
    stories = [[story.id for story in version.spec.stories] for version in (before, work)]
    assert stories[0] == stories[1], f"{where} changes stories"
    planned = zip(asked, ids, strict=True)
    recorded = replace(
        amended.amendment, tasks=tuple(replace(task, id=new_id) for task, new_id in planned)
    )
    again = layout.amend(after, replace(amended, amendment=recorded))
    assert (after, ids) == again, f"{where} is written twice"
    return after


def _check_ids(unit: Unit, tasks: Sequence[Task], ids: Sequence[str]) -> None:
    old = {task.id.casefold() for task in tasks}
    new = {task_id.casefold() for task_id in ids}
    assert len(new) == len(ids), f"{unit.key}: new tasks share an id: {ids}"
    assert not new & old, f"{unit.key}: new tasks have known ids: {new & old}"


def _check_texts_stay(texts: Texts, after: Texts, where: str) -> None:
    """Check that nothing was changed but by one insertion, with the file's line ending.

    The number of tasks in the front matter may follow.
    """
    assert set(texts) == set(after), f"{where} has other documents: {sorted(after)}"
    for name, text in texts.items():
        old, new = (_TOTAL.sub("", version, count=1) for version in (text, after[name]))
        is_inserted = _common(old, new) + _common(old[::-1], new[::-1]) >= len(old)
        assert is_inserted, f"{where} changes {name} beyond adding to it"
        ends = line_endings(text)
        if len(ends) == 1:
            assert ends == line_endings(after[name]), f"{where} brings line endings into {name}"


def _check_parts(layout: Layout, unit: Unit, texts: Texts, parts: Sequence[str]) -> None:
    if not parts:
        return
    after, _ = layout.amend(texts, _applied(_ID, (), parts))
    states = {task.id: task.done for task in layout.read(after).tasks}
    still = [part for part in parts if states[part]]
    assert not still, f"{unit.key}: still ticked after they were reopened: {still}"


def _shown(tasks: Sequence[Task]) -> list[Task]:
    return [replace(task, line=0) for task in tasks]


def _common(text: str, other: str) -> int:
    """The length of the longest common beginning."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(text), len(other)))
