"""Three-way comparison of an increment and one of its items.

Both sides are compared with the base (both when last in sync), and by one property alone: whether
the work is open, done or dropped. Trackers' names for states mean too many other things. Then the
decisions about the links of one increment are made compatible.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Boxes, Link
from unlatch.increments.model.policies import Direction, OnClose, OnConflict, SyncPolicy
from unlatch.increments.model.status import Status, read_status
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.spi.operation import Category, Operation
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.delivery.planning import RefusedLabels


class Side(StrEnum):
    """The meaning that an increment's status and an item's state have in common."""

    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


class Verdict(StrEnum):
    """The decision about one link."""

    NOTHING = "nothing"  # both sides are as in the base, or the tracker is excluded
    RECORD = "record"  # both sides agree: record the new base
    PUSH = "push"  # the item follows the increment
    PULL = "pull"  # the increment follows the item
    ASK = "ask"  # a person has to choose
    CONFLICT = "conflict"  # both sides have changed differently, and the policy is not to ask
    DRIFT = "drift"  # they differ, and no action is taken
    EXPECTED = "expected"  # they differ for a valid reason; no action is taken


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReconcileContext:
    """Other facts that the decision about a link depends on."""

    shared: bool = False  # whether another increment links to the item; it is never pulled then
    needed: bool = False  # whether another unfinished one links to it; it is not closed then
    # The id of a reopen on another branch: the item shows it, and these files do not know it.
    reopened_elsewhere: str | None = None
    is_reverted: bool = False  # whether this branch had that reopen before
    # The id of an earlier pull that reopened the item, and whose files were not pushed.
    unpublished_pull: str | None = None
    closed_by: str | None = None  # the cause, if not a person (a merged pull request)


@dataclass(frozen=True, slots=True)
class Tick:
    """A check box that differs between an increment and its item.

    Args:
        id: of its task or criterion, else its words.
        done: whether it is ticked where it changed; for drift, on the item.
        verdict: PUSH, PULL or DRIFT.
        why: why it is left as it is.
    """

    id: str
    done: bool
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, slots=True)
class ComparedBoxes:
    """The check boxes of an increment and of its part of an item's body.

    Args:
        here: those of the increment's files.
        ticks: those that differ.
        lines: PUSH if the body lists other stories, criteria or tasks than the files; DRIFT if it
            is left as it is, or cannot be compared; `why` says the reason.
        base: the new base; None to keep it.
        marks: the tasks and criteria to be ticked or unticked in the files.
        before_tick: what stood in open boxes before they were ticked, by the ids of tasks.
        error: why they could not be applied.
    """

    here: Boxes
    ticks: tuple[Tick, ...] = ()
    lines: Verdict | None = None
    why: str = ""
    base: Boxes | None = None
    marks: Mapping[str, bool] = field(default_factory=dict)
    before_tick: Mapping[str, str] = field(default_factory=dict)
    error: UnlatchError | None = None

    @property
    def differ(self) -> bool:
        return bool(self.ticks or self.lines)

    @property
    def is_pushed(self) -> bool:
        """Whether the item's body has to be written."""
        return self.lines is Verdict.PUSH or bool(self.having(Verdict.PUSH))

    def having(self, verdict: Verdict) -> tuple[Tick, ...]:
        return tuple(tick for tick in self.ticks if tick.verdict is verdict)


@dataclass(frozen=True, slots=True)
class Compared:
    increment: Increment
    link: Link
    seen: ItemSnapshot
    # None if the item could not be read (`seen.error`), or if operations are pending for it.
    decision: Decision | None
    pending: tuple[Operation, ...]  # those for the item
    policy: SyncPolicy  # of its tracker
    context: ReconcileContext
    boxes: ComparedBoxes | None = None  # None if they were not compared
    refused: "RefusedLabels | None" = None  # labels that its tracker refused, and that are missing

    @property
    def verdict(self) -> Verdict | None:
        return self.decision.verdict if self.decision else None


def local_side(status: Status) -> Side:
    """Return the side that an increment's status is on."""
    return {Status.COMPLETED: Side.DONE, Status.ABANDONED: Side.DROPPED}.get(status, Side.OPEN)


def remote_side(category: Category) -> Side:
    """Return the side that an item's category is on."""
    return {Category.DONE: Side.DONE, Category.DROPPED: Side.DROPPED}.get(category, Side.OPEN)


def decide(
    local: Status,
    base: Base | None,
    remote: Category,
    *,
    policy: SyncPolicy,
    context: ReconcileContext,
) -> Decision:
    here, there = local_side(local), remote_side(remote)
    if policy.direction is Direction.OFF:
        return Decision(Verdict.NOTHING, "sync with its tracker is off")
    is_apart = (here is Side.OPEN) is not (there is Side.OPEN)
    if is_apart and here is not Side.OPEN and context.needed:
        return Decision(Verdict.EXPECTED, "stays open for another unfinished increment")
    if base is None:
        return _decide_without_base(here, is_apart=is_apart)
    was_here, was_there = _sides_of(base)
    changed = (here is not was_here, there is not was_there)
    if not is_apart:
        # Neither a finished increment nor a closed item can be finished in another way.
        return Decision(Verdict.RECORD, "both sides agree") if any(changed) else _IN_SYNC
    if not any(changed):
        # Such a base was recorded when an item was left alone.
        return Decision(Verdict.EXPECTED, "unchanged since the last sync")
    return _decide_change(here, there, changed, policy, context)


