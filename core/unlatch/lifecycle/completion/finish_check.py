"""Whether an increment may be completed: its tasks and criteria are done."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.delivery.content import check_of
from unlatch.errors import UnlatchError, UsageError, WorkOpen
from unlatch.increments.files.changes.plans import check_transition
from unlatch.increments.files.work.amendments import work_of
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.check_boxes import states_of
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import APPROVED, Approval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.documents.spec_and_tasks import Criterion, Task
    from unlatch.increments.layouts.interface import Work
    from unlatch.increments.model.increment import Increment

# The maximum lines of open work to show, and characters of each.
_MOST_SHOWN = 10
_LONGEST = 100


def check_finish(increment: Increment, to: Status, *, reason: str | None, force: bool) -> Approval:
    """Check that an increment may be completed or abandoned.

    Args:
        force: complete it despite open work, or despite a document that nobody can read; requires
            a reason.

    Raises:
        StoreError: the status table does not allow it, `document-unreadable`, or
            `document-in-conflict`.
        WorkOpen: its files list open work, so it cannot be completed.
        UsageError: `reason-missing`.
    """
    check_transition(increment, to, reason)
    if to is not Status.COMPLETED:
        return APPROVED
    refusals: list[UnlatchError] = [*files_of(increment).unreadable()]
    if left := _open_work(increment):
        refusals.append(_work_open(increment, left))
    if not refusals:
        return APPROVED
    if not force:
        raise refusals[0]
    if not (reason and reason.strip()):
        what = "open work" if left else "a document that cannot be read"
        raise UsageError(
            "reason-missing",
            f"{increment.id} has {what}; --force needs a reason",
            hint=f"unlatch complete {quote(increment.id)} --force --reason TEXT",
        )
    ids = tuple(dict.fromkeys(error.id for error in refusals))
    return Approval(forced=ids, warnings=tuple(refusals))


def _open_work(increment: Increment) -> list[str]:
    work = work_of(increment)
    return [*map(_line, work.open), *(() if work.tasks else _lost_tasks(increment, work))]


def _lost_tasks(increment: Increment, work: Work) -> Iterator[str]:
    """The open boxes of items, where the documents have lost all their tasks."""
    name = files_of(increment).listing
    criteria = states_of(map(check_of, work.spec.criteria))
    for link in increment.links:
        boxes = link.base.boxes if link.base else None
        for box in boxes.open if boxes else ():
            if box not in criteria:
                yield f"{box}: open on {link.key}, and {name} lists no task"


def _line(item: Criterion | Task) -> str:
    from unlatch.increments.documents.spec_and_tasks import Criterion  # noqa: PLC0415

    words = " ".join((item.text if isinstance(item, Criterion) else item.title).split())
    short = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
    return f"{item.id}: {short}" if short else item.id


def _work_open(increment: Increment, left: list[str]) -> WorkOpen:
    more = len(left) - _MOST_SHOWN
    problems = (*left[:_MOST_SHOWN], *((f"and {more} more",) if more > 0 else ()))
    count = "1 task or criterion is" if len(left) == 1 else f"{len(left)} tasks and criteria are"
    return WorkOpen(
        "work-open",
        f"{count} open",
        problems=problems,
        where=increment.id,
        hint=f"tick them when they are done, then unlatch complete {quote(increment.id)}",
    )
