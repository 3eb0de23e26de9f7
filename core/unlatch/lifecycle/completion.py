"""The completion gate: nothing is completed while its own files say that work is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, WorkOpen
from unlatch.increments.files.amendments import DOCUMENTS, document, documents_of
from unlatch.increments.files.layout import SPEC, TASKS

if TYPE_CHECKING:
    from unlatch.errors import UnlatchError
    from unlatch.increments.documents import Criterion, Task
    from unlatch.increments.model.increment import Increment

_MOST_SHOWN = 10
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Clearance:
    """That an increment may be completed.

    Args:
        forced: the ids of the refusals that were overridden, to be recorded.
        warnings: what a person should know, the overridden refusals included.
    """

    forced: tuple[str, ...] = ()
    warnings: tuple[UnlatchError, ...] = ()


CLEAR = Clearance()


def check_finished(increment: Increment, *, force: bool = False) -> Clearance:
    """Make sure that an increment may be completed.

    A document that cannot be read says nothing about open work, so it is no reason to refuse.

    Args:
        force: complete it although work is open.

    Raises:
        WorkOpen: tasks or criteria are open.
    """
    unreadable = _unreadable(increment)
    left = _open_work(increment)
    if not left:
        return Clearance((), unreadable)
    error = _work_open(increment, left)
    if not force:
        raise error
    return Clearance((error.id,), (error, *unreadable))


def _open_work(increment: Increment) -> tuple[str, ...]:
    from unlatch.increments.documents import open_work, read_spec, read_tasks  # noqa: PLC0415

    texts = documents_of(increment)
    return tuple(map(_line, open_work(read_spec(texts[SPEC]), read_tasks(texts[TASKS]))))


def _unreadable(increment: Increment) -> tuple[UnlatchError, ...]:
    found: list[UnlatchError] = []
    for name in DOCUMENTS:
        try:
            document(increment.folder, name)
        except StoreError as error:
            found.append(error)
    return tuple(found)


def _line(item: Criterion | Task) -> str:
    from unlatch.increments.documents import Criterion  # noqa: PLC0415

    words = " ".join((item.text if isinstance(item, Criterion) else item.title).split())
    shown = words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
    return f"{item.id}: {shown}" if shown else item.id


def _work_open(increment: Increment, left: tuple[str, ...]) -> WorkOpen:
    more = len(left) - _MOST_SHOWN
    shown = (*left[:_MOST_SHOWN], *((f"and {more} more",) if more > 0 else ()))
    count = "1 task or criterion is" if len(left) == 1 else f"{len(left)} tasks and criteria are"
    return WorkOpen(
        shown,
        f"{count} open",
        where=increment.id,
        hint="finish them, or complete it all the same with --force --reason TEXT",
    )