_IN_SYNC = Decision(Verdict.NOTHING)


def _sides_of(base: Base) -> tuple[Side, Side]:
    status = read_status(base.local)
    local = local_side(status) if status else Side.OPEN
    is_category = base.remote in set(Category)
    return local, remote_side(Category(base.remote)) if is_category else local


def _decide_without_base(here: Side, *, is_apart: bool) -> Decision:
    if not is_apart:
        return Decision(Verdict.RECORD, "compared for the first time, and in sync")
    states = ("open", "closed") if here is Side.OPEN else ("finished", "open")
    # An undo that left the item to a person has removed the base.
    why = f"the increment is {states[0]} and the item {states[1]}; no sync is on record"
    return Decision(Verdict.DRIFT, why)


def _push(here: Side, policy: SyncPolicy) -> Decision:
    """Decide about an item that has to follow its increment."""
    done = "reopened" if here is Side.OPEN else "finished"
    if not policy.direction.pushes:
        return Decision(Verdict.DRIFT, f"the increment was {done}, and nothing is pushed there")
    return Decision(Verdict.PUSH, f"the increment was {done}")


def _decide_change(
    here: Side,
    there: Side,
    changed: tuple[bool, bool],
    policy: SyncPolicy,
    context: ReconcileContext,
) -> Decision:
    if all(changed):
        return _decide_conflict(here, there, policy, context)
    return _push(here, policy) if changed[0] else _pull(there, policy, context)


def _pull(there: Side, policy: SyncPolicy, context: ReconcileContext) -> Decision:
    is_open, follows = there is Side.OPEN, policy.on_close is OnClose.FOLLOW
    if is_open and context.reopened_elsewhere:
        return _reopened_elsewhere(context)
    if not is_open and context.closed_by and not follows:
        return Decision(Verdict.EXPECTED, f"closed by {context.closed_by}")
    done = f"the item was {'reopened' if is_open else 'closed'}"
    if context.shared:
        return Decision(Verdict.DRIFT, f"{done}, and belongs to several increments")
    if not policy.direction.pulls:
        return Decision(Verdict.DRIFT, f"{done}, and nothing is pulled from there")
    if is_open or follows:
        return Decision(Verdict.PULL, done)
    verdict = Verdict.ASK if policy.on_close is OnClose.ASK else Verdict.DRIFT
    return Decision(verdict, f"{done}, and the increment is still open")


def _reopened_elsewhere(context: ReconcileContext) -> Decision:
    """Return the decision about an item that a reopen unknown to the files has opened."""
    op = context.reopened_elsewhere
    if context.is_reverted:
        return Decision(
            Verdict.DRIFT, f"reopened ({op}), and a commit of this branch reverted that"
        )
    why = f"reopened on another branch ({op}); resolves when it is merged"
    return Decision(Verdict.EXPECTED, why)


def _decide_conflict(
    here: Side, there: Side, policy: SyncPolicy, context: ReconcileContext
) -> Decision:
    if policy.conflict in (OnConflict.ASK, OnConflict.FAIL):
        asks = policy.conflict is OnConflict.ASK
        verdict = Verdict.ASK if asks else Verdict.CONFLICT
        return Decision(verdict, "both sides have changed, in different ways")
    if policy.conflict is OnConflict.LOCAL:
        return _push(here, policy)
    return _pull(there, policy, context)


def resolve_conflicts(group: Sequence[Compared]) -> Sequence[Compared]:
    """Make the decisions about one increment's links compatible.

    An increment has one status, so it cannot follow one item and be followed by another.
    """
    pulls = [compared for compared in group if compared.verdict is Verdict.PULL]
    pushes = [compared for compared in group if compared.verdict is Verdict.PUSH]
    if not pulls:
        return group
    expected = (Verdict.EXPECTED, Verdict.DRIFT)
    elsewhere = (
        compared
        for compared in group
        if compared.context.reopened_elsewhere and compared.verdict in expected
    )
    if followed := next(elsewhere, None):
        # These may be the items that it followed, which get no comment.
        return _decide_all(group, Verdict.PULL, _reopened_elsewhere(followed.context))
    if len(remote_sides(pulls)) == 1 and not pushes:
        return group
    winners = {compared.policy.conflict for compared in (*pulls, *pushes)}
    if winners == {OnConflict.LOCAL}:
        here = local_side(group[0].increment.status)
        pushed = {id(compared): _push(here, compared.policy) for compared in pulls}
        return [
            replace(compared, decision=pushed.get(id(compared), compared.decision))
            for compared in group
        ]
    if winners == {OnConflict.REMOTE}:
        # These items are already on the side that the increment moves to.
        return _decide_all(group, Verdict.PUSH, Decision(Verdict.NOTHING))
    why = "both sides have changed" if pushes else "its items have changed"
    return _decide_all(group, Verdict.PULL, Decision(Verdict.CONFLICT, f"{why}, in different ways"))


def remote_sides(links: Iterable[Compared]) -> set[Side]:
    """Return the sides that these items are on."""
    return {remote_side(compared.seen.item.category) for compared in links if compared.seen.item}


def _decide_all(
    group: Sequence[Compared], verdict: Verdict, decision: Decision
) -> Sequence[Compared]:
    return [
        replace(compared, decision=decision) if compared.verdict is verdict else compared
        for compared in group
    ]
