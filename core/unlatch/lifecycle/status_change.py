"""Changes of an increment's status: start, pause, review, backlog, complete, abandon, undo.

A change that items follow is planned first: a dry run shows the plan, and `apply_change` decides in
the same way for the increment under its lock.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from unlatch.delivery.run import SharedItems
from unlatch.errors import StoreError, UsageError, WorkOpen
from unlatch.increments.files.plans import (
    IntentDetails,
    check_transition,
    plan_transition,
)
from unlatch.increments.files.reading import DocumentInConflict
from unlatch.increments.files.undo_plan import plan_undo, undoable
from unlatch.increments.files.work.amendments import work_of
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.reopening import checked_reason
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import (
    APPROVED,
    DEFAULT_ACTIVATION,
    ActivationOptions,
    Approval,
    allow_activation,
)
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.increments.documents.model import Criterion, Task
    from unlatch.increments.files.plans import Intent, Plan
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.project.workspace import Workspace

# The maximum lines of open work to show, and characters of each.
_MOST_SHOWN = 10
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A change of status, with the operations that follow from it.

    Args:
        to: the new status; nothing changes if the increment already has it.
        decide: the change for the increment's present state; raises if there is none.
        spared: links whose items stay open, with the unfinished increments that need them.
        shared: the increments that share items with it.
        undone: the entries of reopenHistory that an undo marks, the oldest first.
    """

    before: Increment
    to: Status
    by: str
    reason: str | None
    decide: Callable[[Increment, Intent], Plan]
    details: IntentDetails
    approval: Approval = APPROVED
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    shared: SharedItems | None = None
    undone: tuple[ReopenEntry, ...] = ()

    def preview(self, workspace: Workspace) -> Plan:
        """The change for the present state.

        Raises:
            StoreError: the status table does not allow it.
        """
        intent = workspace.manager.intent(by=self.by, reason=self.reason, **self.details)
        return self.decide(self.before, intent)


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """A change of status, before anything was delivered.

    Args:
        fresh: the operations that this process has just enqueued.
        undone: the entries of reopenHistory that an undo marked, the oldest first.
    """

    before: Increment
    increment: Increment
    fresh: frozenset[str] = frozenset()
    approval: Approval = APPROVED
    undone: tuple[ReopenEntry, ...] = ()


def apply_change(workspace: Workspace, plan: ChangePlan) -> ChangeResult:
    """Make a change; an increment that already has the status stays as it is.

    Raises:
        StoreError: the status table does not allow it any more, or the files cannot be written.
    """
    before = plan.before
    if before.status is plan.to:
        return ChangeResult(before, before)
    unarchive = not plan.to.is_finished
    made, after = workspace.manager.apply(
        before.id, plan.decide, by=plan.by, reason=plan.reason, unarchive=unarchive, **plan.details
    )
    return ChangeResult(before, after, made.new, plan.approval, made.undone)


def plan_finish(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    force: bool = False,
    options: DeliveryOptions = AS_CONFIGURED,
) -> ChangePlan:
    """Plan to complete or abandon an increment, and to close its items.

    An item that another unfinished increment links to is not closed.

    Raises:
        UsageError: the increment is unknown, or the reason is too long.
        UnlatchError: as `check_finish`.
    """
    before = workspace.manager.read(wanted).as_recorded
    shared = SharedItems.of(workspace)
    is_done = before.status is to
    reason = None if reason is None else checked_reason(reason)
    approval = APPROVED if is_done else check_finish(before, to, reason=reason, force=force)
    spared = () if is_done else shared.needed_links(before)
    details: IntentDetails = {
        "options": options,
        "exclude": [link for link, _ in spared],
        "forced": approval.forced,
    }

    def decide(before: Increment, intent: Intent) -> Plan:
        return plan_transition(before, to, intent, enqueue=Kind.CLOSE)

    return ChangePlan(before, to, by, reason, decide, details, approval, spared, shared)


def plan_undo_reopen(
    workspace: Workspace,
    wanted: str,
    *,
    by: str,
    reason: str | None = None,
    options: DeliveryOptions = AS_CONFIGURED,
) -> ChangePlan:
    """Plan to undo the last reopen.

    Raises:
        UsageError: the increment is unknown, or the reason is blank or too long.
        StoreError: `nothing-to-undo`.
    """
    before = workspace.manager.read(wanted).as_recorded
    reason = None if reason is None else checked_reason(reason)
    entries = undoable(before)
    to, details = entries[-1].previous_status, IntentDetails(options=options)
    return ChangePlan(before, to, by, reason, plan_undo, details, undone=entries)


def move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
) -> ChangeResult:
    """Move an unfinished increment along the status table, without a change on trackers.

    Raises:
        UsageError: the increment is unknown.
        StoreError: it is finished, the status table does not allow it, or the limits refuse it.
    """
    before = workspace.manager.read(wanted).as_recorded
    if before.status.is_finished:
        raise StoreError(
            "finished",
            f"{before.id} is {before.status}; use `unlatch resume` to reopen it",
            hint=f"unlatch resume {before.id}",
        )
    if before.status is to:
        return ChangeResult(before, before)
    is_active = to is Status.ACTIVE
    rules = allow_activation(workspace, before, activation) if is_active else nullcontext(APPROVED)
    with rules as approval:
        _, after = workspace.manager.apply(
            before.id,
            lambda now, intent: plan_transition(now, to, intent),
            by=by,
            reason=reason,
            unarchive=True,
            forced=approval.forced,
        )
    return ChangeResult(before, after, approval=approval)


def check_finish(increment: Increment, to: Status, *, reason: str | None, force: bool) -> Approval:
    """Check that an increment may be completed or abandoned.

    An unreadable document is no reason to refuse, a conflict left by git is one.

    Args:
        force: complete it despite open work; requires a reason.

    Raises:
        StoreError: the status table does not allow it, or `document-in-conflict`.
        WorkOpen: its files list open work, so it cannot be completed.
        UsageError: `reason-missing`.
    """
    check_transition(increment, to, reason)
    if to is not Status.COMPLETED:
        return APPROVED
    found = files_of(increment).unreadable()
    for error in found:
        if isinstance(error, DocumentInConflict) and not force:
            raise error
    unreadable = tuple(map(_unchecked, found))
    left = _open_work(increment)
    if not left:
        return Approval(warnings=unreadable)
    error = _work_open(increment, left)
    if not force:
        raise error
    if not (reason and reason.strip()):
        raise UsageError(
            "reason-missing",
            f"{increment.id} has open work; --force needs a reason",
            hint="add --reason TEXT",
        )
    return Approval(forced=(error.id,), warnings=(error, *unreadable))


def _unchecked(error: StoreError) -> StoreError:
    message = f"open work was not checked: {error.message}"
    return StoreError(error.id, message, where=error.where, hint=error.hint)


def _open_work(increment: Increment) -> list[str]:
    work = work_of(increment)
    return [*map(_line, work.open), *(() if work.tasks else _lost_tasks(increment))]


def _lost_tasks(increment: Increment) -> Iterator[str]:
    """The open boxes of items, where the documents have lost all their tasks."""
    name = files_of(increment).names[-1]
    for link in increment.links:
        boxes = link.base.boxes if link.base else None
        for box in boxes.open if boxes else ():
            yield f"{box}: open on {link.key}, and {name} lists no task"


def _line(item: Criterion | Task) -> str:
    from unlatch.increments.documents.model import Criterion  # noqa: PLC0415

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
        hint="finish them, or complete it anyway: --force --reason TEXT",
    )
