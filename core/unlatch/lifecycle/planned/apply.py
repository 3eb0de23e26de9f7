"""Check that a saved plan still holds, and bind the command that carries it out to it.

Outside of a project there is no workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import PlanOutdated, UnlatchError
from unlatch.lifecycle.planned.basis import increment_basis, project_name
from unlatch.lifecycle.planned.comparison import (
    compare_increments,
    compare_plans,
    is_done,
    is_unread,
    items_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from unlatch.lifecycle.planned.saved import IncrementBasis, SavedPlan
    from unlatch.project.workspace import Workspace

_NEXT = "make a new plan with --plan-out FILE"
# A creation that was planned, and that another command has made.
_CREATED = "already-linked"
_MOST = 20


def check_project(plan: SavedPlan, root: Path | None) -> None:
    """Check that a plan was made for this project; PlanOutdated `plan-elsewhere`."""
    here = "" if root is None else project_name(root)
    if plan.project != here:
        place = here or "a folder without a project"
        message = f"the plan was made for {plan.project or 'no project'}, and this is {place}"
        raise PlanOutdated("plan-elsewhere", message, hint="apply it in the project that it is of")


def check_plan(workspace: Workspace | None, plan: SavedPlan, now: SavedPlan) -> bool:
    """Compare a plan with the one that its command makes now.

    Returns:
        Whether it has been carried out already, by this plan or another command.

    Raises:
        PlanOutdated: `plan-not-checked`: an item cannot be read; `plan-changed`, with each change.
    """
    if unread := next(filter(is_unread, items_of(now.preview)), None):
        message = f"{unread['url']} could not be read: {unread['error']['message']}"
        raise PlanOutdated("plan-not-checked", message, hint="apply the plan again later")
    changes = compare_plans(plan, now)
    if changes and _is_applied(workspace, plan, now):
        return True
    if changes:
        raise _outdated(changes)
    return False


def check_broken(workspace: Workspace | None, plan: SavedPlan, error: UnlatchError) -> None:
    """Find out why a plan cannot be made any more.

    Raises:
        PlanOutdated: `plan-changed`: its increments changed.
        UnlatchError: `error`, if they did not.
    """
    found = [*_read(workspace, plan)]
    changes = compare_increments(plan, found)
    if not changes:
        raise error
    is_created = error.id == _CREATED
    if not (is_created or is_done(plan, found, None) or _has_links(workspace, plan) is True):
        raise _outdated([*changes, str(error)]) from error


def bind_to_plan(workspace: Workspace | None, now: SavedPlan) -> None:
    """Let the next change of each increment fail unless it is as it was compared."""
    if workspace is not None:
        workspace.manager.planned.update({one.id: one.revision for one in now.increments})


def _is_applied(workspace: Workspace | None, plan: SavedPlan, now: SavedPlan) -> bool:
    # Those that the command leaves as they are now are not in the new plan.
    found = [*_read(workspace, plan)]
    if found and found == plan.increments:
        return False
    has_links = _has_links(workspace, plan)
    return is_done(plan, found, now.preview) if has_links is None else has_links


def _has_links(workspace: Workspace | None, plan: SavedPlan) -> bool | None:
    """Whether a plan to link or unlink items has been carried out; None for another one."""
    name, linked = plan.preview.get("id"), plan.preview.get("linked")
    unlinked = plan.preview.get("unlinked")
    if workspace is None or not (
        isinstance(name, str) and (isinstance(linked, list) or isinstance(unlinked, dict))
    ):
        return None
    known = {link.url for link in workspace.manager.read(name).links}
    if isinstance(linked, list):
        return all(isinstance(one, dict) and one.get("url") in known for one in linked)
    return isinstance(unlinked, dict) and unlinked.get("url") not in known


def _read(workspace: Workspace | None, plan: SavedPlan) -> Iterator[IncrementBasis]:
    """The plan's increments as they are now."""
    if workspace is None:
        return
    for one in plan.increments:
        try:
            yield increment_basis(workspace.manager.read(one.id))
        except UnlatchError:
            continue  # the comparison says that it is not there any more


def _outdated(changes: Sequence[str]) -> PlanOutdated:
    more = (f"and {len(changes) - _MOST:,} more",) if len(changes) > _MOST else ()
    message = "something changed since the plan was made; nothing was done"
    return PlanOutdated("plan-changed", message, hint=_NEXT, problems=(*changes[:_MOST], *more))
