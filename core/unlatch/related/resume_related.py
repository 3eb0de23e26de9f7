"""Resume the other work of an increment, each kind by its own use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.related.kinds import Step, Work, kind_named
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related


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
    """The steps for the newest work of each kind, or for all work of a kind that resumes all.

    A run waits for `unlatch run resume`: only a person's own command starts workers.
    """
    works: dict[str, list[Work]] = {}
    for item in related.others:
        if item.work.is_resumable:
            works.setdefault(item.kind, []).append(item.work)
    return [
        work.step(workspace, by=by)
        for kind, every in works.items()
        for work in (every if kind_named(kind).resumes_all else every[-1:])
    ]


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
