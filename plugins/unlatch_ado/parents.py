"""The parent of a work item that is reopened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.spi import Goal, as_html
from unlatch.spi.text import Span
from unlatch_ado.api.patch import STATE, Patch
from unlatch_ado.snapshot import WorkItemSnapshot, to_snapshot
from unlatch_ado.writers import Writer, send_dropping_tags

if TYPE_CHECKING:
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.settings import AdoSettings


def read_parent(
    settings: AdoSettings, projects: Projects, parent: WorkItem | TrackerError
) -> WorkItemSnapshot | TrackerError:
    """The parent, or the reason why it cannot be reopened."""
    if isinstance(parent, TrackerError):
        return parent
    try:
        return to_snapshot(settings, projects, parent)
    except TrackerError as error:
        return error


def parent_needs_reopen(settings: AdoSettings, child: WorkItemSnapshot) -> bool:
    """Whether the parent must be reopened before its child."""
    parent = child.parent
    return (
        settings.on_reopen.parent == "reopen"
        and isinstance(parent, WorkItemSnapshot)
        and not parent.remote.category.is_open
        and not parent.remote.deliberate
    )


def note_on_parent(child: WorkItemSnapshot) -> tuple[str, ...]:
    """A note if the parent is closed or could not be read."""
    parent = child.parent
    if isinstance(parent, TrackerError):
        return (f"its parent {child.item.parent} could not be read: {parent.message}",)
    if parent is None or parent.remote.category.is_open:
        return ()
    return (f"its parent {parent.item.id} is {parent.item.state}",)


def reopen_parent(writer: Writer, child: WorkItemSnapshot, patch: Patch) -> tuple[str, ...]:
    """Reopen the parent, or note that it is closed, as configured.

    A failure of the parent does not stop the child.

    Args:
        child: the work item to be reopened.
        patch: the request that reopens it.

    Raises:
        TrackerError: the child cannot be reopened; its parent was not changed.
    """
    if not isinstance(child.parent, WorkItemSnapshot) or not parent_needs_reopen(
        writer.settings, child
    ):
        return note_on_parent(child)
    # The parent goes first: a later attempt that finds the child's marker would skip it. But the
    # tracker must have accepted the child's change.
    send_dropping_tags(patch, lambda patch: writer.check(child.item, patch))
    return (_reopen_parent(writer, child.parent, child),)


def _reopen_parent(writer: Writer, parent: WorkItemSnapshot, child: WorkItemSnapshot) -> str:
    number, was = parent.item.id, parent.item.state
    try:
        patch = _patch(writer.settings, parent, writer.settings.name(child.remote.ref))
        now = writer.change(parent.item, patch)
    except UnknownOutcome as error:
        return f"it is not known whether its parent {number} was reopened: {error.message}"
    except TrackerError as error:
        return f"its parent {number} is {was}, and was not reopened: {error.message}"
    if now.state == was:
        return f"its parent {number} was not reopened: Azure DevOps left it in state {was}"
    return f"its parent {number} was reopened: {was} -> {now.state}"


def _patch(settings: AdoSettings, parent: WorkItemSnapshot, child: str) -> Patch:
    """The guarded request that reopens a parent; no marker: the parent may also be linked."""
    configured = settings.state_for(Goal.OPEN, parent.item.type)
    state = parent.workflow.target(parent.item.state, Goal.OPEN, configured=configured)
    return Patch(
        revision=parent.item.revision,
        fields=((STATE, state), *settings.fields.reopen.items()),
        comment=as_html(((Span(f"Reopened because {child} below it was reopened."),),)),
    )
