"""What an increment's own files say that is done, and left to do."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.documents.marks import MARK
from unlatch.increments.files.work.files import files_of
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.increments.documents.spec_and_tasks import Task
    from unlatch.increments.model.increment import Increment

_BOX = re.compile(rf"[ \t]*[-*+][ \t]+\\?\[\\?(?P<mark>{MARK})\][ \t]")
_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]")


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What an increment's own files say.

    Args:
        left: the ids and texts of open tasks and criteria.
        done: the ids and titles of done tasks, in lower case.
        reopened: when parts were last to be done again, by their ids.
    """

    left: tuple[tuple[str, str], ...] = ()
    done: frozenset[str] = frozenset()
    reopened: Mapping[str, datetime] = field(default_factory=dict)

    def has_done(self, *names: str) -> bool:
        """Whether one of these names is that of a done task."""
        return not self.done.isdisjoint(name.casefold().strip() for name in names)


def own_work(increment: Increment) -> OwnWork:
    """The work in the files of an increment; none if they cannot be read."""
    files = files_of(increment)
    try:
        texts = files.checked_texts()
        work = files.layout.read(texts)
    except UnlatchError:  # doctor reports it
        return OwnWork()
    lines = texts[files.listing].split("\n")
    starts = {task.line for task in work.tasks}
    done = [task for task in work.tasks if task.done or _is_ticked_off(task, lines, starts)]
    left = [(task.id, task.title) for task in work.tasks if task not in done and not task.discarded]
    left += [
        (criterion.id, criterion.text)
        for criterion in work.spec.criteria
        if not (criterion.done or criterion.discarded)
    ]
    return OwnWork(
        tuple((key, " ".join(filter(None, (key, text)))) for key, text in left),
        frozenset(name.casefold() for task in done for name in (task.id, task.title) if name),
        dict(_reopened(increment)),
    )


def _reopened(increment: Increment) -> Iterator[tuple[str, datetime]]:
    """The parts that a reopen or an amendment named, the newest of each kind last."""
    reopens = (
        (reopen.reopened_at, reopen.amendment)
        for reopen in increment.reopens
        if not reopen.reverted_at
    )
    for at, amendment in (
        *reopens,
        *((amended.at, amended.amendment) for amended in increment.amendments),
    ):
        for part in amendment.parts if amendment else ():
            yield part, at


def _is_ticked_off(task: Task, lines: Sequence[str], starts: set[int]) -> bool:
    """Whether a task without a status of its own has check boxes below it, all ticked."""
    if task.status is not None or not 0 < task.line <= len(lines):
        return False
    head = _HEADING.match(lines[task.line - 1])
    level = len(head["marks"]) if head else 0
    marks = []
    for number, line in enumerate(lines[task.line :], task.line + 1):
        heading = _HEADING.match(line)
        if number in starts or (heading and len(heading["marks"]) <= max(level, 1)):
            break
        if box := _BOX.match(line):
            marks.append(box["mark"])
    return bool(marks) and all(mark in ("x", "X") for mark in marks)
