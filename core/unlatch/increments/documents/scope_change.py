"""spec.md and tasks.md as they read once an amendment is in them; doing it twice does it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.documents.appending import with_scope_change, with_tasks
from unlatch.increments.documents.marking import with_marked
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.increments.documents.model import Criterion, Story, Task
    from unlatch.increments.model.amendment import Amended

_NO_REASON = "(none was given)"


def amended_spec(text: str, amended: Amended) -> str:
    """A spec.md with an amendment: its criteria open again, and what changed at the end.

    Raises:
        UsageError: `item-ambiguous`, a part occurs more than once by now.
    """
    spec = read_spec(text)
    ours = _meant(amended.amendment.parts, (*spec.stories, *spec.criteria))
    text = with_marked(text, ours, done=False)
    change = amended.amendment.change
    # The id of the reopen stands below the heading, so that nothing is appended twice.
    if change is None or amended.id in text:
        return text
    return with_scope_change(
        text,
        change=change,
        reason=amended.reason or _NO_REASON,
        date=f"{amended.at:%Y-%m-%d}",
        reopen=amended.id,
    )


def amended_tasks(text: str, amended: Amended) -> tuple[str, tuple[str, ...]]:
    """A tasks.md with an amendment: its tasks open again, the new ones at the end, and their ids.

    Raises:
        UsageError: `item-ambiguous`, a part occurs more than once by now.
    """
    amendment = amended.amendment
    known = read_tasks(text).tasks
    text = with_marked(text, _meant(amendment.parts, known), done=False)
    heading = f"Scope change {amended.at:%Y-%m-%d} ({amended.id})"
    after, ids = with_tasks(text, amendment.tasks, heading=heading)
    if amended.id in text:
        return text, amendment.ids
    # A file whose tasks are its top headings has no place for one above them.
    is_marked = amended.id in after
    if not is_marked and amendment.ids and set(amendment.ids) <= {task.id for task in known}:
        return text, amendment.ids
    return after, ids


def check_parts(
    spec: str, tasks: str, *, task_ids: Iterable[str], other_ids: Iterable[str]
) -> tuple[str, ...]:
    """The parts that somebody named, as the files spell them.

    Args:
        task_ids: ids of tasks.
        other_ids: ids of stories and criteria.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
    """
    task_ids, other_ids = tuple(task_ids), tuple(other_ids)
    with_marked(tasks, task_ids, done=False)
    with_marked(spec, other_ids, done=False)
    told, known = read_spec(spec), read_tasks(tasks).tasks
    found = [_spelled(one, known, file="tasks.md") for one in task_ids]
    others: tuple[Story | Criterion, ...] = (*told.stories, *told.criteria)
    found += [_spelled(one, others, file="spec.md") for one in other_ids]
    return tuple(dict.fromkeys(found))


def touched_stories(spec: str, tasks: str, parts: Iterable[str]) -> frozenset[str]:
    """The ids, in small letters, of the stories that parts belong to."""
    told = read_spec(spec)
    wanted = {part.casefold() for part in parts}
    story_of = {one.id.casefold(): one.story for one in told.criteria}
    found: set[str | None] = {one.id for one in told.stories if one.id.casefold() in wanted}
    found |= {story for key, story in story_of.items() if key in wanted}
    for task in read_tasks(tasks).tasks:
        if task.id.casefold() in wanted:
            found |= {task.story, *(story_of.get(one.casefold()) for one in task.criteria)}
    return frozenset(story.casefold() for story in found if story)


def are_open(spec: str, tasks: str, parts: Iterable[str]) -> bool:
    """Whether all parts that the files have are to be done as it is."""
    parts = tuple(parts)
    told = read_spec(spec)
    ours = _meant(parts, (*told.stories, *told.criteria))
    theirs = _meant(parts, read_tasks(tasks).tasks)
    still = (with_marked(spec, ours, done=False), with_marked(tasks, theirs, done=False))
    return still == (spec, tasks)


def _meant(parts: Iterable[str], items: Iterable[Criterion | Story | Task]) -> list[str]:
    """Those of the parts that a file still has."""
    known = {item.id.casefold() for item in items}
    return [part for part in parts if part.casefold() in known]


def _spelled(wanted: str, items: Iterable[Criterion | Story | Task], *, file: str) -> str:
    for item in items:
        if item.id.casefold() == wanted.strip().casefold():
            return item.id
    raise UsageError(
        "item-unknown",
        f"{file} has nothing of that kind with the id {wanted.strip()!r}",
        hint="--task names a task, --story a user story, --criterion an acceptance criterion",
    )
