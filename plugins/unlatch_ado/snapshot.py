"""Work items from answers, with the meaning of their states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Rejected, TrackerError
from unlatch.spi import Goal, RemoteItem, must_move
from unlatch.values import dataclass
from unlatch_ado.api.errors import unreadable
from unlatch_ado.description import kept_parts
from unlatch_ado.reopen_context import NOTHING, ReopenFields

if TYPE_CHECKING:
    from unlatch.spi import Change
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.api.workflow import Workflow
    from unlatch_ado.settings import AdoSettings


@dataclass(frozen=True, slots=True)
class WorkItemSnapshot:
    """A work item: the tracker's answer and its meaning, as the opaque part of a snapshot.

    Args:
        item: the answer.
        remote: its meaning.
        workflow: the states of its type.
        renewal: further fields to set on reopening.
        parent: its parent, if a reopen may change it, or the error of reading it.
        notes: messages for people about the item and the coming change.
    """

    item: WorkItem
    remote: RemoteItem
    workflow: Workflow
    renewal: ReopenFields = NOTHING
    parent: WorkItemSnapshot | TrackerError | None = None
    notes: tuple[str, ...] = ()


def reopens(seen: WorkItemSnapshot, change: Change | None) -> bool:
    """Whether the change moves the work item to a state for reopened items."""
    return change is not None and change.goal is Goal.OPEN and must_move(seen.remote, Goal.OPEN)


def to_snapshot(settings: AdoSettings, projects: Projects, item: WorkItem) -> WorkItemSnapshot:
    """The meaning of an answer for an item in a configured project.

    Raises:
        Rejected: `target-not-allowed`, `state-unknown`.
    """
    check_project(settings, item)
    return interpret(settings, projects, item)


def check_project(settings: AdoSettings, item: WorkItem) -> None:
    """Refuse a work item of another project; Rejected `target-not-allowed`."""
    # Azure DevOps finds items by their number alone, so the address may name a wrong project.
    ref = settings.ref(item.project, str(item.id))
    if not settings.allows(ref):
        raise Rejected(
            "target-not-allowed",
            f"the work item is in {ref.target}, which is not among the configured projects",
            hint="add the project to `projects` in [trackers.ado]",
        )


def interpret(settings: AdoSettings, projects: Projects, item: WorkItem) -> WorkItemSnapshot:
    """The meaning of an answer, for an item in any project.

    Raises:
        Rejected: `state-unknown`.
    """
    workflow = projects.workflow(item.project, item.type)
    category = workflow.category(item.state)
    if category is None:
        # The process was edited after the type was read.
        workflow = projects.workflow(item.project, item.type, anew=True)
        category = workflow.category(item.state)
    if category is None:
        raise Rejected(
            "state-unknown",
            f"the work item's state {item.state!r} is not a state of a {item.type}",
            hint="give it another state by hand",
        )
    remote = RemoteItem(
        ref=settings.ref(item.project, str(item.id)),
        title=item.title,
        state=item.state,
        category=category,
        type=item.type,
        resolved=_is_left_by_reopen(settings, workflow, item),
        labels=item.tags,
        assignee=item.assignee,
        revision=str(item.revision),
        updated=item.changed,
        changed_by=item.changed_by,
        created=item.created,
        state_since=item.state_since,
        kept=kept_parts(item.description or ""),
    )
    return WorkItemSnapshot(item, remote, workflow)


def _is_left_by_reopen(settings: AdoSettings, workflow: Workflow, item: WorkItem) -> bool:
    """Whether an item is in Resolved, and the settings name another state for reopened items."""
    configured = settings.state_for(Goal.OPEN, item.type)
    is_elsewhere = configured is not None and configured.casefold() != item.state.casefold()
    return is_elsewhere and workflow.is_resolved(item.state)


def interpret_answer(
    settings: AdoSettings, projects: Projects, answer: WorkItem
) -> WorkItemSnapshot:
    """The meaning of the answer to a change.

    Raises:
        UnknownOutcome: it is unreadable, although the change was made.
    """
    try:
        return interpret(settings, projects, answer)
    except TrackerError as error:
        raise unreadable(writing=True) from error


def was_commented(seen: WorkItemSnapshot, answer: WorkItem, change: Change) -> bool:
    """Whether the answer shows that the comment was posted; a request is applied as a whole."""
    return change.comment is not None and answer.revision > seen.item.revision
