"""Checks of a layout on the texts of one unit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from unlatch.errors import UsageError
from unlatch.increments.model.status import Status
from unlatch.testing.layouts.amending import check_amend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.documents.spec_and_tasks import Task
    from unlatch.increments.layouts.interface import KeepsStatus, Layout, Texts, Work
    from unlatch.increments.model.unit import Unit

MOST_TASKS = 25
_RANK = {Status.PLANNING: 0, Status.ACTIVE: 1, Status.COMPLETED: 2}
_Facts = tuple[object, ...]


def check_texts(layout: Layout, unit: Unit, texts: Texts, *, most_tasks: int = MOST_TASKS) -> None:
    """Check a layout on any texts; an AssertionError names the unit."""
    work = _check_reading(layout, unit, texts)
    marked = _some(_named(work), most_tasks)
    for task in marked:
        _check_mark(layout, unit, texts, work, task)
    _check_errors(layout, unit, texts, work)
    _check_stories(layout, unit, texts, work)
    if hasattr(layout, "with_status"):
        _check_status(cast("KeepsStatus", layout), unit, texts)
    else:
        _check_evidence(layout, unit, texts, work)
    check_amend(layout, unit, texts, parts=[task.id for task in marked if task.done])


def facts(work: Work) -> _Facts:
    """What was read, without line numbers and offsets."""
    spec = work.spec
    stories = [(story.id, story.title, len(story.criteria)) for story in spec.stories]
    criteria = [
        (criterion.id, criterion.text, criterion.done, criterion.story, criterion.discarded)
        for criterion in spec.criteria
    ]
    return spec.title, stories, criteria, [replace(task, line=0) for task in work.tasks]


def _check_status(layout: KeepsStatus, unit: Unit, texts: Texts) -> None:
    """Check that a status is written once, shows, and leaves the work as it is."""
    work = facts(layout.read(texts))
    home = replace(unit, place=layout.home(unit), archived=False)
    for status in (Status.COMPLETED, Status.ACTIVE, Status.ABANDONED):
        where = f"{unit.key}: its documents as {status}"
        after = layout.with_status(unit, texts, status)
        assert after == layout.with_status(unit, after, status), f"{where} are changed twice"
        assert work == facts(layout.read(after)), f"{where} have other work"
        evidence = layout.evidence(home, after)
        is_shown = not evidence or evidence.status.is_finished is status.is_finished
        assert is_shown or after == texts, f"{where} show {evidence}"


def _check_reading(layout: Layout, unit: Unit, texts: Texts) -> Work:
    before = dict(texts)
    work = layout.read(texts)
    assert facts(work) == facts(layout.read(texts)), f"{unit.key} reads differently again"
    assert layout.title_in(texts) == work.spec.title, f"{unit.key}: two titles"
    for task in work.tasks:
        assert task.id, f"{unit.key}: the task on line {task.line} has no id"
        assert task.line > 0, f"{unit.key}: the task {task.id} has no line"
    assert all(layout.links(texts)), f"{unit.key}: an empty link"
    assert before == layout.mark(texts, [], done=True), f"{unit.key}: marking nothing changes it"
    assert before == texts, f"{unit.key}: reading changes the texts"
    return work


def _named(work: Work) -> list[Task]:
    """The tasks whose id means them alone."""
    ids = Counter(task.id.casefold() for task in work.tasks)
    ids.update({story.id.casefold() for story in work.spec.stories})
    ids.update({criterion.id.casefold() for criterion in work.spec.criteria})
    return [task for task in work.tasks if ids[task.id.casefold()] == 1]


def _some(tasks: Sequence[Task], most: int) -> Sequence[Task]:
    return tasks[:: len(tasks) // most + 1]


def _check_mark(layout: Layout, unit: Unit, texts: Texts, work: Work, task: Task) -> None:
    """Check both marks of one task, and that the second one restores the document."""
    where = f"{unit.key}: {task.id}"
    is_done = task.done is True
    other = layout.mark(texts, [task.id], done=not is_done)
    after = layout.read(other)
    assert [not is_done] == [entry.done for entry in after.tasks if entry.id == task.id], where
    assert _others(work, task) == _others(after, task), f"{where} changes others"
    assert other == layout.mark(other, [task.id], done=not is_done), f"{where} is marked twice"
    back = layout.mark(other, [task.id], done=is_done)
    again = layout.mark(layout.mark(back, [task.id], done=not is_done), [task.id], done=is_done)
    assert back == again, f"{where} is not restored"
    is_plain = task.done is not None and not task.discarded and (is_done or task.status is None)
    is_back = _same_ticks(back) == _same_ticks(texts) if is_done else back == texts
    assert is_back or not is_plain, f"{where}: it is not as before"


def _same_ticks(texts: Texts) -> Texts:
    """The texts with one spelling of ticks: the text of an unticked box does not show which."""
    return {name: text.replace("[X]", "[x]") for name, text in texts.items()}


def _others(work: Work, task: Task) -> _Facts:
    return facts(replace(work, tasks=tuple(other for other in work.tasks if other.id != task.id)))


def _check_errors(layout: Layout, unit: Unit, texts: Texts, work: Work) -> None:
    ids = Counter(task.id.casefold() for task in work.tasks)
    doubled = [name for name, count in ids.items() if count > 1]
    _check_error(layout, unit, texts, "no such id", "item-unknown")
    for name in doubled[:3]:
        _check_error(layout, unit, texts, name, "item-ambiguous")


def _check_error(layout: Layout, unit: Unit, texts: Texts, wanted: str, expected: str) -> None:
    actual = "no error"
    try:
        layout.mark(texts, [wanted], done=True)
    except UsageError as error:
        actual = error.id
    assert expected == actual, f"{unit.key}: marking {wanted!r}"


def _check_stories(layout: Layout, unit: Unit, texts: Texts, work: Work) -> None:
    """Check that discarded tasks stay when their story is ticked."""
    with_discarded = [task.story for task in work.tasks if task.story and task.discarded]
    for story in dict.fromkeys(with_discarded):
        try:
            marked = layout.read(layout.mark(texts, [story], done=True))
        except UsageError:  # it is ambiguous, or a layout ticks the criteria of stories
            continue
        for before, after in zip(work.tasks, marked.tasks, strict=True):
            if before.discarded and before.story == story:
                assert after.discarded, f"{unit.key}: {story} ticks the discarded {before.id}"


def _check_evidence(layout: Layout, unit: Unit, texts: Texts, work: Work) -> None:
    """Check that ticking never lowers the status, and that all tasks complete it."""
    opened = [task.id for task in _named(work) if task.done is False and not task.discarded]
    half = layout.mark(texts, opened[: len(opened) // 2], done=True)
    whole = layout.mark(half, opened, done=True)
    evidence = [layout.evidence(unit, version) for version in (texts, half, whole)]
    if unit.archived or None in evidence:
        return
    ranks = [_RANK[seen.status] for seen in evidence if seen]
    assert ranks == sorted(ranks), f"{unit.key}: ticking lowers its status"
    required = [task for task in layout.read(whole).tasks if not (task.discarded or task.optional)]
    if all(task.done for task in required):
        assert ranks[-1] == _RANK[Status.COMPLETED], (
            f"{unit.key} is not complete without open tasks"
        )
