"""Taking up work again, whatever its status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner
from unlatch.domain.status import Status
from unlatch.errors import StoreError
from unlatch.store.outbox import new_operations

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.engine.workspace import Workspace


class Step(StrEnum):
    """What resuming an increment comes to."""

    REOPEN = "reopen"
    ACTIVATE = "activate"
    REVIVE = "revive"
    DELIVER = "deliver"
    NOTHING = "nothing"

    @property
    def needs_reason(self) -> bool:
        """Whether it has to be explained."""
        return self in (Step.REOPEN, Step.REVIVE)


@dataclass(frozen=True, slots=True)
class Resumed:
    """What resuming did, before anything was delivered.

    Args:
        increment: the increment as it is now.
        previous: its status before.
        step: what was done.
        entry: the new entry of reopenHistory, for a reopen.
        fresh: the operations that this process has just made.
        outrun: whether another process reopened it at the same moment; the reason given here was
            not recorded.
    """

    increment: Increment
    previous: Status
    step: Step
    entry: ReopenEntry | None = None
    fresh: frozenset[str] = frozenset()
    outrun: bool = False


def next_step(increment: Increment) -> Step:
    """What resuming an increment would come to."""
    if increment.status is Status.COMPLETED:
        return Step.REOPEN
    if increment.status is Status.ABANDONED:
        return Step.REVIVE
    if increment.status is not Status.ACTIVE:
        return Step.ACTIVATE
    return Step.DELIVER if increment.pending else Step.NOTHING


def resume(
    workspace: Workspace,
    wanted: str,
    *,
    reason: str | None,
    by: str,
    reopen_items: bool = False,
    manner: Manner = AS_CONFIGURED,
) -> Resumed:
    """Make an increment active, and owe its items what follows from that.

    Args:
        reason: why; needed where `Step.needs_reason`.
        reopen_items: for an abandoned increment, reopen its items too; abandoning closed them on
            purpose, so this undoes just that.
        manner: how the items are to be reopened.

    Raises:
        UsageError: the increment is unknown, or a reason is missing.
        StoreError: its files cannot be read or written; nothing was changed.
    """
    manager = workspace.manager
    before = manager.read(wanted)
    step = next_step(before)
    if step is Step.REOPEN:
        return _reopened(workspace, before, reason or "", by, manner)
    if step in (Step.ACTIVATE, Step.REVIVE):
        owe = Kind.REOPEN if step is Step.REVIVE and reopen_items else None
        manner = replace(manner, even_if_not_planned=True) if owe else manner
        try:
            after = manager.transition(
                before.id, Status.ACTIVE, by=by, reason=reason, owe=owe, manner=manner
            )
        except StoreError as error:
            if error.id != "transition-refused":
                raise
            return _outrun(workspace, before, error)
        return Resumed(after, before.status, step, fresh=new_operations(before, after))
    if before.archived:
        before = manager.unarchive(before.id)
    return Resumed(before, before.status, step)


def _reopened(
    workspace: Workspace, before: Increment, reason: str, by: str, manner: Manner
) -> Resumed:
    try:
        after, entry = workspace.manager.reopen(before.id, reason, by, manner=manner)
    except StoreError as error:
        if error.id != "not-completed":
            raise
        return _outrun(workspace, before, error)
    fresh = new_operations(before, after)
    return Resumed(after, before.status, Step.REOPEN, entry, fresh)


def _outrun(workspace: Workspace, before: Increment, error: StoreError) -> Resumed:
    """Another process made it active between our look and our lock.

    What that one did stands; this one adds nothing and helps to deliver.
    """
    now = workspace.manager.read(before.id)
    if now.status is not Status.ACTIVE:
        raise error
    return Resumed(now, now.status, next_step(now), outrun=True)
