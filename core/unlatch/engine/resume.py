"""Taking up work again, whatever its status."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner
from unlatch.domain.status import Status
from unlatch.engine.admission import NO_WISH, Wish, admitted
from unlatch.engine.scope import amend_active, is_known, scope_of, spared_by, updated_by
from unlatch.errors import StoreError
from unlatch.store.outbox import new_operations

if TYPE_CHECKING:
    from unlatch.domain.amendment import Amendment
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.engine.admission import Admission, Census
    from unlatch.engine.scope import Scope
    from unlatch.engine.workspace import Workspace
    from unlatch.errors import UnlatchError


class Step(StrEnum):
    """What resuming an increment comes to."""

    REOPEN = "reopen"
    ACTIVATE = "activate"
    REVIVE = "revive"
    DELIVER = "deliver"
    NOTHING = "nothing"
    AMEND = "amend"

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
        warnings: what the project's own rules have against it.
        scope: what the change of its work came to, if there was one.
        is_known: whether that change was left out, because it had been made before.
    """

    increment: Increment
    previous: Status
    step: Step
    entry: ReopenEntry | None = None
    fresh: frozenset[str] = frozenset()
    outrun: bool = False
    warnings: tuple[UnlatchError, ...] = ()
    scope: Scope | None = None
    is_known: bool = False


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
    wish: Wish = NO_WISH,
    amendment: Amendment | None = None,
    census: Census | None = None,
) -> Resumed:
    """Make an increment active, and owe its items what follows from that.

    Args:
        reason: why; needed where `Step.needs_reason`.
        reopen_items: for an abandoned increment, reopen its items too; abandoning closed them on
            purpose, so this undoes just that.
        manner: how the items are to be reopened.
        wish: what was typed that bears on the project's own rules.
        amendment: what is to be changed about its work. With a reopen it is one intent; for any
            other increment it comes behind the change of status, and for an active one alone.
        census: the count of active increments, where many are resumed one after the other.

    Raises:
        UsageError: the increment is unknown, a reason is missing, or its category.
        StoreError: its files cannot be read or written, or the rules refuse it; nothing was
            changed.
    """
    before = workspace.manager.read(wanted)
    step = next_step(before)
    if step in (Step.DELIVER, Step.NOTHING):
        if before.archived or before.unwritten:
            before = workspace.manager.unarchive(before.id)
        done = Resumed(before, before.status, step)
        return _amended(workspace, done, amendment, by=by, reason=reason, manner=manner)
    with admitted(workspace, before, wish, census=census) as admission:
        if step is Step.REOPEN:
            done = _reopened(
                workspace,
                before,
                reason=reason or "",
                by=by,
                manner=manner,
                admission=admission,
                amendment=amendment,
            )
        else:
            owe = Kind.REOPEN if step is Step.REVIVE and reopen_items else None
            manner = replace(manner, even_if_not_planned=True) if owe else manner
            forced = admission.forced
            done = _activated(
                workspace, before, reason=reason, by=by, owe=owe, manner=manner, forced=forced
            )
    done = replace(done, warnings=() if done.outrun else admission.warnings)
    return _amended(workspace, done, amendment, by=by, reason=reason, manner=manner)


def _reopened(
    workspace: Workspace,
    before: Increment,
    *,
    reason: str,
    by: str,
    manner: Manner,
    admission: Admission,
    amendment: Amendment | None,
) -> Resumed:
    try:
        after, entry = workspace.manager.reopen(
            before.id,
            reason,
            by,
            category=admission.category,
            forced=admission.forced,
            amendment=amendment,
            spare=spared_by(before, amendment) if amendment else (),
            update=updated_by(workspace, before, amendment) if amendment else (),
            manner=manner,
        )
    except StoreError as error:
        if error.id != "not-completed":
            raise
        return _outrun(workspace, before, error)
    fresh = new_operations(before, after)
    made = next((one for one in after.amended if one.id == entry.id), None)
    scope = scope_of(after, made) if made else None
    return Resumed(after, before.status, Step.REOPEN, entry, fresh, scope=scope)


def _amended(
    workspace: Workspace,
    done: Resumed,
    amendment: Amendment | None,
    *,
    by: str,
    reason: str | None,
    manner: Manner,
) -> Resumed:
    """Change the work of what is active now, where the reopen did not do so along with it."""
    if amendment is None or done.scope is not None:
        return done
    before = done.increment
    if is_known(before, amendment):
        return replace(done, is_known=True)
    after, made = amend_active(workspace, before, amendment, by=by, reason=reason, manner=manner)
    fresh = done.fresh | new_operations(before, after)
    step = Step.AMEND if done.step in (Step.DELIVER, Step.NOTHING) else done.step
    scope = scope_of(after, made)
    return replace(done, increment=after, step=step, fresh=fresh, scope=scope)


def _activated(
    workspace: Workspace,
    before: Increment,
    *,
    reason: str | None,
    by: str,
    owe: Kind | None,
    manner: Manner,
    forced: tuple[str, ...],
) -> Resumed:
    try:
        after = workspace.manager.transition(
            before.id, Status.ACTIVE, by=by, reason=reason, owe=owe, forced=forced, manner=manner
        )
    except StoreError as error:
        if error.id != "transition-refused":
            raise
        return _outrun(workspace, before, error)
    fresh = new_operations(before, after)
    return Resumed(after, before.status, next_step(before), fresh=fresh)


def _outrun(workspace: Workspace, before: Increment, error: StoreError) -> Resumed:
    """Another process made it active between our look and our lock.

    What that one did stands; this one adds nothing and helps to deliver.
    """
    now = workspace.manager.read(before.id)
    if now.status is not Status.ACTIVE:
        raise error
    return Resumed(now, now.status, next_step(now), outrun=True)
