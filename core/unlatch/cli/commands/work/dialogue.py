"""The dialogue of resume: what is at stake, whether to go on, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import ago, seen_line, times
from unlatch.cli.render.rule_warnings import tell_warnings, warn_of_frequency, with_category
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import is_interactive
from unlatch.errors import UsageError
from unlatch.increments.model.reopening import checked_reason
from unlatch.increments.model.status import Status
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.scope import spared_by

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.cli.commands.work.resume_options import ResumeOptions
    from unlatch.cli.runtime.session import Session
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.resume import ResumeRequest
    from unlatch.project.trackers import Trackers


def ask(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    request: ResumeRequest,
    typed: ResumeOptions,
    *,
    warnings: Collection[UnlatchError],
) -> ResumeRequest | None:
    """The request with what the person answered, having seen what is at stake; None if that was no.

    Args:
        warnings: what the project's own rules have against it.

    Raises:
        UsageError: `not-interactive`; nobody is there to be asked.
    """
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            f"{increment.id} is {increment.status}; cannot prompt: stdin is not a terminal",
            hint=f"unlatch resume {increment.id} --reason TEXT --yes",
        )
    seen = _introduce(session, trackers, increment, warnings, offline=typed.offline)
    output.talk(f"  {_announcement(increment, request, offline=typed.offline)}")
    if not typed.yes and not output.confirm("Continue?"):
        return None
    insisted = _insisted(seen, increment, even_if=request.options.even_if_not_planned)
    reason = request.reason
    while reason is None:
        given = output.prompt("Reason for reopening", default="", show_default=False)
        try:
            reason = checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
    return replace(
        request,
        reason=reason,
        options=replace(request.options, even_if_not_planned=insisted),
        activation=with_category(session, increment, request.activation),
    )


def _insisted(seen: list[ItemSnapshot], increment: Increment, *, even_if: bool) -> bool:
    """Whether items that were closed on purpose are to be reopened, too."""
    held = [one for one in seen if one.item is not None and one.item.deliberate]
    if even_if or not held or increment.status is not Status.COMPLETED:
        return even_if
    names = ", ".join(output.clean(one.name) for one in held)
    closed = (
        "was closed on purpose; reopen it"
        if len(held) == 1
        else "were closed on purpose; reopen them"
    )
    return output.confirm(f"{names} {closed} all the same?")


def _introduce(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    warnings: Collection[UnlatchError],
    *,
    offline: bool,
) -> list[ItemSnapshot]:
    registry, now = session.workspace.registry, session.workspace.clock()
    archived = ", and archived" if increment.archived else ""
    output.talk(
        f"{output.warn('!')} Increment {output.strong(increment.id)} is "
        f"{increment.status}{archived}"
    )
    titles = [registry.manifest(link.tracker).title for link in increment.links]
    columns = 1 + max(map(len, ("Reopened before", *titles)))
    if increment.completed_at:
        day = f"{increment.completed_at:%Y-%m-%d} ({ago(increment.completed_at, now)})"
        output.talk(f"    {'Completed':<{columns}}{day}")
    items = [ItemSnapshot(link, link.key) for link in increment.links]
    if not offline:
        items = fetch_items(trackers, increment.links, within=session.workspace.config.patience)
    for seen in items:
        session.trace(seen.error)
        output.talk(seen_line(registry, seen, columns=columns))
    count = times(increment.effective_reopens, "time")
    output.talk(f"    {'Reopened before':<{columns}}{count}")
    warn_of_frequency(session, increment, more=1, told=warnings)
    tell_warnings(warnings)
    return items


def _announcement(increment: Increment, request: ResumeRequest, *, offline: bool) -> str:
    back = "move it out of the archive, " if increment.archived else ""
    if not increment.links:
        return f"Resuming will {back}set it active; it has no linked items."
    if increment.status is Status.ABANDONED and not request.reopen_items:
        return f"Resuming will {back}set it active; its items stay as they are."
    spared = len(spared_by(increment, request.amendment)) if request.amendment else 0
    items = times(len(increment.links) - spared, "item")
    apart = f" Left alone: {times(spared, 'item')}." if spared else ""
    if offline:
        return f"Resuming will {back}set it active, and leave {items} to unlatch sync.{apart}"
    return f"Resuming will {back}set it active, reopen {items} and post the reason on each.{apart}"
