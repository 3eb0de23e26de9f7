"""Three-way comparison of an increment and one of its items.

Both sides are compared with what they were when they were last in step (the base), and by one thing
alone: whether the work is open, done or dropped. Trackers' words for states mean too much else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.increments.model.status import Status, read_status
from unlatch.increments.model.sync_policy import Direction, OnClose, OnConflict, Policy
from unlatch.spi.item import Category

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.increments.model.increment import Base, Increment, Link
    from unlatch.lifecycle.fetch_items import ItemSnapshot


class Side(StrEnum):
    """What both an increment's status and an item's state amount to."""

    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


_NAMED = frozenset({OnConflict.LOCAL, OnConflict.REMOTE})


class Verdict(StrEnum):
    """What is to be done about one link."""

    # Nothing has changed since both were in step, or the tracker is left out.
    NOTHING = "nothing"
    # Both sides agree: that is the new base.
    RECORD = "record"
    # The item follows the increment.
    PUSH = "push"
    # The increment follows the item.
    PULL = "pull"
    # Somebody has to choose.
    ASK = "ask"
    # Both sides have changed, differently, and nobody is to be asked.
    CONFLICT = "conflict"
    # They differ, and nothing is done about it.
    DRIFT = "drift"
    # They differ for a reason that is no mistake; nothing is done about it.
    EXPECTED = "expected"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and what to tell people of it."""

    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReconcileContext:
    """What else bears on a link.

    Args:
        shared: whether another increment links to the item; such a one is never pulled.
        needed: whether another increment that is not finished links to it; it is not closed then.
        reopened_elsewhere: the id of a reopen of ours that the item was told and that this copy of
            the files does not know: it was made on another branch.
        closed_by: what closed the item, where that was no person's click (a merged pull request).
    """

    shared: bool = False
    needed: bool = False
    reopened_elsewhere: str | None = None
    closed_by: str | None = None


_NO_POLICY, _NO_CONTEXT = Policy(), ReconcileContext()


@dataclass(frozen=True, slots=True)
class Compared:
    """One link, compared.

    Args:
        decision: the decision; None if the item could not be read (`seen.error` says why), or if
            operations are pending for it.
        pending: the number of operations that are pending for the item.
        policy: the sync policy of its tracker.
        given: other facts about the link.
    """

    increment: Increment
    link: Link
    seen: ItemSnapshot
    decision: Decision | None
    pending: int = 0
    policy: Policy = _NO_POLICY
    given: ReconcileContext = _NO_CONTEXT

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, if there is a decision."""
        return self.decision.verdict if self.decision else None


def side_of(status: Status) -> Side:
    """What an increment's status amounts to."""
    return {Status.COMPLETED: Side.DONE, Status.ABANDONED: Side.DROPPED}.get(status, Side.OPEN)


def side_there(category: Category) -> Side:
    """What the category of an item's state amounts to."""
    return {Category.DONE: Side.DONE, Category.DROPPED: Side.DROPPED}.get(category, Side.OPEN)


def decide(
    local: Status,
    base: Base | None,
    remote: Category,
    *,
    policy: Policy,
    given: ReconcileContext,
) -> Decision:
    """What is to be done about one link, for every case that there is."""
    here, there = side_of(local), side_there(remote)
    if policy.direction is Direction.OFF:
        return Decision(Verdict.NOTHING, "its tracker is not kept in step")
    if base is None:
        return _first_look(here, there, given)
    was_here, was_there = _was(base)
    moved = (here is not was_here, there is not was_there)
    if moved == (False, False):
        return _at_rest(here, there)
    if here is there or (moved != (True, True) and Side.OPEN not in (here, there)):
        return Decision(Verdict.RECORD, "both sides have come to the same")
    if moved == (True, True):
        return _conflict(here, there, policy, given)
    return pushed(here, policy, given) if moved[0] else _pull(there, policy, given)


def conflict_winner(policies: Iterable[Policy]) -> OnConflict:
    """Which side counts where links of one increment pull apart; fail where none is named."""
    named = {policy.conflict for policy in policies}
    return named.pop() if len(named) == 1 and named <= _NAMED else OnConflict.FAIL


def _at_rest(here: Side, there: Side) -> Decision:
    """Nobody has moved; a base whose sides differ was noted so by whoever left an item alone."""
    if (here is Side.OPEN) is (there is Side.OPEN):
        return Decision(Verdict.NOTHING)
    return Decision(Verdict.EXPECTED, "left apart on purpose")


def _was(base: Base) -> tuple[Side, Side]:
    status = read_status(base.local)
    was_here = side_of(status) if status else Side.OPEN
    known = base.remote in set(Category)
    return was_here, side_there(Category(base.remote)) if known else was_here


def _first_look(here: Side, there: Side, given: ReconcileContext) -> Decision:
    if (here is Side.OPEN) is (there is Side.OPEN):
        return Decision(Verdict.RECORD, "seen in step for the first time")
    if here is Side.OPEN:
        why = "the increment is open and the item closed, and they were never seen in step"
        return Decision(Verdict.DRIFT, why)
    if given.needed:
        return Decision(Verdict.EXPECTED, "another unfinished increment needs it")
    why = "the increment is finished and the item open, and they were never seen in step"
    return Decision(Verdict.DRIFT, why)


def pushed(here: Side, policy: Policy, given: ReconcileContext) -> Decision:
    """What becomes of an item that is to follow its increment."""
    if here is not Side.OPEN and given.needed:
        return Decision(Verdict.EXPECTED, "another unfinished increment needs it")
    done = "taken up" if here is Side.OPEN else "finished"
    if not policy.direction.pushes:
        return Decision(Verdict.DRIFT, f"the increment was {done}, and nothing is pushed there")
    return Decision(Verdict.PUSH, f"the increment was {done}")


def _pull(there: Side, policy: Policy, given: ReconcileContext) -> Decision:
    done = "reopened" if there is Side.OPEN else "closed"
    if expected := _expected(there, policy, given):
        return Decision(Verdict.EXPECTED, expected)
    if given.shared:
        why = f"the item was {done}, and belongs to several increments"
        return Decision(Verdict.DRIFT, why)
    if not policy.direction.pulls:
        return Decision(Verdict.DRIFT, f"the item was {done}, and nothing is pulled from there")
    if there is Side.OPEN or policy.on_close is OnClose.FOLLOW:
        return Decision(Verdict.PULL, f"the item was {done}")
    asks = policy.on_close is OnClose.ASK
    why = "the item was closed, and the increment is still open"
    return Decision(Verdict.ASK if asks else Verdict.DRIFT, why)


def _expected(there: Side, policy: Policy, given: ReconcileContext) -> str | None:
    if there is Side.OPEN and given.reopened_elsewhere:
        return f"reopened on another branch ({given.reopened_elsewhere}), which brings it along"
    if there is not Side.OPEN and given.closed_by and policy.on_close is not OnClose.FOLLOW:
        return f"closed by {given.closed_by}"
    return None


def _conflict(here: Side, there: Side, policy: Policy, given: ReconcileContext) -> Decision:
    why = "both sides have changed, and differently"
    if policy.conflict is OnConflict.ASK:
        return Decision(Verdict.ASK, why)
    if policy.conflict is OnConflict.FAIL:
        return Decision(Verdict.CONFLICT, why)
    if Side.OPEN not in (here, there):
        return Decision(Verdict.RECORD, "both sides are closed, each in its own way")
    if policy.conflict is OnConflict.LOCAL:
        return pushed(here, policy, given)
    return _pull(there, policy, given)
