"""What a specification and a list of tasks say, without where each letter of it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One acceptance criterion.

    Args:
        id: as the file spells it ("AC-US1-01").
        text: what follows the id on its line, in the file's Markdown.
        done: whether its check box is ticked; None if it has no check box.
        line: where it stands, counted from 1.
        story: the id of the story that it belongs to, as that story spells it.
    """

    id: str
    text: str
    done: bool | None
    line: int
    story: str | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One user story with its criteria."""

    id: str
    title: str
    line: int
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec.md.

    Args:
        text: the file, unchanged.
        title: its first top heading.
        criteria: all of them, those of no story too, in the file's order.
    """

    text: str
    title: str | None = None
    stories: tuple[Story, ...] = ()
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task, which is a heading and what stands below it.

    Args:
        id: as the file spells it ("T-034A").
        title: the heading without the id and without marks of its state.
        done: None where the file does not tell.
        status: the file's own words for its state, if it has any.
        line: where its heading stands, counted from 1.
        story: the first story that it names, else the one that it stands under.
        criteria: the ids that it is said to satisfy.
        discarded: deferred, cancelled or the like: neither open nor done.
    """

    id: str
    title: str
    done: bool | None
    status: str | None
    line: int
    story: str | None = None
    criteria: tuple[str, ...] = ()
    discarded: bool = False


@dataclass(frozen=True, slots=True)
class Tasks:
    """A tasks.md; `text` is the file, unchanged."""

    text: str
    tasks: tuple[Task, ...] = ()
