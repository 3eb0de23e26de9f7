"""Changes of the work of an increment: more work, or parts of it to be done again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task to be added, which a person or a program proposed; `id` is empty until planned."""

    title: str
    story: str | None = None
    criteria: tuple[str, ...] = ()
    description: str | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change of the work.

    Args:
        change: a description of the added work; None where only parts are reopened.
        tasks: the added tasks.
        parts: the ids of tasks, stories and criteria to be done again.
        unwritten: the names of the files that do not show it yet.
    """

    change: str | None = None
    tasks: tuple[NewTask, ...] = ()
    parts: tuple[str, ...] = ()
    unwritten: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the added tasks; none until they are planned."""
        return tuple(task.id for task in self.tasks if task.id)


@dataclass(frozen=True, slots=True)
class Amended:
    """An amendment that was made; `id` is the ULID of its reopen, or its own."""

    id: str
    at: datetime
    by: str
    amendment: Amendment = Amendment()
    reason: str | None = None
