"""Moves along the status table that no tracker sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import (
    DEFAULT_ACTIVATION,
    ActivationOptions,
    allow_activation,
)

if TYPE_CHECKING:
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MoveResult:
    """What a move came to.

    Args:
        before: the increment as it was.
        after: the increment as it is now.
        warnings: what the project's own rules have against it.
    """

    before: Increment
    after: Increment
    warnings: tuple[UnlatchError, ...] = ()


def move(
    workspace: Workspace,
    wanted: str,
    to: Status,
    *,
    by: str,
    reason: str | None = None,
    activation: ActivationOptions = DEFAULT_ACTIVATION,
) -> MoveResult:
    """Move an increment that is not finished; one that is there already is left as it is.

    Raises:
        UsageError: the increment is unknown.
        StoreError: it is finished, the status table does not allow it, or the limits refuse it.
    """
    manager = workspace.manager
    before = manager.read(wanted)
    if before.status.is_finished:
        raise StoreError(
            "finished",
            f"{before.id} is {before.status}; use `unlatch resume` to reopen it",
            hint=f"unlatch resume {before.id}",
        )
    if before.status is to:
        return MoveResult(before, before)
    if to is not Status.ACTIVE:
        return MoveResult(before, manager.transition(before.id, to, by=by, reason=reason))
    with allow_activation(workspace, before, activation) as approval:
        after = manager.transition(before.id, to, by=by, reason=reason, forced=approval.forced)
    return MoveResult(before, after, approval.warnings)
