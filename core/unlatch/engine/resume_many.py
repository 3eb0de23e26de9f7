"""Taking up many increments for one reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.engine.admission import NO_WISH, Wish, counted
from unlatch.engine.resume import Resumed, Step, next_step, resume
from unlatch.errors import UnlatchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.domain.increment import Increment
    from unlatch.domain.operation import Manner
    from unlatch.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TakenUp:
    """What became of one of many increments, before anything was delivered.

    Args:
        before: the increment as it was.
        resumed: what was done; None if it was refused.
        error: why it was refused.
    """

    before: Increment
    resumed: Resumed | None = None
    error: UnlatchError | None = None

    @property
    def increment(self) -> Increment:
        """The increment as it is now."""
        return self.resumed.increment if self.resumed else self.before


def due(increments: Iterable[Increment]) -> tuple[Increment, ...]:
    """Those that resuming would do anything for, each once."""
    found = {one.folder: one for one in increments}
    return tuple(one for one in found.values() if next_step(one) is not Step.NOTHING)


def items_of(increments: Iterable[Increment], *, reopen_items: bool) -> frozenset[tuple[str, str]]:
    """The items that resuming increments would write to."""
    found: set[tuple[str, str]] = set()
    for one in increments:
        found |= {(owed.tracker, owed.item) for owed in one.pending}
        step = next_step(one)
        if step is Step.REOPEN or (step is Step.REVIVE and reopen_items):
            found |= {(link.tracker, link.key) for link in one.links}
    return frozenset(found)


def resume_many(
    workspace: Workspace,
    increments: Iterable[Increment],
    *,
    reason: str | None,
    by: str,
    reopen_items: bool,
    manner: Manner,
    wish: Wish = NO_WISH,
    report: Callable[[TakenUp], None],
) -> tuple[TakenUp, ...]:
    """Make increments active one after the other, and owe their items what follows.

    One that is refused keeps none of the others. What was done is on disk when it is reported, so
    after an interruption the same command goes on with those that are left.
    """
    done: list[TakenUp] = []
    with counted(workspace) as census:
        for before in increments:
            try:
                resumed = resume(
                    workspace,
                    before.id,
                    reason=reason,
                    by=by,
                    reopen_items=reopen_items,
                    manner=manner,
                    wish=wish,
                    census=census,
                )
            except UnlatchError as error:
                taken = TakenUp(before, error=error)
            else:
                taken = TakenUp(before, resumed)
                if census is not None:
                    census.note(before, resumed.increment)
            done.append(taken)
            report(taken)
    return tuple(done)
