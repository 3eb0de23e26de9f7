"""Resume the other work of an increment, each kind by its own use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.project.workspace import Workspace
    from unlatch.resume.related import Related, RelatedRun, RelatedSession


@dataclass(frozen=True, slots=True)
class Resumed:
    """The result for one effort, session or run.

    Args:
        ref: its kind and id, as in effort:auth-bug.
        next: the command that continues it, if it waits for one.
        error: why it was not resumed.
    """

    ref: str
    before: str
    status: str
    next: str | None = None
    error: UnlatchError | None = None


def resume_related(
    workspace: Workspace, related: Related, *, reason: str, by: str
) -> list[Resumed]:
    """Reopen each effort, and the newest session and run; what is open already stays as it is.

    A run waits for `unlatch run resume`: only a person's own command starts workers.
    """
    return [*_efforts(workspace, related, reason, by), *_newest(workspace, related, reason, by)]


def _efforts(workspace: Workspace, related: Related, reason: str, by: str) -> Iterator[Resumed]:
    if not related.efforts:
        return
    from unlatch.efforts.store import effort_store  # noqa: PLC0415

    store = effort_store(workspace, by=by)
    for effort in related.efforts:

        def reopen(id: str = effort.id, *, is_open: bool = effort.is_open) -> str:
            return "open" if is_open else store.reopen(id, reason)[0].status.value

        command = f"unlatch effort switch {effort.id}"
        yield _outcome(f"effort:{effort.id}", effort.status.value, reopen, command)


def _newest(workspace: Workspace, related: Related, reason: str, by: str) -> Iterator[Resumed]:
    own = [one for one in related.sessions if not one.is_imported]
    if own:
        yield _session(own[-1], reason)
    if related.runs:
        yield _run(workspace, related.runs[-1], reason, by)


def _session(one: RelatedSession, reason: str) -> Resumed:
    from unlatch.sessions import lifecycle  # noqa: PLC0415
    from unlatch.sessions.model import Status  # noqa: PLC0415

    def resume() -> str:
        if one.session.meta.status is Status.ACTIVE:
            return Status.ACTIVE.value
        return lifecycle.resume(one.store, one.path, reason=reason).session.meta.status.value

    command = f"unlatch session show {one.session.id}"
    return _outcome(one.ref, one.session.meta.status.value, resume, command)


def _run(workspace: Workspace, one: RelatedRun, reason: str, by: str) -> Resumed:
    from unlatch.runs.reopening import reopen_run  # noqa: PLC0415

    def reopen() -> str:
        if not one.state.is_over:
            return one.state.status.value
        clock, new_id = workspace.clock, workspace.new_id
        state = reopen_run(one.folder, reason=reason, by=by, clock=clock, new_id=new_id)
        return state.status.value

    command = f"unlatch run resume {one.folder.name}"
    return _outcome(one.ref, one.state.status.value, reopen, command)


def _outcome(ref: str, before: str, change: Callable[[], str], command: str) -> Resumed:
    try:
        return Resumed(ref, before, change(), command)
    except UnlatchError as error:
        return Resumed(ref, before, before, error=error)
