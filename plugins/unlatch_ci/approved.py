"""Read a saved plan, check that it still holds, and bind its command to it.

Outside of a project there is no workspace.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unlatch.errors import PlanOutdated, UnlatchError, UsageError
from unlatch.lifecycle.planned.comparison import (
    differences,
    foresees_change,
    has_pending,
    is_unread,
    items_of,
    moves_of,
)
from unlatch.lifecycle.planned.saved import LARGEST, SavedPlan, increment_basis, project_name
from unlatch.spi.validation import first_problem
from unlatch.worklog.json_text.document import JsonText, JsonTextError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch.lifecycle.planned.saved import IncrementBasis
    from unlatch.project.workspace import Workspace

_NEXT = "make a new plan with --plan-out FILE"
# A creation that was planned, and that another command has made.
_CREATED = "already-linked"
_MOST = 20
# The keys of an increment in a document.
_MOVE = {"id", "status", "wouldBe"}


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
    increments = [*_read(workspace, plan)]
    changes = compare_increments(plan, increments)
    if not changes:
        raise error
    is_created = error.id == _CREATED
    if not (is_created or is_done(plan, increments, None) or _has_links(workspace, plan) is True):
        raise _outdated([*changes, str(error)]) from error


def bind_to_plan(workspace: Workspace | None, now: SavedPlan) -> None:
    """Let the next change of each increment fail unless it is as it was compared."""
    if workspace is not None:
        workspace.manager.planned.update(
            {increment.id: increment.revision for increment in now.increments}
        )


def _is_applied(workspace: Workspace | None, plan: SavedPlan, now: SavedPlan) -> bool:
    # Those that the command leaves as they are now are not in the new plan.
    increments = [*_read(workspace, plan)]
    if increments and increments == plan.increments:
        return False
    has_links = _has_links(workspace, plan)
    return is_done(plan, increments, now.preview) if has_links is None else has_links


def _has_links(workspace: Workspace | None, plan: SavedPlan) -> bool | None:
    """Whether a plan to link or unlink items has been carried out; None for another one."""
    name, linked = plan.preview.get("id"), plan.preview.get("linked")
    unlinked = plan.preview.get("unlinked")
    if workspace is None or not (
        isinstance(name, str) and (isinstance(linked, list) or isinstance(unlinked, dict))
    ):
        return None
    urls = {link.url for link in workspace.manager.read(name).links}
    if isinstance(linked, list):
        return all(isinstance(item, dict) and item.get("url") in urls for item in linked)
    return isinstance(unlinked, dict) and unlinked.get("url") not in urls


def _read(workspace: Workspace | None, plan: SavedPlan) -> Iterator[IncrementBasis]:
    """The plan's increments as they are now."""
    if workspace is None:
        return
    for increment in plan.increments:
        try:
            yield increment_basis(workspace.manager.read(increment.id))
        except UnlatchError:
            continue  # the comparison says that it is not there any more


def _outdated(changes: Sequence[str]) -> PlanOutdated:
    more = (f"and {len(changes) - _MOST:,} more",) if len(changes) > _MOST else ()
    message = "something changed since the plan was made; nothing was done"
    return PlanOutdated("plan-changed", message, hint=_NEXT, problems=(*changes[:_MOST], *more))


def compare_plans(planned: SavedPlan, now: SavedPlan) -> list[str]:
    """What changed since a plan was made, each as `differences` says it."""
    parts = {"project", "accounts", "command", "increments"}
    before, after = (plan.model_dump(by_alias=True, include=parts) for plan in (planned, now))
    # What is not written to, or read, any more is a change of the preview.
    before["accounts"] = {name: planned.accounts.get(name) for name in now.accounts}
    changes = _exact(before, after)
    by_url = {item.url: item for item in planned.items}
    for item in now.items:
        if other := by_url.get(item.url):
            # An edit alone does not change the plan.
            same = item.model_copy(update={"revision": other.revision})
            changes += _exact(other.model_dump(), same.model_dump())
        else:
            changes.append(f"{item.url}: not in the plan")
    fixed = planned.command.model_dump_json()
    changes += differences(planned.preview, now.preview, fixed=fixed)
    return [*dict.fromkeys(changes)]


def edited_items(planned: SavedPlan, now: SavedPlan) -> list[str]:
    """The items that were edited or commented on since, without a change of what would be done."""
    read = {item.url: item.revision for item in now.items}
    return [
        item.url for item in planned.items if read.get(item.url, item.revision) != item.revision
    ]


def compare_increments(planned: SavedPlan, now: Sequence[IncrementBasis]) -> list[str]:
    """The same for the increments alone, where the plan cannot be made any more."""
    pair = (
        [increment.model_dump(by_alias=True) for increment in increments]
        for increments in (planned.increments, now)
    )
    return _exact(*pair)


def _exact(planned: Any, now: Any) -> list[str]:
    return differences(planned, now, fixed=None)


def is_done(
    planned: SavedPlan, increments: Iterable[IncrementBasis], now: Mapping[str, Any] | None
) -> bool:
    """Whether what a plan is about has been done already, by this plan or another command.

    Args:
        increments: those of the plan as they are now.
        now: the document that its command makes now; None where it makes none any more.
    """
    entries = [entry for entry in moves_of(planned.preview) if entry.keys() >= _MOVE]
    moves = {str(entry["id"]): (entry["status"], entry["wouldBe"]) for entry in entries}
    statuses = {increment.id: increment.status for increment in increments}
    if any(statuses.get(name) != goal for name, (_, goal) in moves.items()):
        return False
    if now is None:
        return any(before != goal for before, goal in moves.values())
    return not foresees_change(now, but=has_pending)


def read_plan(file: Path) -> SavedPlan:
    """Read the file of a plan; UsageError `plan-file-invalid`."""
    if file.exists() and not file.is_file():
        raise invalid_plan("it is not a file", file)  # reading a pipe could wait for ever
    try:
        with file.open("rb") as opened:
            raw = opened.read(LARGEST + 1)
    except OSError as error:
        raise invalid_plan(f"it cannot be read: {error.strerror}", file) from error
    if len(raw) > LARGEST:
        raise invalid_plan(f"it has more than {LARGEST:,} bytes", file)
    try:
        text = JsonText.parse(raw)
        # A lone surrogate has no UTF-8 form, and fails where it is shown or sent.
        json.dumps(text.value, ensure_ascii=False).encode()
    except JsonTextError as error:
        raise invalid_plan(str(error), file) from error
    except UnicodeEncodeError as error:
        raise invalid_plan("a text has half of a character", file) from error
    if text.duplicates:
        raise invalid_plan(f"{text.duplicates[0]} occurs twice", file)
    try:
        return SavedPlan.model_validate(text.value)
    except ValidationError as error:
        raise invalid_plan(first_problem(error.errors()), file) from error


def invalid_plan(why: str, file: Path) -> UsageError:
    """The error for a file that is no plan."""
    hint = "make a plan with --plan-out FILE"
    return UsageError("plan-file-invalid", f"this is no plan: {why}", where=str(file), hint=hint)
