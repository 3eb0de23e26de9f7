"""The parent of a work item that is taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.text import Span
from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.spi import Goal, as_html
from unlatch_ado.patch import Plan
from unlatch_ado.seeing import Seen, see

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_ado.answers import WorkItem
    from unlatch_ado.client import Client
    from unlatch_ado.settings import AdoSettings


def look_after_parent(
    settings: AdoSettings, client: Client, child: Seen, *, make_sure: Callable[[], object]
) -> tuple[str, ...]:
    """Say that the parent is closed, or reopen it; as configured.

    Nothing that goes wrong with the parent holds the child up.

    Args:
        child: the work item that is about to be reopened.
        make_sure: raises if the child cannot be reopened.
    """
    number = child.item.parent
    if number is None or settings.on_reopen.parent == "ignore":
        return ()
    try:
        parent = see(settings, client.projects, client.read(number))
    except TrackerError as error:
        return (f"its parent {number} could not be looked at: {error.message}",)
    if parent.remote.category.is_open:
        return ()
    if settings.on_reopen.parent == "report" or parent.remote.deliberate:
        return (_closed(parent),)
    # The parent goes first: a replay that finds the operation's mark on the child looks no further.
    # But not before it is known that the child can follow.
    make_sure()
    return (_reopened(settings, client, parent, child),)


def told_of_parent(
    settings: AdoSettings, client: Client, parent: WorkItem | TrackerError
) -> tuple[str, ...] | None:
    """What is to be said of a parent that was read along with others; None if words won't do."""
    if isinstance(parent, TrackerError):
        return None
    try:
        seen = see(settings, client.projects, parent)
    except TrackerError:
        return None
    if seen.remote.category.is_open:
        return ()
    is_told = settings.on_reopen.parent == "report" or seen.remote.deliberate
    return (_closed(seen),) if is_told else None


def _closed(parent: Seen) -> str:
    return f"its parent {parent.item.id} is {parent.item.state}"


def _reopened(settings: AdoSettings, client: Client, parent: Seen, child: Seen) -> str:
    number, was = str(parent.item.id), parent.item.state
    try:
        plan = _plan(settings, parent, settings.name(child.remote.ref))
        now = client.change(number, plan.steps())
    except UnknownOutcome as error:
        return f"whether its parent {number} was reopened is not known: {error.message}"
    except TrackerError as error:
        return f"its parent {number} is {was}, and was not reopened: {error.message}"
    return f"its parent {number} was reopened: {was} -> {now.state}"


def _plan(settings: AdoSettings, parent: Seen, child: str) -> Plan:
    """Guarded by the revision; without a marker, for the parent may be linked itself."""
    configured = settings.state_for(Goal.OPEN, parent.item.type)
    state = parent.workflow.target(parent.item.state, Goal.OPEN, configured=configured)
    return Plan(
        revision=parent.item.revision,
        fields=(("System.State", state), *settings.fields.reopen.items()),
        comment=as_html(((Span(f"Reopened because {child} below it was reopened."),),)),
    )
