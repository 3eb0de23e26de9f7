"""The completion check: an increment is not completed while its own files list open work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError, WorkOpen
from unlatch.increments.files.amendments import documents_of, unreadable_documents
from unlatch.increments.files.layout import SPEC, TASKS
from unlatch.increments.files.plans import check_transition
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import APPROVED, Approval

if TYPE_CHECKING:
    from unlatch.increments.documents import Criterion, Task
    from unlatch.increments.model.increment import Increment

_MOST_SHOWN = 10
_LONGEST = 100


def check_finish(increment: Increment, to: Status, *, reason: str | None, force: bool) -> Approval:
    """Check that an increment may be completed or abandoned.

    A document that cannot be read says nothing about open work, so it is no reason to refuse.

    Args:
        force: complete it although work is open, which needs a reason.

    Raises:
        StoreError: the status table does not allow it.
        WorkOpen: it is to be completed, and its files list open work.
        UsageError: `reason-missing`.
    """
    check_transition(increment, to, reason)
    if to is not Status.COMPLETED:
        return APPROVED
    unreadable = tuple(unreadable_documents(increment.folder))
    left = _open_work(increment)
    if not left:
        return Approval(warnings=unreadable)
    error = _work_open(increment, left)
    if not force:
        raise error
    if not (reason and reason.strip()):
        raise UsageError(
            "reason-missing",
            f"{increment.id} has open work; completing it all the same has to be explained",
            hint="--reason TEXT says why",
        )
    return Approval(forced=(error.id,), warnings=(error, *unreadable))


def _open_work(increment: Increment) -> list[str]:
    from unlatch.increments.documents import open_work, read_spec, read_tasks  # noqa: PLC0415

    texts = documents_of(increment)
    return [_line(one) for one in open_work(read_spec(texts[SPEC]), read_tasks(texts[TASKS]))]


def _line(item: Criterion | Task) -> str:
    from unlatch.increments.documents import Criterion  # noqa: PLC0415

    words = " ".join((item.text if isinstance(item, Criterion) else item.title).split())
    shown = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
    return f"{item.id}: {shown}" if shown else item.id


def _work_open(increment: Increment, left: list[str]) -> WorkOpen:
    more = len(left) - _MOST_SHOWN
    shown = (*left[:_MOST_SHOWN], *((f"and {more} more",) if more > 0 else ()))
    count = "1 task or criterion is" if len(left) == 1 else f"{len(left)} tasks and criteria are"
    return WorkOpen(
        "work-open",
        f"{count} open",
        problems=shown,
        where=increment.id,
        hint="finish them, or complete it all the same with --force --reason TEXT",
    )
