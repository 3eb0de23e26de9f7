"""Writing a change of the work into spec.md and tasks.md; doing it twice does it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.lines import append_lines
from unlatch.increments.documents.new_tasks import with_tasks
from unlatch.increments.documents.quoting import as_heading, label_value, quoted
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.increments.documents.model import Criterion, Spec, Story, Task
    from unlatch.increments.model.amendment import Amended

_NO_REASON = "(none was given)"


def amended_spec(text: str, amended: Amended) -> str:
    """A spec.md with an amendment: its criteria open again, and the change at the end."""
    ours = _known(amended.amendment.parts, _parts(read_spec(text)))
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


def with_scope_change(text: str, *, change: str, reason: str, date: str, reopen: str) -> str:
    """Append a change and its reason, both quoted, to a spec.md under a heading of its own.

    Args:
        date: the day, for the heading.
        reopen: the id of the reopenHistory entry.
    """
    heading = [
        f"## {as_heading(f'Scope change ({date})')}",
        "",
        f"**Reopen**: {label_value(reopen)}",
    ]
    quotes = ["", "**Reason**:", "", *quoted(reason), "", "**Change**:", "", *quoted(change)]
    return append_lines(text, [*heading, *quotes])


def amended_tasks(text: str, amended: Amended) -> tuple[str, tuple[str, ...]]:
    """A tasks.md with an amendment, its tasks open again and new ones at the end, and their ids."""
    amendment = amended.amendment
    known = read_tasks(text).tasks
    text = with_marked(text, _known(amendment.parts, known), done=False)
    if amended.id in text:
        return text, amendment.ids
    heading = f"Scope change {amended.at:%Y-%m-%d} ({amended.id})"
    after, ids = with_tasks(text, amendment.tasks, heading=heading)
    # A file whose tasks are its top headings has no place for one above them.
    is_marked = amended.id in after
    if not is_marked and amendment.ids and set(amendment.ids) <= {task.id for task in known}:
        return text, amendment.ids
    return after, ids


def check_parts(
    spec: str, tasks: str, *, task_ids: Iterable[str], other_ids: Iterable[str]
) -> tuple[str, ...]:
    """The ids of parts, as the files spell them.

    Args:
        task_ids: ids of tasks.
        other_ids: ids of stories and criteria.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
    """
    task_ids, other_ids = tuple(task_ids), tuple(other_ids)
    with_marked(tasks, task_ids, done=False)
    with_marked(spec, other_ids, done=False)
    known, others = read_tasks(tasks).tasks, _parts(read_spec(spec))
    found = [_spelling(one, known, file="tasks.md") for one in task_ids]
    found += [_spelling(one, others, file="spec.md") for one in other_ids]
    return tuple(dict.fromkeys(found))


def touched_stories(spec: str, tasks: str, parts: Iterable[str]) -> frozenset[str]:
    """The ids, in lower case, of the stories that parts belong to."""
    wanted = {part.casefold() for part in parts}
    read = read_spec(spec)
    story_of = {one.id.casefold(): one.story for one in read.criteria}
    found: set[str | None] = {one.id for one in read.stories if one.id.casefold() in wanted}
    found |= {story for key, story in story_of.items() if key in wanted}
    for task in read_tasks(tasks).tasks:
        if task.id.casefold() in wanted:
            found |= {task.story, *(story_of.get(one.casefold()) for one in task.criteria)}
    return frozenset(story.casefold() for story in found if story)


def are_open(spec: str, tasks: str, parts: Iterable[str]) -> bool:
    """Whether all of the parts that the files have are open already."""
    parts = tuple(parts)
    ours, theirs = _known(parts, _parts(read_spec(spec))), _known(parts, read_tasks(tasks).tasks)
    after = (with_marked(spec, ours, done=False), with_marked(tasks, theirs, done=False))
    return after == (spec, tasks)


def _parts(spec: Spec) -> tuple[Story | Criterion, ...]:
    return (*spec.stories, *spec.criteria)


def _known(parts: Iterable[str], items: Iterable[Criterion | Story | Task]) -> list[str]:
    """Those of the parts that a file still has."""
    known = {item.id.casefold() for item in items}
    return [part for part in parts if part.casefold() in known]


def _spelling(wanted: str, items: Iterable[Criterion | Story | Task], *, file: str) -> str:
    for item in items:
        if item.id.casefold() == wanted.strip().casefold():
            return item.id
    raise UsageError(
        "item-unknown",
        f"{file} has nothing of that kind with the id {wanted.strip()!r}",
        hint="--task names a task, --story a user story, --criterion an acceptance criterion",
    )
