"""The dialogue of resume: what is at stake, whether to go on, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.cli import output
from unlatch.cli.admission import tell_warnings
from unlatch.cli.describe import ago, seen_line, times
from unlatch.cli.session import is_interactive
from unlatch.engine.items import Seen, look
from unlatch.engine.resume import Step
from unlatch.errors import UsageError
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.cli.session import Session
    from unlatch.domain.increment import Increment
    from unlatch.errors import UnlatchError
    from unlatch.project.trackers import Trackers


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was typed with the command.

    Args:
        reason: why, if it was said.
        yes: whether no question is wanted.
        reopen_items: whether the items of an abandoned increment are to be reopened.
        offline: whether the trackers are to be left alone.
        warnings: what the project's own rules have against it.
        spared: how many items are left alone, because they are about other user stories.
        even_if_not_planned: whether items that were closed on purpose are to be reopened, too.
    """

    reason: str | None
    yes: bool
    reopen_items: bool
    offline: bool
    warnings: tuple[UnlatchError, ...] = ()
    spared: int = 0
    even_if_not_planned: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said.

    Args:
        even_if_not_planned: whether items that were closed on purpose are to be reopened, too.
    """

    reason: str
    even_if_not_planned: bool


def ask(
    session: Session, trackers: Trackers, increment: Increment, step: Step, wishes: Wishes
) -> Answer | None:
    """What the person said, having seen what is at stake; None if that was no.

    Raises:
        UsageError: `not-interactive`; nobody is there to be asked.
    """
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            f"{increment.id} is {increment.status}, and nobody is here to be asked",
            hint=f"unlatch resume {increment.id} --reason TEXT --yes",
        )
    seen = _introduce(session, trackers, increment, wishes)
    output.talk(f"  {_announcement(increment, step, wishes)}")
    if not wishes.yes and not output.confirm("Continue?"):
        return None
    insisted = _insisted(seen, step, wishes)
    reason = wishes.reason
    while reason is None:
        given = output.prompt("Reason for reopening", default="", show_default=False)
        try:
            reason = checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
    return Answer(reason, insisted)


def _insisted(seen: list[Seen], step: Step, wishes: Wishes) -> bool:
    """Whether items that were closed on purpose are to be reopened, too."""
    held = [one for one in seen if one.item is not None and one.item.deliberate]
    if wishes.even_if_not_planned or not held or step is not Step.REOPEN:
        return wishes.even_if_not_planned
    names = ", ".join(output.clean(one.name) for one in held)
    closed = (
        "was closed on purpose; reopen it"
        if len(held) == 1
        else "were closed on purpose; reopen them"
    )
    return output.confirm(f"{names} {closed} all the same?")


def _introduce(
    session: Session, trackers: Trackers, increment: Increment, wishes: Wishes
) -> list[Seen]:
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
    items = _seen(session, trackers, increment, wishes)
    for seen in items:
        session.trace(seen.error)
        output.talk(seen_line(registry, seen, columns=columns))
    count = times(increment.effective_reopens, "time")
    output.talk(f"    {'Reopened before':<{columns}}{count}")
    warn_of_frequency(session, increment, more=1, told=wishes.warnings)
    tell_warnings(wishes.warnings)
    return items


def _seen(session: Session, trackers: Trackers, increment: Increment, wishes: Wishes) -> list[Seen]:
    if wishes.offline:
        return [Seen(link, link.key) for link in increment.links]
    return look(trackers, increment.links, within=session.workspace.config.patience)


def warn_of_frequency(
    session: Session, increment: Increment, *, more: int = 0, told: Collection[UnlatchError] = ()
) -> None:
    """Warn where an increment was reopened often, or will have been with `more` reopens.

    Args:
        told: what is told anyway; its rules may say the same.
    """
    count = increment.effective_reopens + more
    if any(one.id == "reopened-too-often" for one in told):
        return
    if count >= session.workspace.config.frequent_reopens:
        verb = "will be" if more else "was"
        warning = (
            f"    This {verb} reopen number {count}: an increment that is reopened often "
            "may want an increment of its own."
        )
        output.talk(output.warn(warning))


def _announcement(increment: Increment, step: Step, wishes: Wishes) -> str:
    back = "move it out of the archive, " if increment.archived else ""
    if not increment.links:
        return f"Resuming will {back}set it active; it has no linked items."
    if step is Step.REVIVE and not wishes.reopen_items:
        return f"Resuming will {back}set it active; its items stay as they are."
    items = times(len(increment.links) - wishes.spared, "item")
    apart = f" Left alone: {times(wishes.spared, 'item')}." if wishes.spared else ""
    if wishes.offline:
        return f"Resuming will {back}set it active, and leave {items} to unlatch sync.{apart}"
    return f"Resuming will {back}set it active, reopen {items} and post the reason on each.{apart}"
