"""Resume the other work of an increment, each kind by its own use case."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.resume.kinds import Step
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace
    from unlatch.resume.related import Related


@dataclass(frozen=True, slots=True)
class Resumed:
    """The result for one effort, session or run.

    Args:
        next: the command that continues it, if it waits for one.
        is_left: whether it stays finished, because there is no reason to reopen it.
        error: why it was not resumed.
    """

    ref: str
    before: str
    status: str
    next: str | None = None
    is_left: bool = False
    error: UnlatchError | None = None


def plan_related(workspace: Workspace, related: Related, *, by: str) -> list[Step]:
    """The steps for each effort, and for the newest work of each other kind.

    A run waits for `unlatch run resume`: only a person's own command starts workers.
    """
    steps = [*_efforts(workspace, related, by)]
    newest = {one.kind: one.work for one in related.others if one.work.is_resumable}
    return steps + [one.step(workspace, by=by) for one in newest.values()]


def resume_related(
    workspace: Workspace, related: Related, *, reason: str | None, by: str, otherwise: str
) -> list[Resumed]:
    """Resume the work that is not active; a failure of one leaves the others done.

    Args:
        reason: without one, finished work stays finished.
        otherwise: the command that reopens it.
    """
    steps = plan_related(workspace, related, by=by)
    return [_carry_out(step, reason, otherwise) for step in steps]


def _carry_out(step: Step, reason: str | None, otherwise: str) -> Resumed:
    if step.is_due and step.is_finished and not reason:
        return Resumed(step.ref, step.before, step.before, otherwise, is_left=True)
    try:
        status = step.change(reason) if step.is_due else step.before
        step.enter()
        return Resumed(step.ref, step.before, status, step.next)
    except UnlatchError as error:
        return Resumed(step.ref, step.before, step.before, error=error)


def _efforts(workspace: Workspace, related: Related, by: str) -> Iterator[Step]:
    for effort in related.efforts:

        def reopen(reason: str | None, id: str = effort.id) -> str:
            from unlatch.efforts.store import effort_store  # noqa: PLC0415

            return effort_store(workspace, by=by).reopen(id, reason)[0].status.value

        before, is_over = effort.status.value, not effort.is_open
        command = f"unlatch effort switch {quote(effort.id)}"
        step = Step(f"effort:{effort.id}", before, "open", is_over, command, reopen)
        if len(related.efforts) == 1:
            command = f"unlatch effort show {quote(effort.id)}"
            step = replace(step, next=command, enter=partial(_activate, workspace, effort.id, by))
        yield step


def _activate(workspace: Workspace, effort: str, by: str) -> None:
    from unlatch.efforts.conversation import Conversation  # noqa: PLC0415
    from unlatch.efforts.store import effort_store  # noqa: PLC0415

    with Conversation(effort_store(workspace, by=by)).lock() as turn:
        turn.activate(effort)
