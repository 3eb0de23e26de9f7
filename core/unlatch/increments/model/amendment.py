"""What is changed about the work of an increment: more of it, or parts of it to be done again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task that is yet to be written; all of it may come from a person or a program."""

    title: str
    story: str | None = None
    criteria: tuple[str, ...] = ()
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change of the work.

    Args:
        change: what is to be done on top, in somebody's words; None where parts alone are reopened.
        tasks: the tasks that it adds.
        ids: the ids of those tasks, in their order; empty until the files were looked at.
        parts: the ids of tasks, stories and criteria that are to be done again.
        unwritten: the names of the files that have yet to say so.
    """

    change: str | None = None
    tasks: tuple[NewTask, ...] = ()
    ids: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    unwritten: tuple[str, ...] = ()

    @property
    def added(self) -> tuple[tuple[str, NewTask], ...]:
        """The tasks that it adds, with their ids."""
        return tuple(zip(self.ids, self.tasks, strict=True))


@dataclass(frozen=True, slots=True)
class Amended:
    """An amendment that was made.

    Args:
        id: the ULID of the intent: of the reopen that it came with, or its own.
        at: when.
        by: who made it.
        amendment: what was changed.
        reason: why, where that was said.
    """

    id: str
    at: datetime
    by: str
    amendment: Amendment = Amendment()
    reason: str | None = None
