"""What an item made from an increment, or from one of its user stories, says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.increments.files import front_matter
from unlatch.increments.files.amendments import documents_of
from unlatch.increments.files.layout import SPEC, TASKS
from unlatch.increments.files.reading import read_document
from unlatch.spi.operation import Draft
from unlatch.spi.text import Check, Checks, Heading, Text, fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.increments.documents import Criterion, Spec, Story, Task, Tasks
    from unlatch.increments.model.increment import Increment

_HEAD = "Increment **{increment}**: {title}\n\nType {type}, status {status}"
# Jira takes 32,767 characters in all, and escaping may double them.
_MOST_CHARACTERS = 12_000
_LONGEST_LINE = 300
# What front matter says of the increment itself, and not of its items.
_OWN_KEYS = frozenset({"id", "increment", "title", "type", "status", "created", "priority"})


def draft_of(increment: Increment, tracker: str, story: str | None = None) -> Draft:
    """The title and the kept part of the body for an increment's item.

    Raises:
        UsageError: `item-unknown`, if spec.md has no such user story.
    """
    from unlatch.increments.documents import read_spec, read_tasks  # noqa: PLC0415

    texts = documents_of(increment)
    spec = texts[SPEC]
    told, tasks = read_spec(spec), read_tasks(texts[TASKS])
    about = _story(told, story, increment) if story is not None else None
    body = (*_head(increment), *_work(told, tasks, about))
    title = f"{about.id}: {about.title}" if about else increment.title
    wishes = _wishes(increment, front_matter.values(spec), tracker)
    return Draft(increment.id, title, increment.type, body, story, wishes)


def stories_of(increment: Increment) -> tuple[str, ...]:
    """The ids of an increment's user stories, in the order of its spec.md."""
    from unlatch.increments.documents import read_spec  # noqa: PLC0415

    spec = read_spec(read_document(increment.folder / SPEC) or "")
    return tuple(dict.fromkeys(story.id for story in spec.stories))


def _story(spec: Spec, wanted: str, increment: Increment) -> Story:
    for story in spec.stories:
        if story.id.casefold() == wanted.casefold():
            return story
    known = ", ".join(story.id for story in spec.stories) or "none"
    raise UsageError(
        "item-unknown",
        f"spec.md has no user story {wanted}; it has {known}",
        where=increment.id,
        hint="name one of these, or add it to spec.md",
    )


def _head(increment: Increment) -> Text:
    return fill(
        _HEAD,
        {
            "increment": increment.id,
            "title": increment.title,
            "type": increment.type or "unknown",
            "status": increment.status.value,
        },
    )


def _work(spec: Spec, tasks: Tasks, about: Story | None) -> Text:
    stories = [about] if about else list(spec.stories)
    loose = [] if about else [one for one in spec.criteria if one.story is None]
    ours = [one for one in tasks.tasks if about is None or _belongs(one, about)]
    parts: list[tuple[str, list[Check]]] = [
        ("User stories", [line for story in stories for line in _story_lines(story)]),
        ("Acceptance criteria", [_criterion(one, depth=0) for one in loose]),
        ("Tasks", [_task(one) for one in ours if not one.discarded]),
    ]
    if about:
        own = ("Acceptance criteria", [_criterion(one, depth=0) for one in about.criteria])
        parts = [own, parts[-1]]
    return tuple(_within(parts))


def _within(parts: Sequence[tuple[str, list[Check]]]) -> Iterator[Heading | Checks]:
    """The lists, cut where all of them together would be more than every tracker takes."""
    left = _MOST_CHARACTERS
    for heading, lines in parts:
        kept: list[Check] = []
        for line in lines:
            left -= len(line.text) + 10
            if left < 0:
                kept.append(Check(f"and {len(lines) - len(kept)} more in the increment's files"))
                break
            kept.append(line)
        if kept:
            yield Heading(heading)
            yield Checks(tuple(kept))


def _story_lines(story: Story) -> list[Check]:
    head = Check(_cut(f"{story.id}: {story.title}"))
    return [head, *(_criterion(one, depth=1) for one in story.criteria)]


def _criterion(one: Criterion, *, depth: int) -> Check:
    return Check(_cut(f"{one.id}: {one.text}"), one.done, depth)


def _task(one: Task) -> Check:
    return Check(_cut(f"{one.id}: {one.title}"), one.done or False)


def _belongs(task: Task, story: Story) -> bool:
    criteria = {one.id for one in story.criteria}
    return task.story == story.id or not criteria.isdisjoint(task.criteria)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 3]}..."


def _wishes(increment: Increment, front: dict[str, Any], tracker: str) -> dict[str, Any]:
    """What the files name for the item: what is said for this tracker alone goes first."""
    plain = {key: value for key, value in front.items() if key not in _OWN_KEYS}
    theirs = (block.get(tracker) for block in (front, increment.data))
    wishes: dict[str, Any] = dict(plain)
    for block in theirs:
        wishes |= block if isinstance(block, dict) else {}
    return wishes
