"""A plan: tasks with the work, the acceptance criteria, and the tasks that block each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.digests import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Command:
    """An acceptance command: its argument list, and its line in the plan."""

    argv: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A task of a plan.

    Args:
        work: the text of its **Work**, as in the plan.
        criteria: the text of its **Acceptance Criteria**, as in the plan.
        commands: the commands in the criteria; the auditor runs them.
        notes: its other fields, such as Environment, by their names.
        line: the line of its heading.
    """

    id: str
    title: str
    work: str
    criteria: str
    commands: tuple[Command, ...]
    blocked_by: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]
    line: int

    @property
    def digest(self) -> str:
        """A hash of the definition; its place in the plan is no part of it."""
        argvs = [command.argv for command in self.commands]
        parts = (self.title, self.work, self.criteria, argvs, self.blocked_by, self.notes)
        return sha256(json.dumps(parts).encode(errors="surrogatepass"))


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan without mistakes: its tasks in the order of the file, by their ids."""

    source: str
    tasks: dict[str, PlanTask]

    def commands(self) -> Sequence[tuple[str, ...]]:
        """The argument lists of all acceptance commands: consent is given to them."""
        return [command.argv for task in self.tasks.values() for command in task.commands]
